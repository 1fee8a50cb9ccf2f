#!/usr/bin/python3
"""Interleaved rounds against the peers' protocol, under a load that comes and goes.

The peers (DS-Analyzer and what was built on it) run one condition after another, each once, and subtract the
means. Here they get the same engine, machine and total time: six runs of one rung each, every step counted. Both
sides take turns; a process burns one core now and then, at times that do not depend on either side. The spread is
the standard deviation of a stall over the repeats, in shares of the mean step.

    bench/ladder/peers.py [--repeats 5] [--seconds 120] [--json FILE]
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import random
import statistics
import sys
import time

from profiles import RUNGS, Lab, say, spread

# Seconds of burning and of rest, drawn evenly between these.
BURNS, RESTS = (4, 12), (15, 45)
DIFFERENCES = {"compute": (None, "solo"), "interconnect": ("solo", "node"), "network": ("node", "cluster"),
               "prep": ("cluster", "warm"), "fetch": ("warm", "cold")}


def burn_now_and_then(seed):
    generator = random.Random(seed)
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(generator.uniform(*RESTS))
        end = time.monotonic() + generator.uniform(*BURNS)
        while time.monotonic() < end:
            pass


def ours(lab, seconds, seed):
    document = lab.profile_with_data("--tolerance", "0.01%", "--max-time", f"{seconds}s", "--seed", seed)
    say(f"  rounds {document['rounds']}")
    stalls = {name: document["stalls"][name]["seconds"]["mean"] for name in DIFFERENCES}
    return stalls, document["wall_s"]


def theirs(lab, seconds, seed):
    means, wall = {}, 0
    for rung in RUNGS:
        steps, seconds_here = lab.steps_with_data("--conditions", rung, "--tolerance", "0.01%", "--seed", seed,
                                                  "--max-time", f"{seconds / len(RUNGS):.0f}s")
        wall += seconds_here
        means[rung] = statistics.fmean(steps)
    return {name: means[to] - (means[below] if below else 0) for name, (below, to) in DIFFERENCES.items()}, wall


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=120, help="of measuring, a repeat and side (default 120)")
    parser.add_argument("--json", help="write the figures here")
    options = parser.parse_args()
    found = {"ours": [], "theirs": []}
    walls = {"ours": 0, "theirs": 0}
    load = multiprocessing.Process(target=burn_now_and_then, args=(1,), daemon=True)
    load.start()
    try:
        with Lab() as lab:
            for repeat in range(options.repeats):
                sides = [("ours", ours), ("theirs", theirs)]
                for name, side in sides if repeat % 2 == 0 else reversed(sides):
                    stalls, wall = side(lab, options.seconds, repeat + 1)
                    found[name].append(stalls)
                    walls[name] += wall
                    say(f"repeat {repeat + 1}, {name}: " +
                        ", ".join(f"{stall} {1e3 * value:.1f} ms" for stall, value in stalls.items()))
    finally:
        load.terminate()
        load.join()
    step = statistics.fmean(sum(stalls.values()) for side in found.values() for stalls in side)
    spreads = {side: {name: spread([stalls[name] for stalls in repeats]) / step for name in DIFFERENCES}
               for side, repeats in found.items()}
    print(f"{'stall':<14}{'ours':>10}{'theirs':>10}   spread over {options.repeats} repeats, of a step")
    for name in DIFFERENCES:
        print(f"{name:<14}{100 * spreads['ours'][name]:>8.1f} %{100 * spreads['theirs'][name]:>8.1f} %")
    overall = {side: statistics.fmean(values.values()) for side, values in spreads.items()}
    ratio = overall["ours"] / overall["theirs"]
    print(f"{'mean':<14}{100 * overall['ours']:>8.1f} %{100 * overall['theirs']:>8.1f} %   {ratio:.2f}x "
          "(wanted: at most 0.5x)")
    print(f"wall time: ours {walls['ours']:.0f} s, theirs {walls['theirs']:.0f} s")
    if options.json:
        pathlib.Path(options.json).write_text(
            json.dumps({"spreads": spreads, "ratio": ratio, "wall_s": walls, "found_s": found}, indent=2) + "\n")
    return 0 if ratio <= 0.5 else 1


sys.exit(main())
