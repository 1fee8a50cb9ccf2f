"""What the benches of the ladder share: a data set, and profiles of emulated machines."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

STALLSCOPE = str(pathlib.Path(os.environ.get("STALLSCOPE_BUILD", pathlib.Path(__file__).parents[2] / "build")) / "stallscope")
WORKLOAD = ["--model", "resnet18", "--image-size", "64", "--batch", "8", "--nproc-per-node", "1"]
RUNGS = ("solo", "crowd", "node", "cluster", "warm", "cold")
STALLS = ("compute", "interconnect", "network", "prep", "fetch")


class Lab:
    """A folder with data, and profiles in it; gone at the end."""

    def __init__(self, images=3000):
        self._folder = tempfile.TemporaryDirectory(prefix="stallscope-bench-", dir="/var/tmp")
        self.folder = pathlib.Path(self._folder.name)
        self.data = self.folder / "data"
        subprocess.run([STALLSCOPE, "dataset", "make", self.data, "--images", str(images), "--quiet"], check=True)
        self._runs = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def profile(self, *flags, bandwidth="1Gbit"):
        """The document, and the folder of the run."""
        self._runs += 1
        out = self.folder / f"run{self._runs}"
        command = [STALLSCOPE, "profile", *WORKLOAD, "--emulate", f"nodes=2,bandwidth={bandwidth}",
                   "--no-store", "--quiet", "--out", str(out), *map(str, flags)]
        begin = time.monotonic()
        subprocess.run(command, check=True)
        document = json.loads((out / "profile.json").read_text())
        document["wall_s"] = time.monotonic() - begin
        return document, out

    def profile_with_data(self, *flags):
        return self.profile("--data", self.data, *flags)


def say(text):
    print(text, file=sys.stderr, flush=True)


def seconds(estimate):
    half = (estimate["high"] - estimate["low"]) / 2
    return f"{1e3 * estimate['mean']:.1f} ± {1e3 * half:.1f} ms"


def spread(values):
    """Standard deviation over repeats."""
    return statistics.stdev(values)
