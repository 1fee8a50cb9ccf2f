"""`stallscope dataset`: make, info and read, and what they say to bad input."""

import json
import os
import pathlib
import signal
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import CommandTest, wait_until  # noqa: E402


class Dataset(CommandTest):
    def make(self, name="photos", *flags):
        result = self.run_command(["dataset", "make", name, "--images", "40", "--size", "100x80", "--classes", "4", *flags])
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.folder / name

    def json_of(self, *arguments):
        result = self.run_command(["dataset", *arguments, "--json", "-"])
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def first_image(self, folder):
        return sorted(folder.glob("class_*/*.jpg"))[0]


    def await_workers(self, process):
        """The loader's threads start after the listing."""
        tasks = pathlib.Path(f"/proc/{process.pid}/task")
        wait_until(lambda: tasks.exists() and len(list(tasks.iterdir())) > 1, 60, "the loader's threads")


class Make(Dataset):
    def test_a_made_set_is_what_was_asked_for(self):
        folder = self.make("photos", "--tokens", "1000")
        self.assertEqual(len(list(folder.glob("class_*/*.jpg"))), 40)
        self.assertEqual(len(list(folder.glob("class_*"))), 4)
        self.assertEqual((folder / "tokens.u16").stat().st_size, 2000)
        info = self.json_of("info", "photos")
        self.assertEqual((info["images"], info["classes"], info["incomplete"]), (40, 4, False))
        self.assertEqual(info["width"]["median"], 100)

    def test_tokens_alone(self):
        result = self.run_command(["dataset", "make", "text", "--tokens", "5000"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("5000 tokens", result.stdout)
        self.assertEqual(list((self.folder / "text").glob("class_*")), [])
        self.assertEqual(self.json_of("info", "text/tokens.u16")["tokens"], 5000)
        read = self.json_of("read", "text/tokens.u16", "--sequence-length", "64", "--batch", "8")
        self.assertEqual(read["samples"], (5000 - 1) // 64)

    def test_nothing_is_overwritten_without_force(self):
        self.make()
        again = ["dataset", "make", "photos", "--images", "3", "--classes", "1", "--size", "20x20"]
        self.assert_one_error(self.run_command(again), "'photos' holds a data set already", "--force")
        self.assertEqual(self.run_command([*again, "--force"]).returncode, 0)
        self.assertEqual(len(list((self.folder / "photos").glob("class_*/*.jpg"))), 3)
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "letter.txt").write_text("dear")
        foreign = ["dataset", "make", "mine", "--images", "3", "--classes", "1", "--force"]
        self.assert_one_error(self.run_command(foreign), "not of `dataset make`", "empty folder")

    def test_an_interrupt_leaves_whole_files(self):
        process = self.start(["dataset", "make", "photos", "--images", "1000000", "--classes", "1"])
        wait_until(lambda: len(list(self.folder.glob("photos/class_*/*.jpg"))) > 3, 60, "some images")
        process.send_signal(signal.SIGINT)
        result = self.finish(process, 60)
        self.assertEqual(result.returncode, 130)
        self.assertIn("interrupted", result.stdout)
        self.assertEqual(list((self.folder / "photos").glob("class_*/.*")), [])
        checked = self.run_command(["dataset", "info", "photos", "--decode"])
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn("incomplete", checked.stdout)

    def test_a_killed_run_leaves_whole_files(self):
        process = self.start(["dataset", "make", "photos", "--images", "1000000", "--classes", "1"])
        wait_until(lambda: len(list(self.folder.glob("photos/class_*/*.jpg"))) > 3, 60, "some images")
        process.kill()
        self.finish(process, 60)
        self.assertEqual(self.run_command(["dataset", "info", "photos", "--decode"]).returncode, 0)

    def test_values_that_cannot_be_meant(self):
        cases = [
            (["--images", "0"], "nothing to make", "--images N"),
            (["--images", "-5"], "--images -5", "0 to"),
            (["--size", "big"], "--size 'big'", "500x375"),
            (["--size", "0x10"], "--size '0x10'", "500x375"),
            (["--size", "30000x10"], "--size '30000x10'", "16384x16384"),
            (["--images", "2", "--classes", "3"], "--classes 3", "1 to 2"),
            (["--classes", "0"], "--classes 0", "1 to"),
            (["--json", "/nowhere/x.json"], "/nowhere/x.json", "folder"),
        ]
        for flags, what, fix in cases:
            with self.subTest(flags=flags):
                self.assert_one_error(self.run_command(["dataset", "make", "new", *flags]), what, fix)
                self.assertFalse((self.folder / "new").exists())


class Info(Dataset):
    def test_decoding_names_the_bad_files(self):
        folder = self.make()
        image = self.first_image(folder)
        image.write_bytes(image.read_bytes()[:-50])
        (folder / "class_0001" / "zero.jpg").write_bytes(b"")
        (folder / "class_0001" / "drawing.jpg").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
        result = self.run_command(["dataset", "info", "photos", "--decode", "--json", "info.json"])
        self.assert_one_error(result, "3 of 42 files cannot be used", "remove or replace", code=1)
        self.assertIn(f"{image.name}' is truncated", result.stdout)
        self.assertIn("zero.jpg' is empty", result.stdout)
        self.assertIn("drawing.jpg' is a PNG, not a JPEG", result.stdout)
        self.assertEqual(len(json.loads((self.folder / "info.json").read_text())["bad"]), 3)

    def test_bad_folders_are_named_with_their_fix(self):
        (self.folder / "empty").mkdir()
        (self.folder / "loose").mkdir()
        (self.folder / "loose" / "a.jpg").write_bytes(b"x")
        (self.folder / "half" / "full").mkdir(parents=True)
        (self.folder / "half" / "full" / "a.jpg").write_bytes(b"x")
        (self.folder / "half" / "none").mkdir()
        (self.folder / "texts" / "a").mkdir(parents=True)
        (self.folder / "texts" / "a" / "b.txt").write_text("x")
        (self.folder / "odd.u16").write_bytes(b"123")
        cases = [
            ("nowhere", "there is no folder 'nowhere'", "dataset make"),
            ("empty", "the folder 'empty' is empty", "dataset make"),
            ("loose", "lie in no class folder", "CLASS"),
            ("half", "'half/none' holds no JPEG", "remove"),
            ("texts", "there are no JPEGs below 'texts'", "NAME.jpg"),
            ("odd.u16", "has 3 bytes, no whole number of 2-byte tokens", "uint16"),
            ("loose/a.jpg", "is one image", "folder"),
        ]
        for command in ("info", "read"):
            for path, what, fix in cases:
                with self.subTest(command=command, path=path):
                    self.assert_one_error(self.run_command(["dataset", command, path]), what, fix, code=1)


class Read(Dataset):
    def test_speed_times_and_bytes_are_told(self):
        folder = self.make()
        read = self.json_of("read", "photos", "--workers", "2", "--batch", "8", "--image-size", "32")
        self.assertEqual((read["samples"], read["batches"], read["workers"]), (40, 5, 2))
        self.assertEqual(read["bytes"], sum(path.stat().st_size for path in folder.glob("class_*/*.jpg")))
        for key in ("samples_per_s", "samples_per_worker_s", "read_s", "decode_s"):
            self.assertGreater(read[key], 0)
        self.assertEqual(read["cache"]["state"], "any")
        text = self.run_command(["dataset", "read", "photos", "--batch", "8"]).stdout
        for word in ("samples/s", "per worker", "read", "decode"):
            self.assertIn(word, text)

    def test_cold_and_warm_are_verified_or_explained(self):
        self.make("photos", "--size", "400x300")
        for state in ("cold", "warm"):
            cache = self.json_of("read", "photos", "--cache", state, "--batch", "8")["cache"]
            self.assertEqual(cache["asked"], state)
            # TMPDIR may be a tmpfs, or the machine may be short of memory: then the reason says so.
            self.assertEqual(cache["verified"], not cache["reason"])

    def test_workers_auto_tries_until_a_step_does_not_wait(self):
        self.make()
        flags = ("--workers", "auto", "--batch", "4", "--image-size", "32")
        read = self.json_of("read", "photos", *flags, "--step-time", "40ms")
        self.assertTrue(read["auto"]["trials"])
        read = self.json_of("read", "photos", *flags, "--step-time", "1us")
        self.assertFalse(read["auto"]["hidden"])
        self.assertEqual(read["auto"]["trials"][-1]["workers"], len(os.sched_getaffinity(0)))

    def test_a_few_bad_files_are_replaced_and_named(self):
        folder = self.make()
        self.first_image(folder).write_bytes(b"")
        result = self.run_command(["dataset", "read", "photos", "--max-bad", "5%"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"{self.first_image(folder).name}' is empty", result.stdout)
        refused = self.run_command(["dataset", "read", "photos"])
        self.assert_one_error(refused, "1 of 40 samples cannot be used, more than --max-bad 1%", "--max-bad", code=1)

    def test_a_folder_that_changes_is_noticed(self):
        folder = self.make()
        process = self.start(["dataset", "read", "photos", "--batch", "2", "--step-time", "100ms", "--json", "read.json"])
        self.await_workers(process)
        image = self.first_image(folder)
        (image.parent / "new.jpg").write_bytes(image.read_bytes())
        result = self.finish(process)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("while it was in use", result.stdout)
        self.assertIn("change", json.loads((self.folder / "read.json").read_text()))

    def test_an_interrupt_keeps_what_was_measured(self):
        self.make()
        process = self.start(["dataset", "read", "photos", "--batch", "1", "--step-time", "500ms", "--json", "read.json"])
        self.await_workers(process)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(process, 60).returncode, 143)
        self.assertEqual(json.loads((self.folder / "read.json").read_text())["stopped_by"], "interrupt")

    def test_values_that_cannot_be_meant(self):
        self.make()
        cases = [
            (["--cache", "tepid"], "--cache 'tepid'", "cold, warm or any"),
            (["--workers", "many"], "--workers 'many'", "or auto"),
            (["--workers", "0"], "--workers '0'", "1 to"),
            (["--workers", "auto"], "--workers auto needs", "--step-time"),
            (["--batch", "0"], "--batch 0", "1 to"),
            (["--image-size", "0"], "--image-size 0", "1 to"),
            (["--step-time", "5"], "--step-time '5'", "100ms"),
            (["--max-time", "soon"], "--max-time 'soon'", "20s"),
            (["--max-bad", "lots"], "--max-bad 'lots'", "1%"),
            (["--color", "blue"], "blue", "auto"),
        ]
        for flags, what, fix in cases:
            with self.subTest(flags=flags):
                self.assert_one_error(self.run_command(["dataset", "read", "photos", *flags]), what, fix)

    def test_wrong_words_get_the_nearest_right_one(self):
        self.assert_one_error(self.run_command(["dataset"]), "no command of dataset", "dataset --help")
        self.assert_one_error(self.run_command(["dataset", "mkae"]), "unknown command 'mkae'", "did you mean make?")
        wrong = self.run_command(["dataset", "read", "x", "--workres", "2"])
        self.assert_one_error(wrong, "unknown option '--workres'", "--workers")
        self.assert_one_error(self.run_command(["dataset", "info"]), "required", "dataset info --help")

    def test_quiet_is_quiet(self):
        self.make()
        result = self.run_command(["dataset", "read", "photos", "--quiet"])
        self.assertEqual((result.stdout, result.stderr), ("", ""))


class OddJpegs(Dataset):
    def wide(self, image, width):
        """The same file with another width in its frame header."""
        data = bytearray(image.read_bytes())
        at = data.index(b"\xff\xc0")
        data[at + 7 : at + 9] = struct.pack(">H", width)
        return bytes(data)

    def test_an_enormous_image_is_refused_by_name(self):
        folder = self.make()
        (folder / "class_0000" / "wide.jpg").write_bytes(self.wide(self.first_image(folder), 30000))
        result = self.run_command(["dataset", "info", "photos", "--decode"])
        self.assert_one_error(result, "wide.jpg' is 30000 x 80 pixels, more than 16384", "remove", code=1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
