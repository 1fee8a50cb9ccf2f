"""`report --trace`: slices nest or do not touch, totals are the document's, and clocks lie on each other."""

import collections
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from made_run import BUCKET_BYTES, MadeRun  # noqa: E402
from support import SOURCE, CommandTest  # noqa: E402

GOLDEN = SOURCE / "tests" / "golden" / "profile-full.json"
PARTS = {
    "data wait": "data_wait_s",
    "copy": "copy_s",
    "forward": "forward_s",
    "backward": "backward_s",
    "exposed communication": "exposed_communication_s",
    "optimizer": "optimizer_s",
}


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def slices_by_track(events):
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            begin = nanoseconds(event["ts"])
            tracks[event["pid"], event["tid"]].append((begin, begin + nanoseconds(event["dur"]), event))
    return tracks


def first_overlap(slices):
    """The first two slices that touch without one holding the other; nothing where there are none."""
    open_slices = []
    for begin, end, event in sorted(slices, key=lambda slice: (slice[0], -slice[1])):
        while open_slices and open_slices[-1][1] <= begin:
            open_slices.pop()
        if open_slices and end > open_slices[-1][1]:
            return open_slices[-1], (begin, end, event)
        open_slices.append((begin, end, event))
    return None


class Trace(CommandTest):
    def trace(self, run):
        folder = run.write(self.folder / "run", GOLDEN)
        result = self.run_command(["report", str(folder), "--trace", "trace.json"])
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads((self.folder / "trace.json").read_text()), json.loads((folder / "profile.json").read_text())

    def test_the_checker_sees_an_overlap(self):
        a, b, c = (0, 10, "a"), (2, 5, "b"), (8, 12, "c")
        self.assertIsNone(first_overlap([a, b]))
        self.assertEqual(first_overlap([a, b, c]), (a, c))

    def test_slices_of_one_track_nest_or_do_not_touch(self):
        trace, _ = self.trace(MadeRun())
        tracks = slices_by_track(trace["traceEvents"])
        # Four ranks: steps, loader and each bucket have a track of their own.
        self.assertEqual(len(tracks), 4 * (2 + len(BUCKET_BYTES)))
        for track, slices in tracks.items():
            self.assertIsNone(first_overlap(slices), track)

    def test_every_track_has_a_name(self):
        trace, _ = self.trace(MadeRun())
        named = {(e["pid"], e["tid"]) for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"}
        self.assertEqual(named, set(slices_by_track(trace["traceEvents"])))
        processes = {e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "process_name"}
        self.assertIn("rank 3 (machine 1)", processes)
        self.assertIn("machine 1: resources", processes)

    def test_totals_are_the_documents(self):
        run = MadeRun()
        trace, document = self.trace(run)
        totals = collections.defaultdict(lambda: [0, 0])
        parts = collections.defaultdict(int)
        for slices in slices_by_track(trace["traceEvents"]).values():
            step = None
            for begin, end, event in sorted(slices, key=lambda slice: (slice[0], -slice[1])):
                if event["tid"] != 1:
                    continue
                if event["name"] == "step":
                    step = event["args"]
                    if step["counts"]:
                        totals[step["condition"]][0] += end - begin
                        totals[step["condition"]][1] += 1
                elif event["name"] in PARTS and step["counts"]:
                    parts[step["condition"], event["name"]] += end - begin
        self.assertEqual(set(totals), set(document["conditions"]))
        for rung, condition in document["conditions"].items():
            total, count = totals[rung]
            # solo runs on one rank at a time, the others on four.
            self.assertEqual(count, condition["steps"] * (1 if rung == "solo" else run.ranks), rung)
            # Each end is rounded to a nanosecond.
            self.assertAlmostEqual(total / count / 1e9, condition["step_time_s"]["mean"], delta=2e-9, msg=rung)
            for name, field in PARTS.items():
                self.assertAlmostEqual(parts[rung, name] / count / 1e9, condition["parts"][field], delta=4e-9, msg=f"{rung} {name}")

    def test_a_polluted_round_and_a_repeated_block_do_not_count(self):
        run = MadeRun(rounds=4)
        folder = run.write(self.folder / "run", GOLDEN)
        lines = (folder / "steps.csv").read_text().splitlines()
        # Round 3 is disturbed in one block of it; round 2 measured `node` twice.
        polluted = [line[:-1] + "1" if line.startswith("3,cold,") else line for line in lines]
        again = [line.replace("2,node,", "2,node,9", 1) for line in lines if line.startswith("2,node,")]
        (folder / "steps.csv").write_text("\n".join(polluted + again) + "\n")
        self.run_command(["report", str(folder), "--trace", "trace.json"])
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        counting = [e["args"] for e in events if e["ph"] == "X" and e["pid"] == 1 and e.get("args", {}).get("counts") and "round" in e["args"]]
        self.assertEqual({block["round"] for block in counting}, {0, 1, 2})
        nodes = [e for e in events if e["ph"] == "X" and e["name"] == "node" and e["pid"] == 1 and e["args"]["round"] == 2]
        self.assertEqual([e["args"]["counts"] for e in nodes], [False, True])

    def test_clocks_of_different_machines_lie_on_each_other_within_the_error_that_is_told(self):
        trace, _ = self.trace(MadeRun(clock_ahead_s=5.25))
        (clock,) = trace["otherData"]["clocks"]
        self.assertEqual(clock["machine"], 1)
        self.assertLessEqual(abs(clock["ahead_of_machine_0_s"] - 5.25), clock["error_s"])
        begins = {}
        for (process, track), slices in slices_by_track(trace["traceEvents"]).items():
            if track == 1:
                begins[process] = [begin for begin, _, event in slices if event["name"] in ("cluster", "warm", "cold")]
        # Blocks begin at the same moment on all ranks.
        for first, other in zip(begins[1], begins[4]):
            self.assertLess(abs(first - other) / 1e9, clock["error_s"])

    def test_machines_on_one_host_share_a_clock(self):
        trace, _ = self.trace(MadeRun())
        self.assertEqual(trace["otherData"]["clocks"], [])

    def test_what_is_no_run_has_no_trace(self):
        machine = str(SOURCE / "tests" / "golden" / "machine.json")
        self.assert_one_error(self.run_command(["report", machine, "--trace", "t.json"]), "is a machine", "--out folder", code=1)
        self.assert_one_error(self.run_command(["report", str(GOLDEN), "--trace", "t.json"]), "no steps.csv", "--out folder", code=1)
        self.assertEqual(list(self.folder.glob("t.json*")), [])

    def test_a_broken_row_is_named_by_its_line(self):
        folder = MadeRun(rounds=2).write(self.folder / "run", GOLDEN)
        lines = (folder / "steps.csv").read_text().splitlines()
        cells = lines[5].split(",")
        cells[13] = "quick"
        lines[5] = ",".join(cells)
        (folder / "steps.csv").write_text("\n".join(lines) + "\n")
        self.assert_one_error(self.run_command(["report", str(folder), "--trace", "t.json"]), "line 6", "folder", code=1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
