"""Parts of the hook by themselves, without a training program."""

import mmap
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import SOURCE, skip_all  # noqa: E402

sys.path.insert(0, str(SOURCE / "python"))
from stallscope_hook import page_cache  # noqa: E402

MIB = 1 << 20


class PageCache(unittest.TestCase):
    def setUp(self):
        # Not below /tmp, which is memory on some machines.
        self._folder = tempfile.TemporaryDirectory(prefix="stallscope-test-", dir="/var/tmp")
        self.path = os.path.join(self._folder.name, "data")
        pathlib.Path(self.path).write_bytes(os.urandom(4 * MIB))
        if page_cache.file_system(self.path) in ("tmpfs", "ramfs", "overlay"):
            self.skipTest("/var/tmp is no disk")

    def tearDown(self):
        self._folder.cleanup()

    def resident(self):
        return page_cache.resident_bytes([self.path])

    def test_what_was_just_written_is_resident_and_can_be_evicted(self):
        self.assertEqual(self.resident(), 4 * MIB)
        page_cache.evict([self.path])
        self.assertEqual(self.resident(), 0)

    def test_a_mapped_file_is_evicted_and_can_still_be_read(self):
        with open(self.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            before = mapped[:]
            page_cache.evict([self.path])
            self.assertEqual(self.resident(), 0)
            self.assertEqual(mapped[:], before)
            self.assertEqual(self.resident(), 4 * MIB)

    def test_pages_written_into_a_private_mapping_stay(self):
        with open(self.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as mapped:
            before = mapped[:]
            mapped[MIB:MIB + 5] = b"mine!"
            page_cache.evict([self.path])
            self.assertEqual(self.resident(), 0)
            self.assertEqual(mapped[MIB:MIB + 5], b"mine!")
            self.assertEqual(mapped[2 * MIB:], before[2 * MIB:])

    def test_a_mapping_elsewhere_holds_its_pages(self):
        with open(self.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            self.assertEqual(len(mapped[:]), 4 * MIB)  # touched, so mapped
            child = os.fork()
            if child == 0:
                page_cache.evict([self.path])  # unmaps in the child alone
                os._exit(0)
            os.waitpid(child, 0)
            self.assertGreater(self.resident(), 3 * MIB)

    def judge(self, cold, **values):
        evidence = page_cache.Evidence()
        for name, value in values.items():
            setattr(evidence, name, value)
        return page_cache.judge(cold, [self.path], evidence)[:2]

    def test_cold_is_what_came_from_the_disk_in_the_block(self):
        facts = {"before": 0, "after": 10 * MIB, "opened": 40 * MIB}  # every file opened four times
        self.assertEqual(self.judge(True, fetched=5 * MIB, fetched_here=10 * MIB, **facts), ("cold", True))
        # 9.7 of 10 MiB: somebody else read the rest.
        self.assertEqual(self.judge(True, fetched=5 * MIB, fetched_here=int(9.7 * MIB), **facts), ("mixed", False))

    def test_what_was_in_memory_before_is_not_cold(self):
        # 1 of 10 MiB could not be evicted; the ranks fetched other things meanwhile.
        self.assertEqual(self.judge(True, fetched=12 * MIB, fetched_here=12 * MIB, before=MIB, after=10 * MIB),
                         ("mixed", False))

    def test_of_a_small_mapped_file_little_may_be_fetched_in_a_warm_block(self):
        facts = {"in_parts": True, "before": 0, "after": MIB // 4}
        self.assertEqual(self.judge(False, fetched=MIB // 4, **facts), ("mixed", False))
        self.assertEqual(self.judge(False, fetched=4096, **facts), ("warm", True))


class Channel:
    beating_s = 0.0
    place = ""


class ObservedFiles(unittest.TestCase):
    def test_two_files_are_kept_and_no_more(self):
        from stallscope_hook.observe import HEADER, Observer

        with tempfile.TemporaryDirectory() as folder:
            observer = Observer({"observed": folder, "rank": 3, "observed_bytes": 1000}, Channel())
            self.addCleanup(lambda: observer._file.close())
            row = "x" * 99 + "\n"
            for number in range(60):
                observer._rows.append(row)
                observer._flush(number)
            files = {path.name: path.read_text() for path in pathlib.Path(folder).iterdir()}
            self.assertEqual(set(files), {"rank3.csv", "rank3.old.csv"})
            for text in files.values():
                self.assertTrue(text.startswith(HEADER))
                self.assertLess(len(text), 1000 + 2 * len(row) + len(HEADER))


if __name__ == "__main__":
    try:
        import torch  # noqa: F401
    except ImportError:
        skip_all("this Python has no torch")
    unittest.main(verbosity=2)
