#!/usr/bin/python3
"""Stalls of known size in a program under `run`: a sleep in its Dataset, a slowed disk, a shaped link. Root only.

    bench/hook/injected.py [--max-time 40s] [--only disk] [--json FILE]

One process loads and trains, so nothing hides the sleep and the disk. Of the link, what counts is how much more a
slower one costs: part of the gradients' way is in `node` already.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
STALLSCOPE = str(pathlib.Path(os.environ.get("STALLSCOPE_BUILD", ROOT / "build")) / "stallscope")
PROGRAMS = ROOT / "tests/hook/programs"
PYTHON = "/usr/bin/python3"
BATCH, FILE_BYTES = 8, 16384
SLEEP_S = 0.01
# The kernel lets what 100 ms are worth through at once: slow, so that this is little of a block.
DISK_BYTES_PER_S = 1e6
WIDTH, FAST_BITS, SLOW_BITS = 16384, 500e6, 200e6
WITHIN = 0.05


class Runs:
    def __init__(self, folder, max_time):
        self.folder, self.max_time, self.count = folder, max_time, 0
        self.data = f"{folder}/data"
        subprocess.run([PYTHON, PROGRAMS / "make_files.py", self.data, "--count", "4000", "--bytes", str(FILE_BYTES)],
                       check=True)

    def document(self, flags, words=()):
        self.count += 1
        out = f"{self.folder}/{self.count}"
        command = [STALLSCOPE, "run", "--no-store", "--quiet", "--python", PYTHON, "--max-time", self.max_time, "--launches",
                   "1", "--tolerance", "1%", "--data", self.data, "--out", out, *flags, "--", str(PROGRAMS / "plain.py"),
                   "--data", self.data, *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.loads(pathlib.Path(out, "profile.json").read_text())


def seconds(document, stall):
    return document["stalls"][stall]["seconds"]["mean"]


def sleeping(runs):
    flags = ["--conditions", "solo,warm"]
    without = runs.document(flags)
    document = runs.document(flags, ["--sleep", str(SLEEP_S)])
    return BATCH * SLEEP_S, seconds(document, "prep") - seconds(without, "prep"), document["step_time_s"]["mean"]


def slow_disk(runs):
    document = runs.document(["--emulate", f"nodes=2,disk={DISK_BYTES_PER_S / 1e6:.0f}MB/s", "--conditions",
                              "cluster,warm,cold"])
    # Both ranks read a batch from the one disk.
    return 2 * BATCH * FILE_BYTES / DISK_BYTES_PER_S, seconds(document, "fetch"), document["step_time_s"]["mean"]


def slow_link(runs):
    found = {}
    for bits in (FAST_BITS, SLOW_BITS):
        document = runs.document(["--emulate", f"nodes=2,bandwidth={bits / 1e6:.0f}Mbit", "--conditions",
                                  "node,cluster"], ["--width", str(WIDTH)])
        found[bits] = seconds(document, "network")
    # A ring of two sends the gradients once; 1448 of 1514 bytes on the wire are theirs.
    wire_bits = 8 * document["workload"]["gradient_bytes"] * 1514 / 1448
    return (wire_bits / SLOW_BITS - wire_bits / FAST_BITS, found[SLOW_BITS] - found[FAST_BITS],
            document["step_time_s"]["mean"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max-time", default="40s", help="of each of five runs (default 40s)")
    parser.add_argument("--only", choices=["sleep", "disk", "link"], help="one of the three")
    parser.add_argument("--json", help="write the figures here")
    options = parser.parse_args()
    figures = {}
    with tempfile.TemporaryDirectory(prefix="stallscope-bench-", dir="/var/tmp") as folder:
        runs = Runs(folder, options.max_time)
        for name, inject in (("sleep", sleeping), ("disk", slow_disk), ("link", slow_link)):
            if options.only not in (None, name):
                continue
            expected, found, step = inject(runs)
            off = (found - expected) / step
            figures[name] = {"expected_s": expected, "found_s": found, "step_s": step, "off": off}
            print(f"{name:<8} injected {1e3 * expected:>7.1f} ms, found {1e3 * found:>7.1f} ms: {100 * off:>+6.1f} % of a "
                  f"step of {1e3 * step:.0f} ms (wanted: within {100 * WITHIN:.0f} %)", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


main()
