#!/usr/bin/python3
"""The same probe ten times: does each quantity's interval hold the grand mean?

    bench/probe/stable.py [--repeats 10] [--max-time 60s] [--calm 10%] [--keep DIR] [--json FILE] [-- more flags of probe]

--calm: a probe during which the hypervisor took a larger share of the processors measured another machine. It is listed,
does not count, and another one is made, up to twice the repeats in all. 100% lets all count.
--keep: the cards stay there, and those of earlier runs count as well.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).parents[2]
STALLSCOPE = SOURCE / "build" / "stallscope"


def quantities(card, folder):
    """Every measured quantity: a card held against itself lists them all."""
    (folder / "card.json").write_text(json.dumps(card))
    out = subprocess.run([STALLSCOPE, "probe", "--card", folder / "card.json", "--expect", folder / "card.json",
                          "--json", "-"], check=True, capture_output=True, text=True)
    return {line["quantity"]: line["found"] for line in json.loads(out.stdout)["expectation"]["lines"]
            if line["basis"] == "measured"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--max-time", default="60s")
    parser.add_argument("--calm", default="10%")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--json")
    parser.add_argument("more", nargs="*")
    options = parser.parse_args()
    found, calm = {}, 0
    most_stolen = float(options.calm.rstrip("%")) / 100

    def count(card, folder):
        nonlocal calm
        stolen = card.get("steal_share") or 0
        if stolen > most_stolen:
            return f"does not count: {100 * stolen:.0f} % of the processors were taken by the hypervisor"
        for name, value in quantities(card, folder).items():
            found.setdefault(name, []).append(value)
        calm += 1
        return f"{card['rounds']} rounds, {100 * stolen:.0f} % taken by the hypervisor"

    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="stallscope-bench-") as folder:
        folder = pathlib.Path(folder)
        keep = options.keep or folder / "cards"
        keep.mkdir(parents=True, exist_ok=True)
        earlier = sorted(keep.glob("*.json"))
        for card in earlier:
            print(f"{card.name}: {count(json.loads(card.read_text()), folder)}", file=sys.stderr)
        for repeat in range(len(earlier), len(earlier) + 2 * options.repeats):
            if calm >= len(earlier) + options.repeats:
                break
            out = subprocess.run([STALLSCOPE, "probe", "--data", folder, "--max-time", options.max_time, "--no-store",
                                  "--seed", str(repeat + 1), "--out", folder / f"card{repeat}", "--json", "-", "--quiet",
                                  *options.more], check=True, capture_output=True, text=True)
            (keep / f"{repeat:03}.json").write_text(out.stdout)
            print(f"probe {repeat + 1}: {count(json.loads(out.stdout), folder)}", file=sys.stderr, flush=True)
    if not calm:
        sys.exit("no probe counts: the host is never calm (--calm 100% lets all count)")
    figures, enough = {}, True
    print(f"{'quantity':<32}{'grand mean':>12}{'half-width':>12}{'spread':>9}  held")
    for name, values in found.items():
        grand = statistics.fmean(value["mean"] for value in values)
        held = sum(value["low"] <= grand <= value["high"] for value in values)
        width = statistics.fmean((value["high"] - value["low"]) / 2 for value in values) / grand
        spread = statistics.stdev(value["mean"] for value in values) / grand
        enough = enough and held >= 0.8 * len(values)
        figures[name] = {"grand_mean": grand, "held": held, "probes": values}
        print(f"{name:<32}{grand:>12.4g}{100 * width:>10.1f} %{100 * spread:>7.1f} %  {held} of {len(values)}")
    print("wanted: each grand mean held by at least 8 of 10")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")
    return 0 if enough else 1


sys.exit(main())
