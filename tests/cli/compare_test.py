"""`stallscope compare` and `stallscope store`: verdicts, exit codes, and what they say to bad input."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import CommandTest, SOURCE  # noqa: E402

GOLDEN = json.loads((SOURCE / "tests" / "golden" / "profile.json").read_text())


def around(mean, half_width):
    return {"mean": mean, "low": mean - half_width, "high": mean + half_width}


class Documents(CommandTest):
    def write(self, name, change=lambda document: None):
        document = json.loads(json.dumps(GOLDEN))
        change(document)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document))
        return name

    def slower(self, name, share, half_width=0.001):
        """The golden profile with a longer node step, all of it communication."""

        def change(document):
            extra = 0.34 * share
            document["conditions"]["node"]["step_time_s"] = around(0.34 + extra, half_width)
            document["step_time_s"] = around(0.34 + extra, half_width)
            for stall in (document["stalls"]["interconnect"], document["stalls"]["interconnect"]["communication"]):
                stall["seconds"] = around(stall["seconds"]["mean"] + extra, half_width)

        return self.write(name, change)


class Compare(Documents):
    def compared(self, *arguments, code=0):
        result = self.run_command(["compare", *arguments, "--json", "-"])
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout)

    def test_every_stall_has_a_verdict_and_an_interval(self):
        document = self.compared(self.write("a.json"), self.slower("b.json", 0.5))
        self.assertEqual(document["schema"], "stallscope.comparison/1")
        self.assertEqual(document["baseline"]["file"], "a.json")
        (other,) = document["others"]
        self.assertEqual((other["file"], other["total_of"]), ("b.json", "node"))
        self.assertAlmostEqual(other["total"]["relative"]["mean"], 0.5)
        self.assertLess(other["total"]["relative"]["low"], 0.5)
        self.assertEqual(other["total"]["verdict"], "worse")
        self.assertEqual(other["stalls"]["compute"]["verdict"], "indistinguishable")
        self.assertEqual(other["stalls"]["interconnect"]["communication"]["verdict"], "worse")
        self.assertNotIn("network", other["stalls"])
        self.assertEqual(other["notes"], [])

    def test_the_table_says_the_same_to_people(self):
        arguments = ["compare", self.slower("a.json", 0.5), self.write("b.json"), self.slower("c.json", 1)]
        result = self.run_command(arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("b.json is faster than a.json", result.stdout)
        self.assertIn("c.json is slower than a.json", result.stdout)
        self.assertNotIn("\x1b[", result.stdout)
        painted = self.run_command([*arguments, "--color", "always"])
        self.assertIn("\x1b[32mbetter", painted.stdout)
        self.assertEqual(self.run_command([*arguments, "--quiet"]).stdout, "")

    def test_a_folder_of_a_run_stands_for_its_profile(self):
        self.write("before/profile.json")
        self.slower("after/profile.json", 0.5)
        document = self.compared("before", "after/")
        self.assertEqual(document["others"][0]["total"]["verdict"], "worse")

    def test_other_workloads_are_noted(self):
        def change(document):
            document["workload"]["batch_per_device"] = 16

        document = self.compared(self.write("a.json"), self.write("b.json", change))
        self.assertEqual(document["others"][0]["notes"], ["The batch per device differs: 8 in a.json, 16 in b.json."])

    def test_the_threshold_is_missed_only_by_a_mean_above_it(self):
        self.write("a.json")
        # The baseline's half-width is 0.01 of 0.34, so 5 % is distinguishable and 2 % is not.
        self.slower("b.json", 0.05)
        missed = self.run_command(["compare", "a.json", "b.json", "--fail-if-slower", "3%"])
        self.assert_one_error(missed, "b.json is slower than a.json", "allow more", code=4)
        self.assertIn("worse", missed.stdout)
        self.assertEqual(self.run_command(["compare", "a.json", "b.json", "--fail-if-slower", "6%"]).returncode, 0)
        self.assertEqual(self.run_command(["compare", "a.json", "b.json"]).returncode, 0)
        self.assertEqual(self.run_command(["compare", "b.json", "a.json", "--fail-if-slower", "3%"]).returncode, 0)

    def test_noise_does_not_miss_the_threshold(self):
        self.write("a.json")
        self.slower("b.json", 0.05, half_width=0.1)
        self.assertEqual(self.run_command(["compare", "a.json", "b.json", "--fail-if-slower", "1%"]).returncode, 0)
        self.slower("c.json", 0.02)
        self.assertEqual(self.run_command(["compare", "a.json", "c.json", "--fail-if-slower", "0%"]).returncode, 0)

    def test_any_of_several_profiles_can_miss_the_threshold(self):
        files = [self.write("a.json"), self.write("b.json"), self.slower("c.json", 0.2)]
        self.compared(*files, "--fail-if-slower", "3%", code=4)

    def test_a_gate_that_cannot_judge_is_not_open(self):
        def change(document):
            document["conditions"] = {"cluster": document["conditions"]["node"]}

        self.write("a.json")
        self.write("b.json", change)
        result = self.run_command(["compare", "a.json", "b.json", "--fail-if-slower", "3%"])
        self.assert_one_error(result, "cannot judge b.json", "rung", code=1)

    def test_wrong_usage_is_said_in_a_sentence(self):
        self.write("a.json")
        self.assert_one_error(self.run_command(["compare"]), "no profile was given", "two profiles")
        self.assert_one_error(self.run_command(["compare", "a.json"]), "nothing to compare with", "two profiles")
        for share in ("3", "many", "-1%"):
            result = self.run_command(["compare", "a.json", "a.json", f"--fail-if-slower={share}"])
            self.assert_one_error(result, f"--fail-if-slower '{share}'", "3%")
        self.assert_one_error(self.run_command(["compare", "a.json", "--jsn", "x"]), "--jsn", "--json")

    def test_files_that_are_no_profiles_are_named(self):
        self.write("a.json")
        (self.folder / "half.json").write_text(json.dumps(GOLDEN)[:500])
        (self.folder / "empty").mkdir()
        self.assert_one_error(self.run_command(["compare", "a.json", "none.json"]), "none.json", "path", code=1)
        self.assert_one_error(self.run_command(["compare", "a.json", "half.json"]), "half.json", "complete", code=1)
        self.assert_one_error(self.run_command(["compare", "a.json", "empty"]), "'empty' holds no profile.json", "--out folder", code=1)

    def test_help_defines_the_threshold(self):
        text = " ".join(self.run_command(["compare", "--help"]).stdout.split())
        self.assertIn("exit with 4", text)
        self.assertIn("interval of the difference lies above 0", text)


class Store(Documents):
    def test_the_newest_document_comes_first_and_bad_ones_do_no_harm(self):
        def dated(created, model):
            def change(document):
                document["created"] = created
                document["workload"]["model"] = model

            return change

        self.write("kept/a.json", dated("2026-01-02T03:04:05Z", "older"))
        self.write("kept/b.json", dated("2026-03-02T03:04:05Z", "newer"))
        (self.folder / "kept" / "c.json").write_text('{"schema": "stallscope.profile/1", ')
        (self.folder / "kept" / ".stallscope-x1y2z3").write_text("half")
        result = self.run_command(["store", "list", "--store", "kept"])
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 4)
        self.assertRegex(lines[1], r"2026-03-02 03:04 +newer +1 x 2 +340 ms +47\.1 +b\.json")
        self.assertRegex(lines[2], "older")
        self.assertRegex(lines[3], r"unreadable: line 1 is not valid JSON +c\.json")
        listed = json.loads(self.run_command(["store", "list", "--store", "kept", "--json", "-"]).stdout)
        self.assertEqual(listed["schema"], "stallscope.store/1")
        self.assertEqual([entry.get("model") for entry in listed["documents"]], ["newer", "older", None])
        self.assertEqual(listed["documents"][0]["step_time_s"]["mean"], 0.34)
        self.assertIn("unreadable", listed["documents"][2])

    def test_an_empty_store_is_said_in_one_line(self):
        result = self.run_command(["store", "list", "--store", "nowhere"])
        self.assertEqual((result.returncode, result.stdout), (0, "nowhere holds no document yet.\n"))
        self.assertFalse((self.folder / "nowhere").exists())

    def test_the_flag_comes_before_the_variable_before_the_home_folder(self):
        def path(*flags, **variables):
            cleared = {"STALLSCOPE_STORE": "", "XDG_DATA_HOME": "", "HOME": "/home/ada"}
            return self.run_command(["store", "path", *flags], **{**cleared, **variables}).stdout.strip()

        self.assertEqual(path("--store", "mine", STALLSCOPE_STORE="/kept"), "mine")
        self.assertEqual(path(STALLSCOPE_STORE="/kept", XDG_DATA_HOME="/xdg"), "/kept")
        self.assertEqual(path(XDG_DATA_HOME="/xdg"), "/xdg/stallscope")
        self.assertEqual(path(), "/home/ada/.local/share/stallscope")
        self.assert_one_error(self.run_command(["store", "path"], STALLSCOPE_STORE="", XDG_DATA_HOME="", HOME=""), "HOME", "--store")

    def test_a_store_that_is_a_file_is_refused(self):
        (self.folder / "file").write_text("x")
        result = self.run_command(["store", "list", "--store", "file"])
        self.assert_one_error(result, "cannot read the store 'file'", "--store", code=1)

    def test_a_wrong_word_gets_the_nearest_right_one(self):
        self.assert_one_error(self.run_command(["store", "lst"]), "unknown command 'lst'", "list")
        self.assert_one_error(self.run_command(["store"]), "no command of store", "stallscope store --help")


if __name__ == "__main__":
    unittest.main(verbosity=2)
