"""What the command says to wrong input, and that it says it at once."""

import pathlib
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import BUILD, CommandTest, STALLSCOPE, TINY  # noqa: E402


class Usage(CommandTest):
    def test_help_lists_the_commands_by_group(self):
        result = self.run_command(["--help"])
        self.assertEqual(result.returncode, 0)
        for text in ("Measure", "profile", "doctor"):
            self.assertIn(text, result.stdout)

    def test_help_of_profile_names_every_flag_of_the_readme(self):
        result = self.run_command(["profile", "--help"])
        self.assertEqual(result.returncode, 0)
        for flag in ("--model", "--nproc-per-node", "--bucket", "--max-time", "--master-addr", "--json"):
            self.assertIn(flag, result.stdout)

    def test_version(self):
        result = self.run_command(["--version"])
        self.assertRegex(result.stdout, r"^stallscope \d+\.\d+\.\d+\n$")

    def test_wrong_words_get_the_nearest_right_one(self):
        self.assert_one_error(self.run_command(["profle"]), "unknown command 'profle'", "did you mean profile or probe?")
        self.assert_one_error(self.run_command(["profile", "--modle", "x"]), "unknown option '--modle'", "--model")
        self.assert_one_error(self.run_command([]), "no command", "stallscope --help")
        self.assert_one_error(self.run_command(["profile", "extra"]), "unexpected argument 'extra'", "--help")

    def test_an_unknown_model_offers_its_neighbours(self):
        result = self.run_command(["profile", "--model", "resnet81"])
        self.assert_one_error(result, "no model 'resnet81'", "resnet18")

    def test_values_that_cannot_be_meant(self):
        cases = [
            (["--batch", "0"], "--batch 0", "1 or more"),
            (["--accumulate", "0"], "--accumulate 0", "1 or more"),
            (["--tolerance", "many"], "--tolerance 'many'", "3%"),
            (["--max-time", "5"], "--max-time '5'", "10m"),
            (["--bucket", "huge"], "--bucket 'huge'", "25MiB"),
            (["--dtype", "fp8"], "--dtype 'fp8'", "fp32 or bf16"),
            (["--optimizer", "adam"], "--optimizer 'adam'", "adamw"),
            (["--color", "blue"], "blue", "auto"),
            (["--nproc-per-node", "0"], "--nproc-per-node 0", "1 to"),
            (["--nnodes", "2", "--node-rank", "2", "--master-addr", "127.0.0.1"], "--node-rank 2", "0 to 1"),
            (["--nnodes", "2"], "--nnodes needs", "--node-rank 0"),
            (["--json", "/nowhere/x.json"], "/nowhere/x.json", "folder"),
            (["--model", "mlp:depth=3"], "depth", "layers"),
        ]
        for flags, what, fix in cases:
            with self.subTest(flags=flags):
                self.assert_one_error(self.run_command(["profile", *flags]), what, fix)

    def test_a_batch_that_is_no_number_is_refused(self):
        result = self.run_command(["profile", "--batch", "many"])
        self.assertEqual(result.returncode, 2)
        self.assertIn("--batch", result.stderr)

    def test_out_that_exists_is_not_overwritten(self):
        (self.folder / "old").mkdir()
        (self.folder / "old" / "profile.json").write_text("mine")
        result = self.run_command([*TINY, "--out", "old"])
        self.assert_one_error(result, "--out old exists", "--force")
        self.assertEqual((self.folder / "old" / "profile.json").read_text(), "mine")

    def test_a_half_launch_names_the_variable(self):
        self.assert_one_error(self.run_command(TINY, RANK="0"), "WORLD_SIZE", "set both")
        self.assert_one_error(self.run_command(TINY, RANK="x", WORLD_SIZE="2"), "RANK", "RANK")

    def test_a_taken_port_is_named(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            flags = ["--nnodes", "2", "--node-rank", "0", "--master-addr", "127.0.0.1", "--master-port", str(port)]
            result = self.run_command([*TINY, *flags])
        self.assert_one_error(result, f"port {port} is taken", "--master-port", code=1)
        self.assert_nothing_left()

    def test_an_unreachable_master_ends_in_a_sentence(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            port = other.getsockname()[1]
        flags = ["--nnodes", "2", "--node-rank", "1", "--master-addr", "127.0.0.1", "--master-port", str(port)]
        result = self.run_command([*TINY, *flags, "--join-timeout", "1s"])
        self.assert_one_error(result, f"cannot reach the master at 127.0.0.1:{port}", "--join-timeout", code=1)
        self.assert_nothing_left()

    def test_an_unknown_interface_is_named(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            port = other.getsockname()[1]
        flags = ["--nnodes", "2", "--master-addr", "127.0.0.1", "--master-port", str(port), "--nproc-per-node", "1"]
        both = [
            self.start([*TINY, *flags, "--node-rank", str(node), "--interface", "nosuch0", "--out", f"out{node}"])
            for node in (0, 1)
        ]
        results = [self.finish(process) for process in both]
        self.assertEqual([result.returncode for result in results], [1, 1])
        self.assertTrue(any("interface 'nosuch0'" in result.stderr for result in results), results)
        self.assert_nothing_left()


class Program(CommandTest):
    def test_the_command_links_no_torch(self):
        dynamic = subprocess.run(["readelf", "-d", STALLSCOPE], capture_output=True, text=True, check=True).stdout
        needed = [line for line in dynamic.splitlines() if "NEEDED" in line]
        self.assertTrue(needed)
        for line in needed:
            self.assertNotRegex(line, "torch|c10|gloo")
        engine = subprocess.run(
            ["readelf", "-d", str(BUILD / "stallscope-engine")], capture_output=True, text=True, check=True
        ).stdout
        self.assertIn("libtorch", engine)

    def test_help_and_version_stay_small(self):
        for flag in ("--version", "--help"):
            script = (
                "import resource, subprocess, sys;"
                "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True);"
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
            )
            # vfork in a small interpreter: the child's peak is its own.
            peak = subprocess.run(
                [sys.executable, "-S", "-E", "-c", script, STALLSCOPE, flag],
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertLess(int(peak.stdout) / 1024, 20, f"{flag} takes more than 20 MB")

    def test_a_closed_pipe_is_quiet(self):
        result = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {STALLSCOPE} profile --list-models | head -n 1"],
            capture_output=True,
            text=True,
        )
        self.assertEqual(result.stderr, "")
        self.assertEqual(len(result.stdout.splitlines()), 1)

    def test_an_engine_alone_says_who_starts_it(self):
        result = self.run_command([], program=(str(BUILD / "stallscope-engine"),))
        self.assert_one_error(result, "rank process", "stallscope profile")


if __name__ == "__main__":
    unittest.main(verbosity=2)
