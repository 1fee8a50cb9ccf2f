"""What the benches of the ladder share: a data set, and profiles of emulated machines."""

import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("STALLSCOPE_BUILD", pathlib.Path(__file__).parents[2] / "build")
STALLSCOPE = str(pathlib.Path(BUILD) / "stallscope")
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
        """The document of a run."""
        out, wall_s = self._run(flags, bandwidth, check=True)
        document = json.loads((out / "profile.json").read_text())
        document["wall_s"] = wall_s
        return document

    def profile_with_data(self, *flags):
        return self.profile("--data", self.data, *flags)

    def steps_with_data(self, *flags):
        """Every counted step's time, also of a run that was too short for a document; and the time it all took."""
        out, wall_s = self._run(["--data", self.data, *flags], "1Gbit", check=False)
        with open(out / "steps.csv", newline="") as file:
            return [float(row["total_s"]) for row in csv.DictReader(file) if row["counted"] == "1"], wall_s

    def _run(self, flags, bandwidth, check):
        self._runs += 1
        out = self.folder / f"run{self._runs}"
        command = [STALLSCOPE, "profile", *WORKLOAD, "--emulate", f"nodes=2,bandwidth={bandwidth}",
                   "--no-store", "--quiet", "--out", str(out), *map(str, flags)]
        begin = time.monotonic()
        subprocess.run(command, check=check)
        return out, time.monotonic() - begin


def say(text):
    print(text, file=sys.stderr, flush=True)


def seconds(estimate):
    half = (estimate["high"] - estimate["low"]) / 2
    return f"{1e3 * estimate['mean']:.1f} ± {1e3 * half:.1f} ms"


def spread(values):
    """Standard deviation over repeats."""
    return statistics.stdev(values)
