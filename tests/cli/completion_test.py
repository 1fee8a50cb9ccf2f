"""The man page and the shells' completions: they say what the commands say of themselves."""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import CommandTest  # noqa: E402

FLAG = re.compile(r"^  (?:-\w,)?(--[\w-]+)", re.MULTILINE)
COMMAND = re.compile(r"^  (\w[\w-]*) {2,}\w", re.MULTILINE)


class Completion(CommandTest):
    def said(self, *arguments):
        result = self.run_command([*arguments])
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def commands(self):
        """Every command as --help names it: ["dataset", "make"]."""
        found = []
        for name in COMMAND.findall(self.said("--help").split("Options:")[1]):
            found.append([name])
            help_text = self.said(name, "--help")
            if "SUBCOMMAND" in help_text:
                found += [[name, inner] for inner in COMMAND.findall(help_text.split("Commands:")[1])]
        return found

    def complete(self, script, *words):
        """What bash offers for the last of these words."""
        text = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _stallscope; printf "%s\\n" "${COMPREPLY[@]}"'
        command = ["bash", "--norc", "-c", text, "bash", str(script), "stallscope", *words]
        result = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_the_man_page_has_every_command_and_every_flag(self):
        page = self.said("manual").replace("\\-", "-")
        commands = self.commands()
        self.assertGreater(len(commands), 15)
        for command in commands:
            title = " ".join(["stallscope", *command]).upper()
            part = page.split(f'.SH "{title}"\n')
            self.assertEqual(len(part), 2, title)
            part = part[1].split("\n.SH ")[0]
            for flag in FLAG.findall(self.said(*command, "--help")):
                self.assertRegex(part, rf'\n\.B ".*{flag}[ "]', command)
        self.assertNotIn("COMPLETIONS", page)

    def test_roff_has_nothing_to_say_against_the_man_page(self):
        if not shutil.which("groff"):
            self.skipTest("no groff: apt-get install groff-base")
        page = self.folder / "stallscope.1"
        page.write_text(self.said("manual"))
        result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", str(page)], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_bash_completes_commands_flags_choices_and_files(self):
        script = self.folder / "stallscope.bash"
        script.write_text(self.said("completions", "bash"))
        (self.folder / "my photos").mkdir()
        self.assertEqual(self.complete(script, "rec"), ["recommend"])
        self.assertEqual(self.complete(script, "dataset", "ma"), ["make"])
        self.assertEqual(self.complete(script, "profile", "--color", "al"), ["always"])
        self.assertEqual(self.complete(script, "profile", "--data", "my"), ["my", "photos"])
        self.assertEqual(self.complete(script, "profile", "--max-time", ""), [])
        self.assertEqual(self.complete(script, "run", "--quiet", "--", "stall"), ["stallscope.bash"])
        for command in self.commands():
            flags = set(FLAG.findall(self.said(*command, "--help")))
            self.assertEqual(set(self.complete(script, *command, "--")) - flags, set(), command)
            self.assertEqual(flags - set(self.complete(script, *command, "--")), set(), command)

    def test_zsh_and_fish_read_their_scripts_and_find_every_flag(self):
        flags = {flag for command in self.commands() for flag in FLAG.findall(self.said(*command, "--help"))}
        zsh, fish = self.said("completions", "zsh"), self.said("completions", "fish")
        for flag in flags:
            self.assertIn(f"'*{flag}[", zsh)
            self.assertRegex(fish, rf" -l {flag[2:]}\b")
        for shell, text in (("zsh", zsh), ("fish", fish)):
            if not shutil.which(shell):
                print(f"skipped: no {shell} to read its script with")
                continue
            result = subprocess.run([shell, "-n"], input=text, capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stderr), (0, ""), shell)

    def test_a_shell_without_a_completion_is_refused(self):
        self.assert_one_error(self.run_command(["completions", "tcsh"]), "no completion for 'tcsh'", "bash, zsh or fish")


if __name__ == "__main__":
    unittest.main(verbosity=2)
