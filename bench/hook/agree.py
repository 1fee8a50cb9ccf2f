#!/usr/bin/python3
"""The same network and data through `run` (PyTorch in Python) and through `profile` (our engine): do the stalls agree?

    bench/hook/agree.py [--max-time 4m] [--json FILE]
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
STALLSCOPE = str(pathlib.Path(os.environ.get("STALLSCOPE_BUILD", ROOT / "build")) / "stallscope")
STALLS = ("compute", "interconnect", "prep", "fetch")
WITHIN = 0.10


def document(folder, name, *words):
    command = [STALLSCOPE, words[0], "--no-store", "--quiet", "--out", f"{folder}/{name}", *map(str, words[1:])]
    subprocess.run(command, check=True)
    return json.loads(pathlib.Path(folder, name, "profile.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max-time", default="4m", help="of each side (default 4m)")
    parser.add_argument("--json", help="write the figures here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stallscope-bench-", dir="/var/tmp") as folder:
        data = f"{folder}/data"
        subprocess.run([STALLSCOPE, "dataset", "make", data, "--images", "2000", "--quiet"], check=True)
        flags = ["--nproc-per-node", 2, "--max-time", options.max_time]
        ours = document(folder, "profile", "profile", "--model", "resnet18", "--image-size", 64, "--batch", 8, "--classes",
                        10, "--workers", 1, "--data", data, *flags)
        theirs = document(folder, "run", "run", "--python", "/usr/bin/python3", *flags, "--", ROOT / "examples/images.py",
                          "--data", data, "--image-size", 64, "--batch", 8, "--workers", 1)
    step = ours["step_time_s"]["mean"]
    print(f"{'stall':<14}{'profile':>12}{'run':>12}{'apart':>9}   of a step of {1e3 * step:.0f} ms")
    figures = {}
    for name in STALLS:
        a, b = (side["stalls"][name]["seconds"]["mean"] for side in (ours, theirs))
        figures[name] = {"profile_s": a, "run_s": b, "apart": (b - a) / step}
        print(f"{name:<14}{1e3 * a:>9.1f} ms{1e3 * b:>9.1f} ms{100 * (b - a) / step:>+8.1f}%")
    worst = max(abs(figure["apart"]) for figure in figures.values())
    print(f"worst: {100 * worst:.1f} % (wanted: at most {100 * WITHIN:.0f} %)")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


main()
