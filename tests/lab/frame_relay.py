"""A cable of known delay: holds every Ethernet frame between two interfaces for a while, in both directions.

    frame_relay.py LEFT RIGHT MILLISECONDS

netem does the same where the kernel has it; here a packet socket on each side does. Frames travel with their
virtio header (PACKET_VNET_HDR), so that segmentation and checksums which veth has left for later stay so.
The time of a frame counts from its arrival in the kernel, not from when this process got to see it.
"""

import collections
import ctypes
import os
import select
import socket
import struct
import sys
import time

SOL_PACKET = 263
PACKET_ADD_MEMBERSHIP = 1
PACKET_MR_PROMISC = 1
PACKET_VNET_HDR = 15
PACKET_IGNORE_OUTGOING = 23
SO_RCVBUFFORCE = 33
SO_SNDBUFFORCE = 32
SO_TIMESTAMPNS = 35
ETH_P_ALL = 3
PR_SET_TIMERSLACK = 29
# A segmented frame has at most 64 KiB, and its headers.
LARGEST = 1 << 17


def open_side(name):
    side = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    side.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    side.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    side.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    side.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
    side.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 32 << 20)
    side.bind((name, ETH_P_ALL))
    promiscuous = struct.pack("IHH8s", socket.if_nametoindex(name), PACKET_MR_PROMISC, 0, b"")
    side.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, promiscuous)
    side.setblocking(False)
    return side


def take_frames(side, queue, hold):
    """All frames that have come, each with the time at which it may go on."""
    while True:
        try:
            frame, control, _, _ = side.recvmsg(LARGEST, 64)
        except BlockingIOError:
            return
        arrived = time.time()
        for level, kind, data in control:
            if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
                seconds, nanoseconds = struct.unpack("qq", data)
                arrived = seconds + nanoseconds * 1e-9
        queue.append((arrived + hold, frame))


def main(left, right, milliseconds):
    # Timers of ordinary processes are 50 us late on purpose, and a busy machine makes them wait for a core.
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        pass
    hold = float(milliseconds) / 1000
    sides = [open_side(left), open_side(right)]
    queues = [collections.deque(), collections.deque()]
    print("ready", flush=True)
    while True:
        due = min((queue[0][0] for queue in queues if queue), default=None)
        # select has microseconds where poll has milliseconds.
        wait = None if due is None else max(0, due - time.time())
        select.select(sides, [], [], wait)
        for side, queue in zip(sides, queues):
            take_frames(side, queue, hold)
        for queue, other in ((queues[0], sides[1]), (queues[1], sides[0])):
            while queue and queue[0][0] <= time.time():
                try:
                    other.send(queue[0][1])
                except (BlockingIOError, OSError):
                    pass  # as a full queue of a switch: the frame is lost
                queue.popleft()


if __name__ == "__main__":
    main(*sys.argv[1:])
