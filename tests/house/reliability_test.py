"""docs/reliability.md is the page of the tests of faults: it knows all of them, and no others."""

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import SOURCE  # noqa: E402


class Reliability(unittest.TestCase):
    def test_every_fault_that_is_tested_has_its_row(self):
        tested = set()
        for file in (SOURCE / "tests/faults").glob("*_test.py"):
            tested |= set(re.findall(r'self\.record\("([^"]+)"', file.read_text()))
        page = (SOURCE / "docs/reliability.md").read_text()
        rows = set(re.findall(r"^\| ([^|]+?) \|", page.split("## Soak")[0], re.MULTILINE)) - {"fault", "---"}
        self.assertGreater(len(tested), 15)
        self.assertEqual(rows, tested, "run the tests of faults, then scripts/reliability.py")


if __name__ == "__main__":
    unittest.main()
