"""Two machines out of network namespaces, joined by a cable of a known rate, or of a known delay."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import skip_all, wait_until  # noqa: E402

ADDRESSES = ("10.78.0.1", "10.78.0.2")


class TwoMachines:
    """Namespaces held by processes of ours, so that nothing has a name that could stay behind."""

    def __init__(self, rate=None, delay_ms=None):
        """`rate`, as tc writes it, shapes both directions; `delay_ms` holds every frame, each way."""
        self.relay = None
        machines = 2 if delay_ms is None else 3
        self.holders = [
            subprocess.Popen(["unshare", "--net", "sleep", "infinity"], stdin=subprocess.DEVNULL)
            for _ in range(machines)
        ]
        try:
            self.make(rate, delay_ms)
        except BaseException:
            self.close()
            raise

    def make(self, rate, delay_ms):
        own = os.readlink("/proc/self/ns/net")
        for holder in self.holders:
            wait_until(lambda: os.readlink(f"/proc/{holder.pid}/ns/net") != own, 10, "a namespace")
        if delay_ms is None:
            self.cable(0, "lab0", 1, "lab0")
        else:
            self.cable(0, "lab0", 2, "left")
            self.cable(1, "lab0", 2, "right")
        for machine, address in enumerate(ADDRESSES):
            self.run(machine, "ip", "address", "add", f"{address}/24", "dev", "lab0")
            self.run(machine, "ip", "link", "set", "lo", "up")
            if rate:
                shaping = ["tbf", "rate", rate, "burst", "256kb", "latency", "50ms"]
                self.run(machine, "tc", "qdisc", "replace", "dev", "lab0", "root", *shaping)
        if delay_ms is not None:
            program = [sys.executable, "-B", str(pathlib.Path(__file__).parent / "frame_relay.py")]
            self.relay = subprocess.Popen(
                [*self.on(2), *program, "left", "right", str(delay_ms)], stdout=subprocess.PIPE, text=True
            )
            assert self.relay.stdout.readline() == "ready\n", "the relay did not start"

    def cable(self, machine, end, other, other_end):
        namespace = str(self.holders[other].pid)
        self.run(machine, "ip", "link", "add", end, "type", "veth", "peer", "name", other_end, "netns", namespace)
        self.run(machine, "ip", "link", "set", end, "up")
        self.run(other, "ip", "link", "set", other_end, "up")

    def on(self, machine):
        return ["nsenter", "--net", f"--target={self.holders[machine].pid}", "--"]

    def run(self, machine, *command):
        subprocess.run([*self.on(machine), *command], check=True, capture_output=True)

    def close(self):
        if self.relay:
            self.relay.kill()
            self.relay.wait()
            self.relay.stdout.close()
        for holder in self.holders:
            holder.kill()
            holder.wait()


def skip_without_a_lab():
    if os.geteuid() != 0:
        skip_all("namespaces and shaping need root")
    probe = subprocess.run(
        ["unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "1mbit", "burst", "32kb",
         "latency", "50ms"],
        capture_output=True, text=True,
    )
    if probe.returncode != 0:
        skip_all(f"this kernel shapes no links: {probe.stderr.strip()}")
