#!/usr/bin/python3
"""What does watching cost? Steps/s with `run --observe` to without, in alternating launches of the same program.

    bench/hook/idle.py [--pairs 12] [--steps 60] [--json FILE]
"""

import argparse
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
STALLSCOPE = str(pathlib.Path(os.environ.get("STALLSCOPE_BUILD", HERE.parents[1] / "build")) / "stallscope")
PYTHON = "/usr/bin/python3"
RANKS, RESAMPLES = 2, 2000


def seconds_in(text):
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith("seconds "))


def observed(steps):
    with tempfile.TemporaryDirectory() as folder:
        command = [STALLSCOPE, "run", "--observe", "--python", PYTHON, "--nproc-per-node", str(RANKS), "--quiet", "--out",
                   f"{folder}/out", "--", str(HERE / "steps.py"), str(steps)]
        return seconds_in(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def plain(steps):
    environment = {**os.environ, "WORLD_SIZE": str(RANKS), "LOCAL_WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1",
                   "MASTER_PORT": "29631", "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    ranks = [subprocess.Popen([PYTHON, str(HERE / "steps.py"), str(steps)], stdout=subprocess.PIPE, text=True,
                              env={**environment, "RANK": str(rank), "LOCAL_RANK": str(rank)}) for rank in range(RANKS)]
    outputs = [rank.communicate()[0] for rank in ranks]
    return seconds_in(outputs[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--json", help="write the figures here")
    options = parser.parse_args()
    logs = []
    for pair in range(options.pairs):
        sides = [observed, plain] if pair % 2 == 0 else [plain, observed]
        times = {side: side(options.steps) for side in sides}
        logs.append(math.log(times[plain] / times[observed]))
        print(f"pair {pair + 1}: observed {times[observed]:.2f} s, plain {times[plain]:.2f} s", file=sys.stderr)
    generator = random.Random(1)
    means = sorted(statistics.fmean(generator.choices(logs, k=len(logs))) for _ in range(RESAMPLES))
    mean, low, high = (math.exp(value) for value in (
        statistics.fmean(logs), means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]))
    print(f"steps/s, observed to plain: {mean:.3f}x ({low:.3f} to {high:.3f}; wanted: 0.99 or better, half-width 1.5 %)")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"ratio": [mean, low, high], "pairs": len(logs)}) + "\n")


main()
