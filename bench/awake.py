#!/usr/bin/python3
"""Runs a command on processors that do not sleep.

    bench/awake.py COMMAND [ARGUMENT ...]

A virtual processor that sleeps has to be woken by its host, which takes from a few microseconds to milliseconds, by what else
the host does. While /dev/cpu_dma_latency is held open at 0, Linux lets idle processors poll instead. Needs root.
"""

import os
import struct
import subprocess
import sys


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if len(sys.argv) > 1 else 2
    try:
        held = os.open("/dev/cpu_dma_latency", os.O_WRONLY)
        os.write(held, struct.pack("i", 0))
    except OSError as error:
        print(f"error: the processors cannot be kept awake: {error}; run this as root", file=sys.stderr)
        return 1
    return subprocess.run(sys.argv[1:], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
