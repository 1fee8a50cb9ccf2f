#!/usr/bin/python3
"""Draws data/ from the tables of facts that lie beside the checkout.

    scripts/catalog/make_catalog.py [--from ../shared/data/catalog] [--to data]

What is written by hand (data/own/) is left alone. Needs python3-numpy. Says what it leaves out, and why.
"""

import argparse
import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import allreduce  # noqa: E402
import gpus  # noqa: E402
import machines  # noqa: E402
import topologies  # noqa: E402
from sources import Sources  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path, columns, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{path}: {len(rows)} rows")


CURVE_COLUMNS = (
    "curve,system,machine,gpu,gpus,nodes,collective,transport,transport_listed,latency_us,latency_low_us,"
    "latency_high_us,from_bytes,to_bytes,intercept_us,busbw_gbs,busbw_low_gbs,busbw_high_gbs,points,fit_error,"
    "source,unverified,note"
).split(",")
THRESHOLD_COLUMNS = "threshold,gpus,nodes,transport,kind,bytes,busbw_gbs,source,note".split(",")
TOPOLOGY_COLUMNS = "topology,from,to,kind,links,gbs_one_way,source,unverified,note".split(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="origin", type=pathlib.Path, default=ROOT.parent / "shared/data/catalog")
    parser.add_argument("--to", type=pathlib.Path, default=ROOT / "data")
    options = parser.parse_args()
    say = print
    sources = Sources()
    gpu_rows = gpus.draw(read(options.origin / "gpus.csv"), sources)
    seen = {row["instance"]: row for row in read(options.origin / "aws_measured_hw.csv")}
    machine_rows, price_rows = machines.draw(read(options.origin / "instances.csv"), seen, sources)
    by_name = {row["machine"]: row for row in machine_rows}
    curves, thresholds = allreduce.draw(read(options.origin / "nccl_busbw.csv"), by_name, sources, say)
    topology_rows = topologies.draw(sources)
    write(options.to / "gpus.csv", gpus.COLUMNS, gpu_rows)
    write(options.to / "machines.csv", machines.COLUMNS, machine_rows)
    write(options.to / "prices.csv", machines.PRICE_COLUMNS, price_rows)
    write(options.to / "allreduce.csv", CURVE_COLUMNS, curves)
    write(options.to / "allreduce_thresholds.csv", THRESHOLD_COLUMNS, thresholds)
    write(options.to / "topologies.csv", TOPOLOGY_COLUMNS, topology_rows)
    write(options.to / "sources.csv", ["source", "where", "date"], sources.rows)


if __name__ == "__main__":
    main()
