"""The rules of the house, as far as a machine can see them."""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import SOURCE  # noqa: E402

# From the bottom. A room may use those before it.
ROOMS = (
    "base document stats network machine catalog supervise input engine hook probe ladder cost predict law recommend report"
).split()
INCLUDE = re.compile(r'^#include [<"]([^">]+)[">]', re.MULTILINE)


def sources():
    return [path for folder in ("stallscope", "app") for path in (SOURCE / folder).rglob("*") if path.suffix in (".h", ".cpp")]


class House(unittest.TestCase):
    def test_every_room_uses_only_rooms_below_it(self):
        for path in (SOURCE / "stallscope").rglob("*"):
            if path.suffix not in (".h", ".cpp"):
                continue
            room = path.relative_to(SOURCE / "stallscope").parts[0]
            self.assertIn(room, ROOMS, f"{path} is in a room that this test does not know")
            for included in INCLUDE.findall(path.read_text()):
                self.assertFalse(included.startswith("app/"), f"{path} includes {included}")
                if included.startswith("stallscope/"):
                    used = included.split("/")[1]
                    self.assertLessEqual(ROOMS.index(used), ROOMS.index(room), f"{path} includes {included}")

    def test_torch_stays_behind_its_door(self):
        torch = re.compile(r"^(torch|ATen|c10|gloo)/")
        for path in sources():
            if "engine/torch" in str(path) or path.name == "engine_main.cpp":
                continue
            for included in INCLUDE.findall(path.read_text()):
                self.assertIsNone(torch.match(included), f"{path} includes {included}")
                self.assertFalse(included.startswith("stallscope/engine/torch/"), f"{path} includes {included}")

    def test_files_stay_small(self):
        for path in sources():
            lines = len(path.read_text().splitlines())
            self.assertLessEqual(lines, 450, f"{path} has outgrown its room")

    @unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
    def test_clang_format_has_nothing_to_change(self):
        result = subprocess.run(
            ["clang-format", "--dry-run", "--Werror", *map(str, sources())], capture_output=True, text=True
        )
        self.assertEqual(result.returncode, 0, result.stderr[:2000])

    def test_links_between_pages_lead_somewhere(self):
        pages = [*SOURCE.glob("*.md"), *(SOURCE / "docs").rglob("*.md"), *(SOURCE / "bench").rglob("*.md")]
        self.assertTrue(pages)
        for page in pages:
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
                if "://" not in target:
                    self.assertTrue((page.parent / target).exists(), f"{page} links to {target}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
