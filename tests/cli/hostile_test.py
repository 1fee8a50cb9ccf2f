"""Files that nobody should be given: every command that reads one ends soon, with one sentence."""

import json
import os
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import CommandTest, SOURCE  # noqa: E402

GOLDEN = SOURCE / "tests/golden"
PROFILE = (GOLDEN / "profile.json").read_text()
CARD = (GOLDEN / "machine.json").read_text()
LONG = 100_000_000
# Seconds for a refusal, with much room: 100 MB are read, and a machine may be busy.
SOON = 60


def changed(text, change):
    document = json.loads(text)
    change(document)
    return json.dumps(document)


def set_steps(value):
    def change(document):
        for condition in document["conditions"].values():
            condition["step_time_s"] = {"mean": value, "low": value, "high": value}
    return change


DOCUMENTS = {
    "nan": (PROFILE.replace('"seed": ', '"seed": NaN, "x": ', 1), "is not valid JSON"),
    "negative": (changed(PROFILE, set_steps(-1)), "is below zero"),
    "huge": (changed(PROFILE, set_steps(1e308)), "too large a number"),
    "huger": (PROFILE.replace('"mean": ', '"mean": 1e999, "y": ', 1), "too large"),
    "twice": (PROFILE.replace('"seed": ', '"seed": 1, "seed": ', 1), "'seed' is there twice"),
    "deep": ('{"schema": ' + "[" * 1_000_000, "nested deeper"),
    "binary": ("\x00\xff\x1b[2J" * 1000, "is not valid JSON"),
    "empty": ("", "is not valid JSON"),
}
# What reads a document; {} is the file.
READERS = [["report", "{}"], ["compare", str(GOLDEN / "profile.json"), "{}"],
           ["predict", "--profile", "{}", "--instance", "p3.8xlarge"],
           ["recommend", "--profile", "{}", "--deadline", "24h"]]
CARD_READERS = [["report", "{}"], ["probe", "--expect", "{}", "--only", "memory"],
                ["predict", "--profile", str(GOLDEN / "profile.json"), "--machine", "{}"]]
TABLE_READERS = [["validate", "{}"], ["catalog", "list", "--catalog", "{}"], ["catalog", "import", "{}"]]


class Hostile(CommandTest):
    def refused(self, reader, name, sentence):
        begin = time.monotonic()
        result = self.run_command([word.replace("{}", name) for word in reader], seconds=2 * SOON)
        self.assertIn(result.returncode, (1, 2), (reader, name, result.stdout[:300], result.stderr[:2000]))
        self.assert_one_error(result, sentence, "", code=result.returncode)
        self.assertLess(len(result.stderr), 6000, (reader, name))
        self.assertNotIn("\x1b", result.stderr)
        self.assertLess(time.monotonic() - begin, SOON, (reader, name))

    def test_documents_are_refused_with_what_is_wrong(self):
        for name, (text, sentence) in DOCUMENTS.items():
            (self.folder / f"{name}.json").write_text(text, errors="surrogateescape")
            for reader in READERS:
                with self.subTest(reader=reader[0], file=name):
                    self.refused(reader, f"{name}.json", sentence)

    def test_cards_are_refused_with_what_is_wrong(self):
        for name, text, sentence in (("twice", CARD.replace('"schema"', '"schema": "x", "schema"', 1), "is there twice"),
                                     ("deep", '{"schema": ' + "[" * 1_000_000, "nested deeper"),
                                     ("nan", CARD.replace('"mean": ', '"mean": NaN, "y": ', 1), "is not valid JSON")):
            (self.folder / f"{name}.json").write_text(text)
            for reader in CARD_READERS:
                with self.subTest(reader=reader[0], file=name):
                    self.refused(reader, f"{name}.json", sentence)

    def test_lines_of_100_mb_end_in_a_sentence(self):
        for name, begin, unit, end in (("text", '{"schema": "', "a", '"}'), ("list", '{"schema": [', "0,", "0]}"),
                                       ("columns", "", "a,", "a\n")):
            with open(self.folder / name, "w") as file:
                file.write(begin)
                for _ in range(100):
                    file.write(unit * (LONG // 100 // len(unit)))
                file.write(end)
            for reader in ((TABLE_READERS if name == "columns" else READERS[:2])):
                with self.subTest(reader=reader[0], file=name):
                    self.refused(reader, name, "")
            os.unlink(self.folder / name)

    def test_a_file_without_an_end_is_given_up(self):
        for reader in (READERS[0], TABLE_READERS[0]):
            with self.subTest(reader=reader[0]):
                self.refused(reader, "/dev/zero", "is larger than")

    def test_tables_name_the_cell(self):
        header = "series,network,gpu,gpus_per_node,nodes,batch_per_gpu,samples_per_s,source\n"
        for value, sentence in (("nan", "no number"), ("-1", "least"), ("1e999", "no number"), ("inf", "no number")):
            (self.folder / "rates.csv").write_text(header + f"a,resnet50,V100,8,1,{value},1000,x\n")
            with self.subTest(value=value):
                self.refused(TABLE_READERS[0], "rates.csv", sentence)


if __name__ == "__main__":
    unittest.main(verbosity=2)
