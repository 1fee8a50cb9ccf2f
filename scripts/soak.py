#!/usr/bin/python3
"""Profiles for half an hour while runs beside it are killed, stopped and interrupted at random, and judges whether
memory, descriptors and processes stay flat.

    scripts/soak.py [--minutes 30] [--seed 1]

Writes soak.json to reliability/ in the build folder, for scripts/reliability.py; ends with 1 where something grew."""

import argparse
import collections
import json
import os
import pathlib
import random
import signal
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests/faults"))
from fault_support import ROWS, FaultTest  # noqa: E402
from support import ENDLESS, processes_with, wait_until  # noqa: E402

# Rounds of some seconds, so that what grows is a leak and not the list of rounds.
STEADY = ["profile", "--model", "resnet18", "--image-size", "64", "--batch", "4", "--nproc-per-node", "1",
          "--tolerance", "0.0001%", "--no-store"]
SIGNALS = {"rank killed": signal.SIGKILL, "rank crashed": signal.SIGSEGV, "rank stopped": signal.SIGSTOP}
COMMANDS = {"SIGINT": (signal.SIGINT, 130), "SIGTERM": (signal.SIGTERM, 143), "command killed": (signal.SIGKILL, -9)}
MOST_GROWTH = 0.05
MOST_BYTES = 16e6


def memory_of(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) * 1024


def family(pid):
    """A process and what it has started."""
    found = [pid]
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            if parent == pid:
                found += family(int(entry.name))
    return found


class Soak(FaultTest):
    def runTest(self):
        """Only for its setUp and tearDown."""

    def sample(self, steady):
        processes = family(steady.pid)
        return {"memory_bytes": sum(memory_of(pid) for pid in processes),
                "descriptors": sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in processes),
                "processes": len(processes)}

    def one_fault(self, steady, number, choose):
        """Starts a run, lets a fault happen to it, and looks at its end."""
        self.out = f"fault{number}"
        fault = choose.choice([*SIGNALS, *COMMANDS])
        before = set(self.engine_processes())
        process = self.start([*ENDLESS, "--nproc-per-node", "2", "--no-store", "--out", self.out])
        wait_until(lambda: len(set(self.engine_processes()) - before) == 2, 120, "the start of two ranks")
        time.sleep(choose.uniform(0, 8))
        ranks = sorted(set(self.engine_processes()) - before)
        begin = time.monotonic()
        if fault in SIGNALS:
            os.kill(choose.choice(ranks), SIGNALS[fault])
            wanted = 1
        else:
            os.kill(process.pid, COMMANDS[fault][0])
            wanted = COMMANDS[fault][1]
        result = self.finish(process, 60)
        seconds = time.monotonic() - begin
        mine = set(family(steady.pid)) | {steady.pid}
        wait_until(lambda: set(processes_with("STALLSCOPE_TEST_MARK", self.mark)) <= mine, 15, "the end of its processes")
        good = result.returncode == wanted and seconds < 15
        return fault, good, seconds, "" if good else f"{fault}: exit code {result.returncode}, {result.stderr[-300:]}"


def flat(samples, name):
    """Of the first third, the warm-up apart, and of the last third: the medians, and whether they differ."""
    values = [sample[name] for sample in samples[len(samples) // 6:]]
    third = max(1, len(values) // 3)
    first, last = statistics.median(values[:third]), statistics.median(values[-third:])
    allowed = max(MOST_GROWTH * first, MOST_BYTES) if name == "memory_bytes" else 0
    return {"first": first, "last": last, "flat": last - first <= allowed}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    choose = random.Random(options.seed)
    # A shell that starts this in the background has Ctrl-C ignored, and what is started here would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    soak = Soak()
    soak.setUp()
    counts, failures, samples, slowest = collections.Counter(), [], [], 0.0
    try:
        begin = time.monotonic()
        steady = soak.start([*STEADY, "--max-time", f"{options.minutes * 60:.0f}s", "--out", "steady", "--quiet"])
        wait_until(lambda: (soak.folder / "steady/steps.csv").exists(), 120, "the first steps")
        number = 0
        while time.monotonic() - begin < options.minutes * 60 - 30:
            fault, good, seconds, failure = soak.one_fault(steady, number, choose)
            number += 1
            counts[fault] += 1
            slowest = max(slowest, seconds)
            if not good:
                failures.append(failure)
            samples.append(soak.sample(steady))
            print(f"{(time.monotonic() - begin) / 60:5.1f} min  {fault:15} {seconds:5.1f} s  {samples[-1]}", flush=True)
        result = soak.finish(steady, 600)
        if result.returncode != 0:
            failures.append(f"the steady run: exit code {result.returncode}, {result.stderr[-300:]}")
        soak.assert_nothing_left()
        rounds = sum(soak.read_profile("steady")["rounds"].values())
    finally:
        soak.tearDown()
    report = {"minutes": options.minutes, "seed": options.seed, "faults": counts, "slowest_end_s": slowest,
              "rounds_of_the_steady_run": rounds, "failures": failures,
              **{name: flat(samples, name) for name in ("memory_bytes", "descriptors", "processes")}}
    ROWS.mkdir(exist_ok=True)
    (ROWS / "soak.json").write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))
    good = not failures and all(report[name]["flat"] for name in ("memory_bytes", "descriptors", "processes"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
