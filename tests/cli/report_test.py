"""`stallscope report`: a finished document as text and as a page."""

import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import SOURCE, CommandTest  # noqa: E402

GOLDEN = SOURCE / "tests" / "golden"


class Report(CommandTest):
    def test_nothing_is_overwritten_without_force(self):
        golden = str(GOLDEN / "profile.json")
        (self.folder / "mine.html").write_text("mine")
        result = self.run_command(["report", golden, "--html", "mine.html"])
        self.assert_one_error(result, "--html mine.html exists already", "--force")
        self.assertEqual((self.folder / "mine.html").read_text(), "mine")
        self.assertEqual(self.run_command(["report", golden, "--html", "mine.html", "--force"]).returncode, 0)
        self.assertIn("<!doctype html>", (self.folder / "mine.html").read_text())

    def test_the_measurement_itself_is_never_overwritten(self):
        shutil.copy(GOLDEN / "profile.json", self.folder / "profile.json")
        result = self.run_command(["report", "profile.json", "--html", "profile.json", "--force"])
        self.assert_one_error(result, "is the document itself", "page.html")

    def test_a_folder_of_results_stands_for_its_document(self):
        (self.folder / "out").mkdir()
        self.assert_one_error(self.run_command(["report", "out"]), "holds no profile.json", "--out", code=1)
        shutil.copy(GOLDEN / "profile.json", self.folder / "out" / "profile.json")
        result = self.run_command(["report", "out"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("resnet18, batch 8 per device", result.stdout)
        self.assertIn("waits for the interconnect", result.stdout)

    def test_standard_output_holds_the_page_alone(self):
        golden = str(GOLDEN / "profile.json")
        result = self.run_command(["report", golden, "--html", "-"])
        self.assertTrue(result.stdout.startswith("<!doctype html>"))
        self.assertTrue(result.stdout.endswith("</html>\n"))
        self.assert_one_error(self.run_command(["report", golden, "--html", "-", "--json", "-"]), "both", "file")

    def test_what_is_no_profile_is_refused_and_leaves_nothing(self):
        (self.folder / "other.json").write_text('{"schema": "stallscope.nothing/1"}')
        for name, what in (("other.json", "stallscope.nothing/1"), ("none.json", "none.json")):
            result = self.run_command(["report", name, "--html", "new.html"])
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(what, result.stderr)
            self.assertFalse((self.folder / "new.html").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
