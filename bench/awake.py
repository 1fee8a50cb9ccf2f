#!/usr/bin/python3
"""Runs a command on processors that do not sleep.

    bench/awake.py COMMAND [ARGUMENT ...]

A virtual processor that sleeps has to be woken by its host, which takes from a few microseconds to milliseconds, by what else
the host does. While /dev/cpu_dma_latency is held open at 0, Linux lets idle processors poll instead. Needs root.
"""

import os
import struct
import sys


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if len(sys.argv) > 1 else 2
    try:
        held = os.open("/dev/cpu_dma_latency", os.O_WRONLY)
        os.write(held, struct.pack("i", 0))
        os.set_inheritable(held, True)
    except OSError as error:
        print(f"error: the processors cannot be kept awake: {error}; run this as root", file=sys.stderr)
        return 1
    try:
        os.execvp(sys.argv[1], sys.argv[1:])  # signals then reach the command
    except OSError as error:
        print(f"error: {sys.argv[1]} cannot be run: {error.strerror}; give its path", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
