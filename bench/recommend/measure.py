#!/usr/bin/python3
"""How long does `recommend` take over the whole catalog, and how much memory?

Both sides in one run, in turn: with the prices that ship, and with those of all regions. Run it on one core:
    taskset -c 0 bench/recommend/measure.py [--regions prices_all_regions.csv]
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]
QUESTION = ["recommend", "--model", "resnet50", "--dataset", "imagenet", "--epochs", "90", "--deadline", "24h", "--spot",
            "--include-retired", "--batch", "32,64,128", "--max-nodes", "64", "--no-store"]


def run(stallscope, data_home, json_file):
    started = time.monotonic()
    process = subprocess.Popen([stallscope, *QUESTION, "--quiet", "--json", json_file],
                               env={**os.environ, "XDG_DATA_HOME": data_home})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return time.monotonic() - started, usage.ru_maxrss / 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--regions", default=str(ROOT.parent / "shared/data/catalog/prices_all_regions.csv"))
    options = parser.parse_args()
    stallscope = str(pathlib.Path(options.build) / "stallscope")
    with tempfile.TemporaryDirectory() as folder:
        homes = {"shipped prices": f"{folder}/shipped"}
        if pathlib.Path(options.regions).exists():
            homes["all regions"] = f"{folder}/all"
            subprocess.run([stallscope, "catalog", "import", options.regions, "--lenient", "--quiet"], check=True,
                           env={**os.environ, "XDG_DATA_HOME": homes["all regions"]})
        seen = {name: [] for name in homes}
        for _ in range(options.rounds):
            for name, home in homes.items():
                seen[name].append(run(stallscope, home, f"{folder}/out.json") +
                                  (json.loads(pathlib.Path(f"{folder}/out.json").read_text())["considered"],))
        for name, rounds in seen.items():
            times = sorted(seconds for seconds, _, _ in rounds)
            print(f"{name}: {rounds[0][2]} candidates, {times[len(times) // 2]:.2f} s (median of {len(times)}, "
                  f"{times[0]:.2f} to {times[-1]:.2f}), {max(memory for _, memory, _ in rounds):.0f} MB at most")
        if len(seen) == 2:
            first, second = (sorted(s for s, _, _ in rounds)[len(rounds) // 2] for rounds in seen.values())
            print(f"all regions to shipped prices: {second / first:.2f}x")


if __name__ == "__main__":
    main()
