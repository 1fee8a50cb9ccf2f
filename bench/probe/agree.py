#!/usr/bin/python3
"""Does the machine card agree with fio on the same file, and with a program that measures by STREAM's rules?

Both sides take turns, many times; the ratio is that of the means over turns, with a 95 % interval by bootstrap. A turn
of the disk has four blocks of a quarter of a second of every kind on each side, because virtual disks change their speed
from second to second, and the first does not count. Memory, after that, is compared twice: the mean over passes, and
the best pass, which STREAM reports.

A request into pages that are neighbours is one for a virtual disk, into others it is many: up to three times as slow.
fio's memory has whatever pages the kernel gives it. Both sides read into scattered ones here (fio into a file in
/dev/shm that was written in random order); "fio's own memory" is the same without that, and is not judged.

    bench/probe/agree.py [--turns 12] [--file FILE] [--json FILE]

FILE: at least 1 GB on the disk in question (default: one is made below /var/tmp and removed). Needs fio, and g++ with
OpenMP.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).parents[2]
STALLSCOPE = SOURCE / "build" / "stallscope"
# As the card's reads are named: pattern, request, depth, and what fio calls them.
READS = [("sequential", 1 << 20, 1), ("sequential", 1 << 20, 8), ("sequential", 1 << 17, 8), ("random", 1 << 17, 8),
         ("random", 4096, 1), ("random", 4096, 16)]
# A card of the shortest length has four rounds with a block of this length each.
ROUNDS, BLOCK = 4, "250ms"
TRIAD_BLOCK_S = 0.2
PAGE = 4096
OWN_MEMORY = "fio's own memory"


def say(text):
    print(text, file=sys.stderr, flush=True)


def probe(part, file, seed):
    """One short card with a single part."""
    out = subprocess.run([STALLSCOPE, "probe", "--only", part, "--data", file, "--max-time", "1s", "--no-store",
                          "--seed", str(seed), "--out", file.parent / f"{part}{seed}", "--json", "-", "--quiet"],
                         check=True, capture_output=True, text=True)
    card = json.loads(out.stdout)
    if part not in card:
        sys.exit(f"the card lacks a part: {card['absent']}")
    return card[part]


def scatter(memory, size):
    """A file in memory, whose pages were asked for in random order."""
    with memory.open("wb") as output:
        for page in random.sample(range(size // PAGE), size // PAGE):
            os.pwrite(output.fileno(), bytes(PAGE), page * PAGE)


def fio(file, pattern, request, depth, memory=None):
    """Bytes per second, past the page cache, with as many requests in flight."""
    engine = "libaio" if depth > 1 else "psync"
    # As the card's blocks do: from anywhere in the file, not always from its beginning.
    offset = random.randrange(file.stat().st_size // (2 << 20)) << 20 if pattern == "sequential" else 0
    into = []
    if memory:
        scatter(memory, depth * request + 16 * PAGE)  # fio wants a little more than it reads into
        into = [f"--iomem=mmapshared:{memory}"]
    out = subprocess.run(["fio", "--name=peer", f"--filename={file}", "--readonly", "--direct=1",
                          f"--rw={'randread' if pattern == 'random' else 'read'}", f"--bs={request}",
                          f"--iodepth={depth}", f"--ioengine={engine}", f"--offset={offset}", "--time_based",
                          f"--runtime={BLOCK}", "--output-format=json", *into],
                         check=True, capture_output=True, text=True)
    return json.loads(out.stdout)["jobs"][0]["read"]["bw_bytes"]


def stream(program, array_bytes, threads, passes_of_a_round):
    """Bytes per second of every pass. Cores differ: one thread takes them in turn, as rounds of the card do."""
    cores = sorted(os.sched_getaffinity(0))
    turns = collections.Counter(f"{{{cores[i % len(cores)]}}}" for i in range(ROUNDS)) if threads == 1 else {"cores": ROUNDS}
    rates = []
    for places, count in turns.items():
        out = subprocess.run([program, str(array_bytes), str(count * passes_of_a_round)],
                             check=True, capture_output=True, text=True,
                             env={"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true", "OMP_PLACES": places})
        rates += [float(line) for line in out.stdout.split()]
    return rates


def read_with_probe(file, turn, ours, _):
    for reads in probe("disk", file, turn)["reads"]:
        key = (reads["pattern"], reads["request_bytes"], reads["depth"])
        for peer in (key, (*key, OWN_MEMORY)):
            ours.setdefault(peer, []).append(reads["bytes_per_s"]["mean"])


def read_with_fio(file, _, __, theirs):
    blocks = {key: [] for read in READS for key in (read, (*read, OWN_MEMORY))}
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="stallscope-bench-") as folder:
        scattered = pathlib.Path(folder) / "pages"
        for _ in range(ROUNDS):
            for key in random.sample(sorted(blocks, key=str), len(blocks)):
                blocks[key].append(fio(file, *key[:3], None if OWN_MEMORY in key else scattered))
    for key, rates in blocks.items():
        theirs.setdefault(key, []).append(statistics.fmean(rates))


def triads(peer, file, turn, ours, theirs):
    for name, triad in probe("memory", file, turn).items():
        # As many as the probe makes in one of its blocks.
        of_a_block = round(TRIAD_BLOCK_S * triad["bytes_per_s"]["mean"] / (3 * triad["array_bytes"]))
        passes = stream(peer, triad["array_bytes"], triad["threads"], max(1, of_a_block))
        for kind, mine, other in (("mean", triad["bytes_per_s"]["mean"], statistics.fmean(passes)),
                                  ("best", triad["best_bytes_per_s"], max(passes))):
            ours.setdefault((name, kind), []).append(mine)
            theirs.setdefault((name, kind), []).append(other)


def ratio(ours, theirs):
    """Ratio of means with a 95 % interval: turns are resampled, each side with its own turn."""
    rng = random.Random(1)
    ratios = sorted(
        statistics.fmean(ours[i] for i in turns) / statistics.fmean(theirs[i] for i in turns)
        for turns in ([rng.randrange(len(ours)) for _ in ours] for _ in range(4000)))
    return statistics.fmean(ours) / statistics.fmean(theirs), ratios[100], ratios[3899]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--file", type=pathlib.Path)
    parser.add_argument("--json")
    options = parser.parse_args()
    if not shutil.which("fio"):
        sys.exit("fio is not there: apt-get install fio")
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="stallscope-bench-") as folder:
        folder = pathlib.Path(folder)
        peer = folder / "stream_peer"
        subprocess.run(["g++", "-O3", "-fopenmp", SOURCE / "bench/probe/stream_peer.cpp", "-o", peer], check=True)
        file = folder / "reads"
        if options.file:
            file.symlink_to(options.file.resolve())
        else:
            with file.open("wb") as output:
                for _ in range(256):
                    output.write(random.randbytes(1 << 22))
                output.flush()
        subprocess.run(["sync", file], check=True)
        ours, theirs = {}, {}
        for turn in range(options.turns + 1):
            sides = [read_with_probe, read_with_fio]
            random.shuffle(sides)
            counts = (ours, theirs) if turn else ({}, {})
            for side in sides:
                side(file, turn + 1, *counts)
            say(f"disk: turn {turn} of {options.turns}")
        for turn in range(options.turns):
            triads(peer, file, turn + 1, ours, theirs)
            say(f"memory: turn {turn + 1} of {options.turns}")
    figures, all_near = {}, True
    print(f"{'what':<44}{'probe':>12}{'peer':>12}  ratio (95 %)")
    for key in ours:
        middle, low, high = ratio(ours[key], theirs[key])
        near = 0.9 <= middle <= 1.1 or OWN_MEMORY in key
        all_near = all_near and near
        name = " ".join(map(str, key))
        figures[name] = {"ratio": middle, "low": low, "high": high, "probe": ours[key], "peer": theirs[key]}
        print(f"{name:<44}{statistics.fmean(ours[key]) / 1e6:>7.0f} MB/s{statistics.fmean(theirs[key]) / 1e6:>7.0f} MB/s"
              f"  {middle:.3f} ({low:.3f} to {high:.3f}){'' if near else '  beyond 10 %'}")
    print("wanted: every ratio within 10 %")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")
    return 0 if all_near else 1


sys.exit(main())
