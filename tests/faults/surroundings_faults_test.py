"""What a run stands on goes wrong: its data, its memory, its clock, its port, its master, its documents."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from fault_support import FaultTest  # noqa: E402
from support import ENDLESS, STALLSCOPE, TINY, wait_until  # noqa: E402

HERE = pathlib.Path(__file__).parent
IMAGES = ["--model", "mlp:layers=2,width=32", "--image-size", "16", "--classes", "2", "--workers", "1", "--no-evict",
          "--conditions", "crowd,warm"]


class SurroundingsFaults(FaultTest):
    def preload(self, name):
        library = self.folder / f"{name}.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, HERE / f"{name}.c", "-ldl"], check=True)
        return str(library)

    def make_images(self):
        shutil.rmtree(self.folder / "photos", ignore_errors=True)
        made = self.run_command(["dataset", "make", "photos", "--images", "60", "--size", "32x32", "--classes", "2"])
        self.assertEqual(made.returncode, 0, made.stderr)
        return sorted((self.folder / "photos").glob("class_*/*.jpg"))

    def test_a_deleted_data_folder_is_named(self):
        for _ in self.rungs():
            self.make_images()
            process = self.start_measuring("--data", "photos", *IMAGES, "--max-time", "60s")
            begin = time.monotonic()
            shutil.rmtree(self.folder / "photos")
            result = self.finish_in_time(process, begin)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertRegex(result.stderr, "error: .*photos")
            self.assert_rounds_kept("failed")
            self.record("data folder deleted", "ends within 15 s, names the file; finished rounds are kept", result)

    def test_bad_files_are_named_and_some_are_put_up_with(self):
        for _ in self.rungs():
            files = self.make_images()
            broken, gone = self.random.sample(files, 2)
            os.truncate(broken, broken.stat().st_size // 2)
            gone.unlink()
            gone.symlink_to(self.folder / "photos/nothing.jpg")
            flags = ["--data", "photos", *IMAGES, "--no-store", "--nproc-per-node", "2", "--tolerance", "60%"]
            begin = time.monotonic()
            strict = self.run_command(["profile", "--batch", "4", *flags, "--out", f"strict-{self.out}"])
            self.seconds = time.monotonic() - begin
            self.assertEqual(strict.returncode, 1, strict.stderr)
            self.assertRegex(strict.stderr, "error: .*samples cannot be used, more than --max-bad 1% allows: '.*jpg'")
            self.assert_nothing_left()
            lenient = self.run_command(["profile", "--batch", "4", *flags, "--max-bad", "20%", "--out", self.out])
            self.assertEqual(lenient.returncode, 0, lenient.stderr)
            self.record("truncated and unreadable files", "named; up to --max-bad of them are put up with", strict)

    def test_a_memory_limit_is_named_with_the_rank(self):
        for _ in self.rungs():
            # 4 GB of input alone, in an address space of 4 GB.
            program = ["prlimit", f"--as={4 << 30}", "--core=0", STALLSCOPE]
            flags = ["--image-size", "32", "--batch", "350000", "--nproc-per-node", "1", "--no-store"]
            begin = time.monotonic()
            process = self.start([*ENDLESS, *flags, "--out", self.out], program=program)
            result = self.finish_in_time(process, begin)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertRegex(result.stderr, "error: rank 0 ran out of memory")
            self.assertIn("smaller --batch", result.stderr)
            self.record("memory limit hit", "ends within 15 s with the rank and the cause", result)

    def test_a_stepped_clock_changes_no_duration(self):
        for _ in self.rungs():
            step = self.folder / f"step-{self.out}"
            arguments = [*TINY, "--nproc-per-node", "2", "--no-store", "--out", self.out]
            begin = time.monotonic()
            process = self.start(arguments, LD_PRELOAD=self.preload("clock_step"), STALLSCOPE_TEST_CLOCK_STEP=str(step))
            steps = self.folder / self.out / "steps.csv"
            wait_until(lambda: steps.exists() and "\n0," in steps.read_text(), 60, "the first round")
            step.touch()
            result = self.finish(process)
            seconds = time.monotonic() - begin
            self.assertEqual(result.returncode, 0, result.stderr)
            document = self.read_profile(self.out)
            # A clock that went ahead by an hour would end the run at once by --max-time, with step times of an hour.
            self.assertEqual(document["stopped_by"], "tolerance")
            self.assertLess(max(one["step_time_s"]["high"] for one in document["conditions"].values()), 1)
            self.assert_nothing_left()
            self.record("clock stepped by an hour", "no duration changes", seconds=seconds,
                        seen="stopped by tolerance, all step times below 1 s")

    def test_a_taken_port_and_a_missing_master_are_named(self):
        for _ in self.rungs():
            with socket.socket() as taken:
                taken.bind(("127.0.0.1", 0))
                taken.listen()
                place = ["--nnodes", "2", "--master-addr", "127.0.0.1", "--no-store", "--nproc-per-node", "1"]
                port = str(taken.getsockname()[1])
                begin = time.monotonic()
                leads = [*ENDLESS, *place, "--master-port", port, "--node-rank", "0", "--out", self.out]
                result = self.finish_in_time(self.start(leads), begin)
                self.assert_one_error(result, f"port {port} is taken on 127.0.0.1", "--master-port", code=1)
                self.record("port taken", "said with the fix", result)
            begin = time.monotonic()
            follows = [*ENDLESS, *place, "--master-port", "9", "--node-rank", "1", "--join-timeout", "3s"]
            result = self.finish_in_time(self.start(follows), begin)
            self.assert_one_error(result, "cannot reach the master at 127.0.0.1:9 within 3 s", "--join-timeout", code=1)
            self.record("master never there", "ends at --join-timeout, said with the fix", result)

    def test_two_runs_share_one_store(self):
        for _ in self.rungs():
            flags = ["--nproc-per-node", "1", "--store", f"kept-{self.out}"]
            begin = time.monotonic()
            both = [self.start([*TINY, *flags, "--out", f"{self.out}-{number}"]) for number in (1, 2)]
            for process in both:
                result = self.finish(process)
                self.assertEqual(result.returncode, 0, result.stderr)
            kept = list((self.folder / f"kept-{self.out}").glob("*.json"))
            self.assertEqual(len(kept), 2)
            created = {json.loads((self.folder / f"{self.out}-{number}" / "profile.json").read_text())["created"]
                       for number in (1, 2)}
            self.assertEqual({json.loads(file.read_text())["created"] for file in kept}, created)
            self.assert_nothing_left()
            self.record("two runs share one store", "both documents are kept, whole", seconds=time.monotonic() - begin,
                        seen="two whole documents")

    def test_a_document_is_old_or_new_and_never_half(self):
        command = ["predict", "--model", "resnet50", "--instance", "p3.2xlarge", "--json", "document.json"]
        document = self.folder / "document.json"
        library = self.preload("die_at_call")
        for _ in self.rungs():
            self.assertEqual(self.run_command(command).returncode, 0)
            begin = time.monotonic()
            deaths = 0
            for call in range(1, 20):
                document.write_text('{"old": true}')
                result = self.run_command(command, LD_PRELOAD=library, STALLSCOPE_TEST_DIE_AT=str(call))
                found = json.loads(document.read_text())
                self.assertTrue(found == {"old": True} or found["schema"] == "stallscope.prediction/1")
                if result.returncode == 0:
                    break
                self.assertEqual(result.returncode, -signal.SIGKILL, result.stderr)
                deaths += 1
            # At least within the write, before its flush and before its rename.
            self.assertGreaterEqual(deaths, 3)
            self.assertIn("schema", json.loads(document.read_text()))
            self.record("killed while writing a document", "the document is the old one or the new one, never half",
                        seconds=time.monotonic() - begin, seen=f"killed at each of {deaths} calls: old or new each time")


if __name__ == "__main__":
    unittest.main(verbosity=2)
