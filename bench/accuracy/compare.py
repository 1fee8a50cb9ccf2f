#!/usr/bin/python3
"""The accuracy lab: `stallscope profile --self-test` with several seeds, as one table.

Each seed has its own order of blocks, weights and samples. A cell is one stall of one injection; it counts as
found within 5 % of the baseline's step, or where its interval holds what arithmetic expects.

    bench/accuracy/compare.py [--seeds 1,2,3] [--max-time 6m] [--json FILE] [-- FLAGS OF PROFILE]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD = os.environ.get("STALLSCOPE_BUILD", pathlib.Path(__file__).parents[2] / "build")
STALLSCOPE = str(pathlib.Path(BUILD) / "stallscope")
WANTED = 0.95


def self_test(seed, max_time, flags):
    with tempfile.TemporaryDirectory(prefix="stallscope-bench-", dir="/var/tmp") as folder:
        command = [STALLSCOPE, "profile", "--self-test", "--seed", str(seed), "--max-time", max_time, "--json", "-",
                   "--out", f"{folder}/out", *flags]
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if result.returncode not in (0, 4):  # 4: it ran to its end, and missed cells
            sys.exit(f"the self-test of seed {seed} ended with exit code {result.returncode}")
        return json.loads(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--max-time", default="6m", help="of each seed (default 6m)")
    parser.add_argument("--json", help="write the documents here")
    parser.add_argument("flags", nargs="*", help="for stallscope profile, after --")
    options = parser.parse_args()
    documents = {seed: self_test(seed, options.max_time, options.flags) for seed in options.seeds.split(",")}
    cells = found = 0
    for seed, document in documents.items():
        print(f"seed {seed}: {document['rounds']} rounds, baseline step "
              f"{1e3 * document['baseline_step_time_s']:.1f} ms, {100 * document['passed_share']:.1f} % found")
    first = next(iter(documents.values()))
    for number, injection in enumerate(first["injections"]):
        print(f"\n{injection['name']}: {injection['what']}\n  {injection['arithmetic']}")
        print(f"  {'stall':<15}" + "".join(f"{'expected':>11}{'measured':>11}{'off':>8}{'±':>7}  " for _ in documents))
        for place, cell in enumerate(injection["cells"]):
            row = f"  {cell['stall']:<15}"
            for document in documents.values():
                here = document["injections"][number]["cells"][place]
                miss = here["miss"]
                cells += 1
                found += here["passed"]
                row += (f"{1e3 * here['expected_s']:>8.1f} ms{1e3 * here['measured_s']['mean']:>8.1f} ms"
                        f"{100 * miss['mean']:>+7.1f}%{50 * (miss['high'] - miss['low']):>6.1f}%"
                        f"{'  ' if here['passed'] else ' !'}")
            print(row)
    print(f"\n{found} of {cells} cells found: {100 * found / cells:.1f} % (wanted: {100 * WANTED:.0f} %)")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(documents, indent=2) + "\n")
    return 0 if found >= WANTED * cells else 1


sys.exit(main())
