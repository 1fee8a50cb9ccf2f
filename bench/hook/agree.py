#!/usr/bin/python3
"""The same network and data through `run` (PyTorch in Python) and through `profile` (our engine): do the stalls agree?

    bench/hook/agree.py [--max-time 90s] [--turns 2] [--json FILE]

The same means: ResNet-18 with 10 classes, 64 px, 8 images a step and rank, SGD with momentum and without weight decay,
one thread a rank, one loader worker, and memory that glibc keeps instead of giving it back after each step (the
engine's way, and what a caching allocator does on a GPU; without it PyTorch's steps on a CPU are a fifth longer). The
photographs are small: of large ones PyTorch's loader takes several times longer than ours (bench/loader), and prep
would rightly differ. A machine drifts, so the two sides take turns.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
STALLSCOPE = str(pathlib.Path(os.environ.get("STALLSCOPE_BUILD", ROOT / "build")) / "stallscope")
KEEP_MEMORY = "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1000000000000:glibc.malloc.arena_max=1"
STALLS = ("compute", "interconnect", "prep", "fetch")
WITHIN = 0.10


def document(folder, name, *words):
    command = [STALLSCOPE, words[0], "--no-store", "--quiet", "--out", f"{folder}/{name}", *map(str, words[1:])]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "GLIBC_TUNABLES": KEEP_MEMORY})
    return json.loads(pathlib.Path(folder, name, "profile.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max-time", default="90s", help="of each run (default 90s)")
    parser.add_argument("--turns", type=int, default=2, help="of both sides (default 2)")
    parser.add_argument("--json", help="write the figures here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stallscope-bench-", dir="/var/tmp") as folder:
        data = f"{folder}/data"
        subprocess.run([STALLSCOPE, "dataset", "make", data, "--images", "2000", "--size", "160x120", "--classes", "10",
                        "--quiet"], check=True)
        flags = ["--nproc-per-node", 2, "--max-time", options.max_time, "--data", data]
        sides = {"profile": [], "run": []}
        for turn in range(options.turns):
            sides["profile"].append(document(
                folder, f"profile{turn}", "profile", "--model", "resnet18", "--image-size", 64, "--batch", 8, "--classes",
                10, "--workers", 1, *flags))
            sides["run"].append(document(
                folder, f"run{turn}", "run", "--python", "/usr/bin/python3", *flags, "--", ROOT / "examples/images.py",
                "--data", data, "--image-size", 64, "--batch", 8, "--workers", 1, "--weight-decay", 0))
    step = statistics.fmean(side["step_time_s"]["mean"] for side in sides["profile"])
    print(f"{'stall':<14}{'profile':>12}{'run':>12}{'apart':>9}   of a step of {1e3 * step:.0f} ms")
    figures = {}
    for name in STALLS:
        a, b = (statistics.fmean(side["stalls"][name]["seconds"]["mean"] for side in sides[which]) for which in sides)
        figures[name] = {"profile_s": a, "run_s": b, "apart": (b - a) / step}
        print(f"{name:<14}{1e3 * a:>9.1f} ms{1e3 * b:>9.1f} ms{100 * (b - a) / step:>+8.1f}%")
    worst = max(abs(figure["apart"]) for figure in figures.values())
    print(f"worst: {100 * worst:.1f} % (wanted: at most {100 * WITHIN:.0f} %)")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


main()
