#!/usr/bin/python3
"""The same profile several times: does each stall's interval hold the grand mean?

A 95 % interval should, in 19 of 20 repeats; what drifts between runs is in no interval of a single one.

    bench/ladder/repeat.py [--repeats 5] [--max-time 3m] [--json FILE]
"""

import argparse
import json
import pathlib
import statistics
import sys

from profiles import STALLS, Lab, say, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--max-time", default="3m", help="of each profile (default 3m)")
    parser.add_argument("--json", help="write the figures here")
    options = parser.parse_args()
    documents = []
    with Lab() as lab:
        for repeat in range(options.repeats):
            # Other repeats, other orders of blocks: what an order does must not come back in every run.
            document = lab.profile_with_data("--max-time", options.max_time, "--seed", repeat + 1)
            documents.append(document)
            step = document["step_time_s"]["mean"]
            widest = max(document["stalls"][name]["share"]["high"] - document["stalls"][name]["share"]["low"]
                         for name in STALLS) / 2
            say(f"repeat {repeat + 1}: step {1e3 * step:.1f} ms, {document['rounds']}, stopped by "
                f"{document['stopped_by']} after {document['wall_s']:.0f} s, widest half-width {100 * widest:.1f} %")
    figures, enough = {}, True
    print(f"{'stall':<14}{'grand mean':>12}  held by  " + "  ".join(f"repeat {i + 1:<9}" for i in range(len(documents))))
    for name in STALLS:
        estimates = [document["stalls"][name]["seconds"] for document in documents]
        grand = statistics.fmean(estimate["mean"] for estimate in estimates)
        held = sum(estimate["low"] <= grand <= estimate["high"] for estimate in estimates)
        enough = enough and held >= 0.8 * len(estimates)
        figures[name] = {"grand_mean_s": grand, "held": held, "repeats": estimates}
        print(f"{name:<14}{1e3 * grand:>9.1f} ms  {held} of {len(estimates)}   " +
              "  ".join(f"{seconds(estimate):<16}" for estimate in estimates))
    print("wanted: every stall's grand mean held by at least 4 of 5")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")
    return 0 if enough else 1


sys.exit(main())
