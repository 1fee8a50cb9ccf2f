#!/usr/bin/python3
"""The network stall between two rates must grow as the wire time does.

Overlap hides a part of the wire time, and `node` communicates already; but what a slower wire adds is not
hidden. Two ranks each send their gradients once, in frames of 1514 bytes that carry 1448.

    bench/ladder/growth.py [--max-time 2m] [--json FILE]
"""

import argparse
import json
import pathlib
import sys

from profiles import Lab, say, seconds

RATES = {"1Gbit": 1e9, "500Mbit": 500e6, "200Mbit": 200e6}
WITHIN = 0.10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max-time", default="2m", help="at each rate (default 2m)")
    parser.add_argument("--json", help="write the figures here")
    options = parser.parse_args()
    stalls, wires = {}, {}
    with Lab(images=10) as lab:
        for rate, bits in RATES.items():
            document = lab.profile("--conditions", "node,cluster", "--max-time", options.max_time,
                                      "--tolerance", "1%", bandwidth=rate)
            stalls[rate] = document["stalls"]["network"]["seconds"]
            wires[rate] = document["workload"]["gradient_bytes"] * 1514 / 1448 * 8 / bits
            say(f"{rate}: network stall {seconds(stalls[rate])}, wire time {1e3 * wires[rate]:.1f} ms")
    rows, rates, good = [], list(RATES), True
    for slow, fast in (("500Mbit", "1Gbit"), ("200Mbit", "500Mbit"), ("200Mbit", "1Gbit")):
        stall = stalls[slow]["mean"] - stalls[fast]["mean"]
        wire = wires[slow] - wires[fast]
        ratio = stall / wire
        good = good and abs(ratio - 1) <= WITHIN
        rows.append({"from": fast, "to": slow, "stall_s": stall, "wire_s": wire, "ratio": ratio})
        print(f"{fast} to {slow}: the stall grows by {1e3 * stall:.1f} ms, the wire time by {1e3 * wire:.1f} ms: "
              f"{ratio:.3f}x")
    print(f"wanted: within {100 * WITHIN:.0f} % of 1")
    if options.json:
        pathlib.Path(options.json).write_text(
            json.dumps({"stalls_s": {rate: stalls[rate] for rate in rates}, "wire_s": wires, "growth": rows}, indent=2)
            + "\n")
    return 0 if good else 1


sys.exit(main())
