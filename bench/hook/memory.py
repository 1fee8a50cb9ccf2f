#!/usr/bin/python3
"""Does memory stay flat when `run --observe` watches a long run? The rank's, the command's, and the files it writes.

    bench/hook/memory.py [--steps 20000] [--json FILE]
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
STALLSCOPE = str(pathlib.Path(os.environ.get("STALLSCOPE_BUILD", HERE.parents[1] / "build")) / "stallscope")
PYTHON = "/usr/bin/python3"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--json", help="write the figures here")
    options = parser.parse_args()
    told = [str(options.steps // 10), str(options.steps // 2), str(options.steps)]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        command = [STALLSCOPE, "run", "--observe", "--python", PYTHON, "--nproc-per-node", "2", "--quiet", "--out", str(out),
                   "--", str(HERE / "many_steps.py"), *told]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        sizes = {str(path.relative_to(out)): path.stat().st_size for path in out.rglob("*") if path.is_file()}
        seen = json.loads((out / "observation.json").read_text())
    figures = {"steps": seen["steps"], "hook_share": seen["hook"]["share"]["mean"],
               "step_s": seen["step_time_s"]["mean"], "bytes": sizes, "resident_kb": {}}
    for line in text.splitlines():
        if line.startswith("memory "):
            step, rank, parent = map(int, line.split()[1:])
            figures["resident_kb"][step] = {"rank": rank, "command": parent}
            print(f"after {step:>6} steps: rank {rank / 1024:.1f} MiB, command {parent / 1024:.1f} MiB")
    first, last = (figures["resident_kb"][int(told[place])] for place in (0, -1))
    for who in ("rank", "command"):
        wanted = " (wanted: at most 1.02)" if who == "rank" else " (it reads what ranks wrote in 10 s at once)"
        print(f"{who}, last to first: {last[who] / first[who]:.3f}x{wanted}")
    print(f"steps of {1e3 * figures['step_s']:.2f} ms, of which the hook's own calls {100 * figures['hook_share']:.2f} %")
    for name, size in sorted(sizes.items()):
        print(f"{name}: {size / 1024:.0f} KiB")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


main()
