#!/usr/bin/python3
"""Our loader against PyTorch's DataLoader with torchvision's ImageFolder, and against a bare JPEG decode.

All sides read the same files with the same transforms (random-resized-crop to 224 pixels, flip, normalise),
in short blocks that come in random order round by round, so that drift hits all alike. Files are in memory.
Ratios are those of mean times, with 95 % intervals from a bootstrap over rounds. Needs a build with
-DSTALLSCOPE_BENCH=ON, and two idle cores.

    bench/loader/compare.py [--rounds 20] [--data DIR] [--memory] [--listing] [--json FILE]
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
BUILD = pathlib.Path(os.environ.get("STALLSCOPE_BUILD", HERE.parents[1] / "build"))
STALLSCOPE = str(BUILD / "stallscope")
IMAGES, SAMPLES, RESAMPLES = 2000, 256, 4000
LISTED = 100_000


class Side:
    """A program that answers every line with seconds."""

    def __init__(self, argv):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, order):
        self.process.stdin.write(f"{order}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ratio_interval(numerators, denominators, generator):
    count = len(numerators)
    ratios = []
    for _ in range(RESAMPLES):
        chosen = [generator.randrange(count) for _ in range(count)]
        ratios.append(sum(numerators[i] for i in chosen) / sum(denominators[i] for i in chosen))
    ratios.sort()
    return sum(numerators) / sum(denominators), ratios[int(0.025 * RESAMPLES)], ratios[int(0.975 * RESAMPLES) - 1]


def compare_speed(data, rounds, generator):
    ours = Side([str(BUILD / "loader_bench"), data])
    torch = Side(["/usr/bin/python3", str(HERE / "torch_loader.py"), data])
    assert torch.process.stdout.readline() == "ready\n"
    blocks = {
        "torch": lambda: torch.ask(SAMPLES),
        "ours": lambda: ours.ask(f"load 1 {SAMPLES}"),
        "ours, two workers": lambda: ours.ask(f"load 2 {SAMPLES}"),
        "bare decode": lambda: ours.ask(f"bare {SAMPLES}"),
    }
    for block in blocks.values():  # fills the page cache, starts workers
        block()
    times = {name: [] for name in blocks}
    for number in range(rounds):
        names = list(blocks)
        generator.shuffle(names)
        for name in names:
            times[name].append(blocks[name]())
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
    ours.close()
    torch.close()
    rates = {name: SAMPLES / statistics.fmean(values) for name, values in times.items()}
    ratios = {
        "ours to DataLoader, one worker each": (ratio_interval(times["torch"], times["ours"], generator), 2.5),
        "ours to bare full decode, one thread": (ratio_interval(times["bare decode"], times["ours"], generator), 0.9),
        "two workers to one": (ratio_interval(times["ours"], times["ours, two workers"], generator), 1.8),
    }
    return rates, ratios


def link_images(source, folder, count):
    """`count` images in `folder`: hard links to those of `source`."""
    images = sorted(pathlib.Path(source).glob("class_*/*.jpg"))
    for i in range(count):
        image = images[i % len(images)]
        target = folder / image.parent.name
        target.mkdir(parents=True, exist_ok=True)
        os.link(image, target / f"link_{i:07}.jpg")


def peak_memory(data):
    """Megabytes that one pass of the loader takes at most."""
    arguments = [STALLSCOPE, "dataset", "read", data, "--workers", "2", "--max-time", "10m", "--quiet"]
    pid = os.posix_spawn(STALLSCOPE, arguments, os.environ)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0
    return usage.ru_maxrss / 1024


def compare_memory(data, folder):
    link_images(data, folder / "few", 2000)
    link_images(data, folder / "many", 20000)
    return peak_memory(str(folder / "few")), peak_memory(str(folder / "many"))


def time_listing(data, folder):
    link_images(data, folder / "listed", LISTED)
    bench = Side([str(BUILD / "loader_bench"), data])
    times = [bench.ask(f"list {folder / 'listed'}") for _ in range(5)]
    bench.close()
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="default 20")
    parser.add_argument("--data", help="a folder of `stallscope dataset make` (default: a new one)")
    parser.add_argument("--memory", action="store_true", help="also peak memory, 20,000 against 2,000 images")
    parser.add_argument("--listing", action="store_true", help="also listing 100,000 files")
    parser.add_argument("--json", help="write the figures here")
    options = parser.parse_args()
    generator = random.Random(1)
    figures = {}
    with tempfile.TemporaryDirectory(dir=pathlib.Path(options.data).parent if options.data else None) as name:
        folder = pathlib.Path(name)
        data = options.data or str(folder / "photos")
        if not options.data:
            subprocess.run([STALLSCOPE, "dataset", "make", data, "--images", str(IMAGES)], check=True)
        if options.rounds:
            rates, ratios = compare_speed(data, options.rounds, generator)
            for name, rate in rates.items():
                print(f"{name}: {rate:.0f} samples/s")
            for name, ((mean, low, high), wanted) in ratios.items():
                print(f"{name}: {mean:.2f}x ({low:.2f} to {high:.2f}; wanted: {wanted} or more)")
            figures.update(samples_per_s=rates, ratios={name: value for name, (value, _) in ratios.items()})
        if options.memory:
            few, many = compare_memory(data, folder)
            print(f"peak memory: {few:.1f} MB for 2,000 images, {many:.1f} MB for 20,000: "
                  f"{100 * (many / few - 1):+.1f} % (wanted: within 5 %)")
            figures["peak_memory_mb"] = [few, many]
        if options.listing:
            seconds = time_listing(data, folder)
            print(f"{LISTED} files listed and shuffled in {seconds:.2f} s (wanted: under 2 s)")
            figures["listing_s"] = seconds
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


main()
