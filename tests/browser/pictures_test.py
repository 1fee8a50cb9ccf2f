"""The pictures of the README: the terminal and the page of a document in tests/golden, as this build shows them.

STALLSCOPE_UPDATE_PICTURES=1 /usr/bin/python3 -B tests/browser/pictures_test.py writes them into docs/pictures.
"""

import html
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import GOLDEN, SOURCE, PageTest, require_browser, screenshots  # noqa: E402

NAMES = ("terminal.png", "page.png")
TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #12161c; }}
main {{ padding: 18px 22px; color: #e8edf3; font: 15px/1.35 "DejaVu Sans Mono", monospace; white-space: pre; width: fit-content; }}
i {{ font-style: normal; color: #8fbcff; }} b {{ color: #ffffff; }}
.c31 {{ color: #ff9aa2; }} .c32 {{ color: #8fd6a0; }} .c33 {{ color: #f2c26b; }} .c36 {{ color: #7fd1d1; }} .c2 {{ color: #a3afbd; }}
</style><main><i>$ {command}</i>\n{text}</main>"""


def as_markup(text):
    """A terminal's text with its colours."""
    parts, open_spans = [], 0
    for piece in re.split(r"(\x1b\[[0-9;]*m)", text):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if not code:
            parts.append(html.escape(piece))
        elif code.group(1) in ("", "0"):
            parts.append("</span>" * open_spans)
            open_spans = 0
        else:
            bold = "1" in code.group(1).split(";")
            style = " ".join(f"c{number}" for number in code.group(1).split(";"))
            parts.append(f'<span class="{style}"' + (' style="font-weight:700"' if bold else "") + ">")
            open_spans += 1
    return "".join(parts) + "</span>" * open_spans


class Pictures(PageTest):
    def draw(self, folder):
        document = GOLDEN / "profile-full.json"
        result = self.run_command(["report", str(document), "--color", "always"], LANG="C.UTF-8", LC_ALL="C.UTF-8", COLUMNS="80")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        # Down to the first finding: a picture is looked at, not read.
        first = next(i for i, line in enumerate(lines) if "problem" in line)
        end = next((i for i in range(first + 1, len(lines)) if not lines[i].strip()), len(lines))
        terminal = self.folder / "terminal.html"
        terminal.write_text(TERMINAL.format(command="stallscope report stallscope-20261117-091230", text=as_markup("\n".join(lines[:end]))))
        page = self.page(document)
        jobs = [
            {"file": terminal, "bare": True, "width": 780, "height": 400, "shot": str(folder / "terminal.png")},
            {"file": page, "width": 1200, "height": 1180, "fold": True, "shot": str(folder / "page.png")},
        ]
        for answer in self.look(*jobs):
            self.assertEqual(answer["console"], [])

    def test_the_pictures_of_the_readme_can_be_drawn_and_are_small(self):
        update = os.environ.get("STALLSCOPE_UPDATE_PICTURES") == "1"
        folder = SOURCE / "docs" / "pictures" if update else screenshots()
        self.draw(folder)
        readme = (SOURCE / "README.md").read_text()
        for name in NAMES:
            self.assertEqual((folder / name).read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            kept = SOURCE / "docs" / "pictures" / name
            self.assertLess(kept.stat().st_size, 300_000)
            self.assertIn(f"docs/pictures/{name}", readme)


if __name__ == "__main__":
    require_browser()
    unittest.main(verbosity=2)
