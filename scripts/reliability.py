#!/usr/bin/python3
"""Writes docs/reliability.md out of what the tests of faults and the soak have left in reliability/ of the build folder.

    scripts/reliability.py [BUILD]        after: ctest --test-dir build -L faults, scripts/soak.py"""

import datetime
import json
import os
import pathlib
import sys

SOURCE = pathlib.Path(__file__).parents[1]
HEAD = """# Reliability

What happens when something goes wrong, as the tests have seen it. This page is written by `scripts/reliability.py` from
what `tests/faults` and `scripts/soak.py` measured; nothing in it is typed by hand.

`./test.sh` runs each fault once, at a moment that a seed picks. `STALLSCOPE_RUNGS=20 ctest --test-dir build -L faults`
runs each with twenty seeds. Each of these tests also looks whether the machine is as clean as before: processes, named
namespaces, network interfaces, cgroups, mounts, shared memory, temporary folders.

*Seconds* are from the fault to the end of the last command (for a run that goes on: until more steps were made), of the
slowest rung.

"""


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(rows):
    lines = ["| fault | promise | rungs | seconds | exit code | what was seen |", "|---|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda one: one["fault"].lower()):
        seconds = f"{row['seconds']:.1f}" if row["seconds"] else ""
        code = "" if row["exit_code"] is None else row["exit_code"]
        cells = (row["fault"], row["promise"], row["rungs"], seconds, code, row["said"])
        lines.append("| " + " | ".join(cell(one) for one in cells) + " |")
    return "\n".join(lines) + "\n"


def soak_text(soak):
    if soak is None:
        return "\n## Soak\n\n`scripts/soak.py` has not been run for this page.\n"
    faults = ", ".join(f"{name} {count}" for name, count in sorted(soak["faults"].items()))
    text = f"""
## Soak

`scripts/soak.py --minutes {soak['minutes']:g} --seed {soak['seed']}`: one run of {soak['rounds_of_the_steady_run']} rounds,
beside it {sum(soak['faults'].values())} runs that a fault ended ({faults}); the slowest end came after
{soak['slowest_end_s']:.1f} s; {len(soak['failures'])} did not end as they should.

| of the steady run | first third | last third | |
|---|---|---|---|
"""
    for name, unit, scale in (("memory_bytes", "MB", 1e6), ("descriptors", "", 1), ("processes", "", 1)):
        one = soak[name]
        verdict = "flat" if one["flat"] else "**grew**"
        text += f"| {name.split('_')[0]} | {one['first'] / scale:.0f} {unit} | {one['last'] / scale:.0f} {unit} | {verdict} |\n"
    return text + "".join(f"- {cell(failure)}\n" for failure in soak["failures"])


def main():
    build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE / "build"
    files = sorted((build / "reliability").glob("*.json"))
    if not files:
        sys.exit(f"error: there is nothing in {build}/reliability\n  try: ctest --test-dir {build} -L faults")
    rows = [json.loads(file.read_text()) for file in files if file.name != "soak.json"]
    soak = build / "reliability/soak.json"
    day = datetime.date.fromtimestamp(max(file.stat().st_mtime for file in files))
    where = f"Measured on {day}, on a machine with {os.cpu_count()} cores.\n\n"
    page = HEAD + where + table(rows) + soak_text(json.loads(soak.read_text()) if soak.exists() else None)
    (SOURCE / "docs/reliability.md").write_text(page)
    print(f"docs/reliability.md: {len(rows)} faults")


if __name__ == "__main__":
    main()
