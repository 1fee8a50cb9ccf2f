"""`stallscope probe` whose ranks die: the card keeps what was measured beside them."""

import json
import pathlib
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import CommandTest, send_signal  # noqa: E402


class ProbeFaults(CommandTest):
    def test_a_rank_that_dies_costs_the_all_reduces_and_not_the_card(self):
        process = self.start(["probe", "--only", "decode,collectives", "--nproc-per-node", "2", "--max-time", "14s",
                              "--out", "card", "--no-store"])
        # The rounds of the first half come before the all-reduces, which announce themselves.
        for line in process.stderr:
            if line.startswith("all-reduce of 2 ranks"):
                break
        ranks = self.engine_processes()
        self.assertEqual(len(ranks), 2)
        send_signal(ranks[1], signal.SIGKILL)
        result = self.finish(process)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("rank 1", result.stderr)
        card = json.loads((self.folder / "card" / "machine.json").read_text())
        self.assertEqual((card["stopped_by"], card["collectives"]), ("failure", []))
        self.assertGreaterEqual(card["rounds"], 2)
        self.assertEqual(card["absent"][-1]["part"], "collectives")
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
