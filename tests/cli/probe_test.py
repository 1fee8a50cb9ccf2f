"""`stallscope probe`: the card, what it says against another, and what it leaves behind."""

import json
import pathlib
import signal
import sys
import time
import unittest

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import CommandTest, SOURCE  # noqa: E402

GOLDEN = json.loads((SOURCE / "tests" / "golden" / "machine.json").read_text())
SCHEMA = json.loads((SOURCE / "docs" / "schema" / "machine-1.schema.json").read_text())


class Probe(CommandTest):
    def setUp(self):
        super().setUp()
        self.environment["STALLSCOPE_STORE"] = str(self.folder / "store")

    def test_a_short_probe_writes_a_card_that_obeys_the_schema_and_leaves_nothing(self):
        result = self.run_command(["probe", "--skip", "memory", "--max-time", "5s", "--out", "card", "--json", "-"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("takes about 5 s", result.stderr)
        card = json.loads((self.folder / "card" / "machine.json").read_text())
        self.assertEqual(card, json.loads(result.stdout))
        jsonschema.validate(card, SCHEMA)
        self.assertGreaterEqual(card["rounds"], 3)
        for reads in card["disk"]["reads"]:
            rate = reads["bytes_per_s"]
            self.assertLessEqual(rate["low"], rate["mean"])
            self.assertLessEqual(rate["mean"], rate["high"])
            # Little's law, up to the curvature of 1/x over the rounds.
            requests_in_flight = reads["latency_s"]["mean"] * rate["mean"] / reads["request_bytes"]
            self.assertGreaterEqual(requests_in_flight, 0.99 * reads["depth"])
        self.assertEqual([absent["part"] for absent in card["absent"] if absent["part"] == "memory"], ["memory"])
        self.assertGreater(card["decode"]["one_core_images_per_s"]["mean"], 0)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["card", "store", "tmp"])
        self.assertEqual(len(list((self.folder / "store").iterdir())), 1)
        self.assert_nothing_left()

        shown = self.run_command(["report", "card"])
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("disk.random.4KiB.depth1 ", shown.stdout)
        self.assertEqual(self.run_command(["report", "card", "--html", "x.html"]).returncode, 0)
        self.assertTrue('"kind":"machine"' in (self.folder / "x.html").read_text(), "the page does not hold the card")
        listed = self.run_command(["store", "list"])
        self.assertIn("stallscope.machine/1", listed.stdout)

    def test_an_interrupted_watch_keeps_its_rounds(self):
        process = self.start(["probe", "--only", "decode", "--watch", "10m", "--out", "card", "--no-store"])
        time.sleep(8)
        process.send_signal(signal.SIGINT)
        result = self.finish(process)
        self.assertEqual(result.returncode, 130, result.stderr)
        card = json.loads((self.folder / "card" / "machine.json").read_text())
        self.assertEqual(card["stopped_by"], "interrupt")
        jsonschema.validate(card, SCHEMA)
        if card["rounds"] >= 4:
            self.assertEqual({drift["quantity"] for drift in card["watch"]["drifts"]},
                             {"decode.one_core", "decode.all_cores"})
        self.assert_nothing_left()

    def test_a_killed_probe_leaves_no_file_behind(self):
        process = self.start(["probe", "--only", "disk", "--watch", "10m", "--out", "card", "--data", "tmp"])
        deadline = time.monotonic() + 60
        while not list(self.temporary.glob("stallscope-*/reads")) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertTrue(list(self.temporary.iterdir()), "no file was made to read from")
        process.kill()
        self.finish(process)
        self.assert_nothing_left()

    def test_a_dry_run_measures_nothing(self):
        result = self.run_command(["probe", "--dry-run"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("takes about 60 s", result.stdout)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["tmp"])


class Expect(CommandTest):
    """A finished card against another: nothing is measured."""

    def write(self, name, change=lambda card: None):
        card = json.loads(json.dumps(GOLDEN))
        del card["expectation"]
        change(card)
        (self.folder / name).write_text(json.dumps(card))
        return name

    def judge(self, found, expected, *more):
        return self.run_command(["probe", "--card", found, "--expect", expected, "--json", "judged.json", *more])

    def verdicts(self):
        judged = json.loads((self.folder / "judged.json").read_text())
        jsonschema.validate(judged, SCHEMA)
        return {line["quantity"]: line["verdict"] for line in judged["expectation"]["lines"]}

    def test_a_card_meets_itself(self):
        result = self.judge(self.write("card.json"), "card.json", "--fail-below", "100%")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(set(self.verdicts().values()), {"met"})

    def test_one_quantity_degraded_by_40_percent_is_named_and_no_other(self):
        expected = self.write("expected.json")

        def scale(estimate, factor):
            for key in estimate:
                estimate[key] *= factor

        degrade = {
            "decode.one_core": lambda card: scale(card["decode"]["one_core_images_per_s"], 0.6),
            "memory.triad.all_cores": lambda card: scale(card["memory"]["triad_all_cores"]["bytes_per_s"], 0.6),
            "disk.random.4KiB.depth16": lambda card: scale(card["disk"]["reads"][1]["bytes_per_s"], 0.6),
        }
        for name, change in degrade.items():
            with self.subTest(name):
                result = self.judge(self.write("found.json", change), expected, "--fail-below", "80%")
                self.assert_one_error(result, f"{name} (60 %) below 80 % of expected.json", "--fail-below", code=4)
                verdicts = self.verdicts()
                self.assertEqual([q for q, verdict in verdicts.items() if verdict != "met"], [name])

    def test_a_lost_gpu_and_a_lost_lane_are_missed(self):
        def lose(card):
            card["gpus"].pop()
            card["gpus"][0]["pcie_width"] = 4

        result = self.judge(self.write("found.json", lose), self.write("expected.json"))
        self.assertEqual(result.returncode, 4, result.stderr)
        missed = [q for q, verdict in self.verdicts().items() if verdict == "missed"]
        self.assertEqual(missed, ["gpu.count", "gpu.pcie_width"])

    def test_a_machine_of_the_catalog_is_expected_by_its_name(self):
        # The golden card has 2 GPUs and 12 threads; a p4d.24xlarge 8 and 96, and 1152 GiB, of which 80 % are 922.
        result = self.judge(self.write("found.json"), "p4d.24xlarge")
        self.assertEqual(result.returncode, 4, result.stderr)
        verdicts = self.verdicts()
        self.assertEqual((verdicts["gpu.count"], verdicts["threads"]), ("missed", "missed"))
        self.assertEqual(verdicts["memory_bytes"], "met")
        self.assertNotIn("decode.one_core", verdicts)
        self.assert_one_error(self.judge("found.json", "p4d.24xlagre"), "p4d.24xlagre", "p4d.24xlarge")

    def test_cards_without_a_common_quantity_are_no_pass(self):
        def keep_only(*names):
            def change(card):
                for name in ("decode", "memory", "disk", "cloud", "watch"):
                    card.pop(name)
                card["gpus"], card["interfaces"], card["collectives"] = [], [], []
                card["host"].pop("memory_bytes")
                card["topology"] = {"caches": [], "pci_devices": [], **{name: 2 for name in names}}

            return change

        result = self.judge(self.write("a.json", keep_only("cores")), self.write("b.json", keep_only("threads")))
        self.assert_one_error(result, "have no quantity in common", "--only", code=1)

    def test_wrong_usage_is_said_before_anything_is_measured(self):
        self.assert_one_error(self.run_command(["probe", "--fail-below", "80%"]), "--fail-below", "--expect")
        self.assert_one_error(self.run_command(["probe", "--expect", "nowhere.json"]), "nowhere.json", "machine")
        self.assert_one_error(self.run_command(["probe", "--only", "tape"]), "--only 'tape'", "decode, memory")
        self.assert_one_error(self.run_command(["probe", "--only", "disk", "--data", "gone"]), "--data gone", "folder")
        card = self.write("card.json")
        self.assert_one_error(self.judge(card, card, "--fail-below", "80"), "--fail-below '80'", "80%")
        (self.folder / "bad.json").write_text('{"schema": "stallscope.machine/1"}')
        self.assert_one_error(self.run_command(["probe", "--expect", "bad.json"]), "field 'tool' is missing",
                              "complete", code=1)


if __name__ == "__main__":
    unittest.main()
