"""The thread sanitizer's build leaves out rooms without threads (CMakePresets.json): are they still without?"""

import json
import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).parents[2]
THREADS = re.compile(r"#include <(thread|mutex|shared_mutex|atomic|condition_variable|future|pthread\.h)>|std::(j?thread|async)\b")


class Threads(unittest.TestCase):
    def test_every_room_with_threads_is_under_the_thread_sanitizer(self):
        presets = json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]
        tsan = next(preset for preset in presets if preset["name"] == "tsan")
        watched = set(tsan["cacheVariables"]["STALLSCOPE_ONLY_ROOMS"].split("|"))
        with_threads = {
            path.relative_to(SOURCE / "stallscope").parts[0]
            for path in (SOURCE / "stallscope").rglob("*")
            if path.suffix in (".cpp", ".h") and "torch" not in path.parts and THREADS.search(path.read_text())
        }
        self.assertIn("input", with_threads)
        self.assertEqual(with_threads - watched, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
