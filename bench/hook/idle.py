#!/usr/bin/python3
"""What does watching cost? Steps/s under `run --observe`, with the hook's wrappers on to with them off.

    bench/hook/idle.py [--minutes 5] [--json FILE]

Launches of the same program differ by more than what is to be seen, so one launch has both sides: blocks of a fixed
number of steps in turn (on, off, off, on), two ranks in step. Intervals are over pairs of neighbours. The hook's own
sum of its calls and heartbeats, from its file, stands beside that.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
STALLSCOPE = str(pathlib.Path(os.environ.get("STALLSCOPE_BUILD", HERE.parents[1] / "build")) / "stallscope")
PYTHON = "/usr/bin/python3"
RANKS, RESAMPLES = 2, 4000
STEPS = 1  # of a block: the shorter, the less a drift matters


def launch(folder, blocks):
    """(rank 0's blocks, rows of all ranks' files)."""
    command = [STALLSCOPE, "run", "--observe", "--python", PYTHON, "--nproc-per-node", str(RANKS), "--quiet", "--out",
               f"{folder}/out", "--", str(HERE / "steps.py"), str(blocks), str(STEPS)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    timed = [line.split()[1:] for line in text.splitlines() if line.startswith("block ")]
    rows = []
    for path in pathlib.Path(folder, "out/observed").glob("rank*.csv"):
        rows += csv.DictReader(path.read_text().splitlines())
    return [(kind, float(seconds)) for kind, seconds in timed], rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--json", help="write the figures here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tried, _ = launch(f"{folder}/try", 8)
        each = statistics.fmean(seconds for _, seconds in tried)
        blocks, rows = launch(f"{folder}/all", 4 * max(2, round(60 * options.minutes / each / 4)))
    times = {kind: [seconds for name, seconds in blocks if name == kind] for kind in ("on", "off")}
    logs = [math.log(off / on) for on, off in zip(times["on"], times["off"])]
    generator = random.Random(1)
    means = sorted(statistics.fmean(generator.choices(logs, k=len(logs))) for _ in range(RESAMPLES))
    mean, low, high = (math.exp(value) for value in (
        statistics.fmean(logs), means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]))
    step_s = statistics.fmean(times["on"]) / STEPS
    own_s = statistics.fmean(float(row["hook_s"]) for row in rows)
    print(f"{len(logs)} pairs of blocks of {STEPS} steps of {1e3 * step_s:.0f} ms, {RANKS} ranks")
    print(f"steps/s, watched to not: {mean:.4f}x ({low:.4f} to {high:.4f}; wanted: 0.99 or better, half-width 1.5 %)")
    print(f"the hook's own calls: {1e6 * own_s:.0f} us of a step, {100 * own_s / step_s:.3f} % (wanted: at most 1 %)")
    if options.json:
        figures = {"ratio": [mean, low, high], "pairs": len(logs), "step_s": step_s, "hook_s": own_s}
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


main()
