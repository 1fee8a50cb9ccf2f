"""What the tests of faults share: runs that measure, moments that a seed picks, and the rows of docs/reliability.md.

Each fault runs once, with seed 0; STALLSCOPE_RUNGS=20 runs every fault with twenty seeds. What was seen goes to
reliability/ in the build folder; scripts/reliability.py makes the page out of it.
"""

import json
import os
import pathlib
import random
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from clean_machine import MachineState  # noqa: E402
from support import BUILD, ENDLESS, CommandTest, wait_until  # noqa: E402

# What the commands promise, from the fault to their end.
SECONDS_TO_END = 15
RUNGS = int(os.environ.get("STALLSCOPE_RUNGS", "1"))
ROWS = BUILD / "reliability"


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


class FaultTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.before = MachineState()
        self.random = random.Random(0)
        self.out = "out"

    def rungs(self):
        """One after another, each with a folder and a moment of its own."""
        for seed in range(RUNGS):
            self.random = random.Random(seed)
            self.out = f"out{seed}"
            yield seed

    def start_measuring(self, *flags, arguments=ENDLESS):
        """A run that has finished at least three rounds, at a moment that the seed picks."""
        process = self.start([*arguments, "--nproc-per-node", "2", "--no-store", "--out", self.out, *flags])
        self.await_rounds(process)
        return process

    def await_rounds(self, *processes):
        steps = self.folder / self.out / "steps.csv"

        def rounds():
            for process in processes:
                if process.poll() is not None:
                    raise AssertionError(process.communicate())
            return steps.exists() and any(line.startswith("3,") for line in steps.read_text().splitlines())

        wait_until(rounds, 120, "the fourth round")
        time.sleep(self.random.uniform(0, 0.5))

    def finish_in_time(self, process, begin=None):
        """The command's end, which must come soon after the fault, with nothing left behind."""
        begin = begin or time.monotonic()
        result = self.finish(process, 100)
        self.seconds = time.monotonic() - begin
        self.assertLess(self.seconds, SECONDS_TO_END, result.stderr)
        self.assert_nothing_left()
        return result

    def assert_nothing_left(self):
        super().assert_nothing_left()
        wait_until(lambda: not self.before.new_things(), 15, f"the removal of {self.before.new_things()}")

    def assert_rounds_kept(self, stopped_by):
        document = self.read_profile(self.out)
        self.assertGreaterEqual(document["rounds"]["kept"] + document["rounds"]["dropped"], 3)
        self.assertEqual(document["stopped_by"], stopped_by)
        return document

    def assert_resumes(self, arguments=ENDLESS, flags=("--nproc-per-node", "2")):
        """--resume goes on from the rounds that were kept, and ends as a run should."""
        before = sum(self.read_profile(self.out)["rounds"].values())
        again = [*arguments, *flags, "--no-store", "--resume", self.out, "--max-time", "8s"]
        result = self.run_command(again)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(sum(self.read_profile(self.out)["rounds"].values()), before)

    def record(self, fault, promise, result=None, seconds=None, seen=""):
        """A row of docs/reliability.md. Of several rungs, the slowest one stands there."""
        seconds = self.seconds if seconds is None and result is not None else seconds
        errors = [line for line in result.stderr.splitlines() if line.startswith("error:")] if result else []
        said = seen or (errors[0] if errors else "")
        row = {
            "fault": fault,
            "promise": promise,
            "rungs": 1,
            "seconds": seconds,
            "exit_code": result.returncode if result else None,
            "said": said.replace(str(self.folder), "."),
        }
        ROWS.mkdir(exist_ok=True)
        file = ROWS / f"{slug(fault)}.json"
        if self.out != "out0" and file.exists():
            earlier = json.loads(file.read_text())
            slower = max(earlier, row, key=lambda one: one["seconds"] or 0)
            row = {**slower, "rungs": earlier["rungs"] + 1}
        file.write_text(json.dumps(row, indent=2) + "\n")


__all__ = [name for name in dir() if not name.startswith("_")]
