"""What the tests of `stallscope run` share: programs, unedited, under Debian's python3-torch."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import CommandTest, SOURCE, skip_all  # noqa: E402

import jsonschema  # noqa: E402

PROGRAMS = SOURCE / "tests/hook/programs"
EXAMPLES = SOURCE / "examples"
PYTHON = "/usr/bin/python3"
SCHEMA = json.loads((SOURCE / "docs/schema/profile-1.schema.json").read_text())
# A stop rule that any machine meets with the fewest rounds.
QUICK = ["--tolerance", "99%", "--max-time", "60s", "--no-store", "--python", PYTHON]


class RunTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        subprocess.run([PYTHON, PROGRAMS / "make_files.py", self.data, "--count", "1200", "--bytes", "16384"], check=True)

    def run_program(self, *words, flags=(), code=0, seconds=300):
        result = self.run_command(["run", *QUICK, "--out", "out", *flags, "--", *map(str, words)], seconds)
        self.assertEqual(result.returncode, code, result.stderr + self.logs())
        self.assert_nothing_left()
        return result

    def logs(self):
        return "".join(f"\n--- {path.name}\n{path.read_text()[-2000:]}" for path in self.folder.glob("out/log/*"))

    def profile(self, *words, flags=(), seconds=300):
        self.run_program(*words, flags=flags, seconds=seconds)
        document = self.read_profile("out")
        jsonschema.validate(document, SCHEMA)
        self.assert_closes(document)
        return document

    def assert_closes(self, document):
        stalls = document["stalls"]
        parts = sum(stalls[name]["seconds"]["mean"] for name in
                    ("compute", "interconnect", "network", "prep", "fetch") if name in stalls)
        self.assertAlmostEqual(parts / document["step_time_s"]["mean"], 1, places=6)

    def assert_rungs(self, document, *rungs):
        self.assertEqual(set(document["conditions"]), set(rungs), document["absent"])


def skip_without_torch():
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode != 0:
        skip_all(f"{PYTHON} has no torch")
