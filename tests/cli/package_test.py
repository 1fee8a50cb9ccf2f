"""The packages: they install where there is no torch, and the program works from there."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import BUILD, SOURCE, CommandTest, skip_all  # noqa: E402

TOOLS = {"cpack": "cmake", "dpkg-deb": "dpkg", "dpkg-shlibdeps": "dpkg-dev", "file": "file"}
TORCH = re.compile(r"torch|libgloo|libc10|onnx|caffe2")
GOLDEN = SOURCE / "tests" / "golden"
PROGRAM = """
import torch
from torch.utils.data import DataLoader, TensorDataset

model = torch.nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, labels in DataLoader(TensorDataset(torch.randn(160, 8), torch.randint(0, 2, (160,))), batch_size=8):
    torch.nn.functional.cross_entropy(model(inputs), labels).backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def torch_libraries():
    """Whatever of torch this machine has, for C++ and for Python."""
    folders = ("/usr/lib/x86_64-linux-gnu", "/usr/lib")
    found = [path for folder in folders for path in pathlib.Path(folder).glob("lib*.so*") if TORCH.search(path.name)]
    found += pathlib.Path("/usr/lib/python3/dist-packages").glob("torch/__init__.py")
    return sorted({path.resolve() for path in found if path.exists()})


class Package(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory(prefix="stallscope-test-package-")
        cls.packages = pathlib.Path(cls.shared.name)
        command = ["cpack", "--config", str(BUILD / "CPackConfig.cmake"), "-B", str(cls.packages)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=cls.packages)
        if result.returncode != 0:
            raise AssertionError(result.stdout + result.stderr)
        [cls.program] = [path for path in cls.packages.glob("*.deb") if "engine" not in path.name]
        cls.engines = [path for path in cls.packages.glob("*.deb") if "engine" in path.name]

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    def field(self, package, name):
        return subprocess.run(["dpkg-deb", "-f", str(package), name], capture_output=True, text=True, check=True).stdout

    def installed(self, *packages, torch=False):
        """A folder in which dpkg has installed them, with the packages of this machine, or without those of torch."""
        root = self.folder / "root"
        administration = root / "var/lib/dpkg"
        for folder in ("info", "updates", "triggers"):
            (administration / folder).mkdir(parents=True)
        entries = pathlib.Path("/var/lib/dpkg/status").read_text().split("\n\n")
        kept = [entry for entry in entries if torch or not TORCH.search(entry.split("\n", 1)[0])]
        (administration / "status").write_text("\n\n".join(kept))
        command = ["dpkg", f"--root={root}", "--force-not-root", "--force-unsafe-io", "--log=/dev/null", "-i", *map(str, packages)]
        environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
        result = subprocess.run(command, capture_output=True, text=True, env=environment)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return root

    def test_the_program_installs_and_works_where_there_is_no_torch(self):
        self.assertIsNone(TORCH.search(self.field(self.program, "Depends")))
        root = self.installed(self.program)
        binary = root / "usr/bin/stallscope"
        linked = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=True).stdout
        self.assertIsNone(TORCH.search(linked), linked)
        hide = [f"mount --bind /dev/null {path}" for path in torch_libraries()]
        script = "\n".join(["set -e", *hide, 'exec "$@"'])
        namespace = ("unshare", "--mount", "sh", "-c", script, "sh")
        if os.geteuid() != 0 or subprocess.run([*namespace, "true"], capture_output=True).returncode != 0:
            self.skipTest("torch's libraries can be hidden only by root, in a mount namespace")
        bare = (*namespace, str(binary))
        if hide:
            looked = self.run_command(["-c", "import torch; torch.zeros(1)"], program=(*namespace, "/usr/bin/python3"))
            self.assertNotEqual(looked.returncode, 0, "torch is still there")
        workload = ["--model", "resnet50", "--dataset", "imagenet"]
        commands = {
            "predict": [*workload, "--instance", "p3.8xlarge", "--json", "prediction.json"],
            "recommend": [*workload, "--epochs", "90", "--deadline", "24h", "--no-store", "--html", "recommendation.html"],
            "report": [str(GOLDEN / "profile-full.json"), "--html", "page.html"],
        }
        for name, arguments in commands.items():
            result = self.run_command([name, *arguments], program=bare)
            self.assertEqual(result.returncode, 0, f"{name}: {result.stderr}")
        for page in ("recommendation.html", "page.html"):
            self.assertIn("Content-Security-Policy", (self.folder / page).read_text())
        # What needs an engine or torch says so, and how to have it.
        (self.folder / "train.py").write_text(PROGRAM)
        result = self.run_command(["profile", "--model", "resnet18", "--no-store"], program=bare)
        self.assert_one_error(result, "stallscope-engine is not beside", "install the package stallscope-engine", 1)
        result = self.run_command(["run", "--explain", "--", "train.py"], program=bare, PATH="/usr/bin:/bin")
        self.assertEqual(len([line for line in result.stderr.splitlines() if line.startswith("error:")]), 1, result.stderr)

    def test_run_works_from_the_package_in_the_users_own_torch(self):
        if subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True).returncode != 0:
            self.skipTest("this machine's Python has no torch")
        binary = self.installed(self.program) / "usr/bin/stallscope"
        (self.folder / "train.py").write_text(PROGRAM)
        command = ["run", "--observe", "--python", "/usr/bin/python3", "--out", "seen", "--no-store", "--", "train.py"]
        result = self.run_command(command, program=(str(binary),))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.folder / "seen" / "observation.json").exists())

    def test_the_package_holds_what_people_and_shells_look_for(self):
        root = self.installed(self.program)
        for path in (
            "bin/stallscope",
            "share/man/man1/stallscope.1.gz",
            "share/bash-completion/completions/stallscope",
            "share/zsh/vendor-completions/_stallscope",
            "share/fish/vendor_completions.d/stallscope.fish",
            "share/doc/stallscope/copyright",
            "share/doc/stallscope/docs/schema/profile-1.schema.json",
        ):
            self.assertGreater((root / "usr" / path).stat().st_size, 100, path)
        self.assertIn("d3-scale", (root / "usr/share/doc/stallscope/licences.txt").read_text())
        # Nothing of the build's own folders is in the program.
        binary = (root / "usr/bin/stallscope").read_bytes()
        self.assertNotIn(str(SOURCE).encode() + b"/", binary)
        self.assertNotIn(str(BUILD).encode(), binary)

    def test_the_tarball_is_the_same_program(self):
        [tarball] = [path for path in self.packages.glob("*.tar.gz") if "engine" not in path.name]
        subprocess.run(["tar", "xf", str(tarball), "-C", str(self.folder)], check=True)
        [binary] = self.folder.glob("*/bin/stallscope")
        result = self.run_command(["--version"], program=(str(binary),))
        self.assertRegex(result.stdout, r"^stallscope \d+\.\d+\.\d+\n$")

    def test_the_engine_is_a_package_of_its_own_that_the_program_finds(self):
        if not self.engines:
            self.skipTest("this build has no engine (STALLSCOPE_ENGINE=OFF)")
        depends = self.field(self.engines[0], "Depends")
        self.assertRegex(depends, r"libtorch1\.\d+")
        self.assertRegex(depends, r"\bstallscope \(= \d")
        root = self.installed(self.program, *self.engines, torch=True)
        result = self.run_command(["doctor"], program=(str(root / "usr/bin/stallscope"),))
        self.assertIn(str(root / "usr/libexec/stallscope/stallscope-engine"), os.path.normpath(result.stdout.replace("bin/../", "")))

    def test_the_engine_takes_the_libtorch_that_the_prefix_names(self):
        torch = self.folder / "torch"
        names = ["include/torch/csrc/autograd/variable.h", "include/torch/csrc/api/include/torch/torch.h"]
        for name in [*names, *(f"lib/lib{library}.so" for library in ("torch", "torch_cpu", "c10"))]:
            (torch / name).parent.mkdir(parents=True, exist_ok=True)
            (torch / name).touch()
        configuration = torch / "share/cmake/Torch/TorchConfig.cmake"
        configuration.parent.mkdir(parents=True)
        configuration.write_text('set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")\n')
        flags = [f"-DCMAKE_PREFIX_PATH={torch}", "-DSTALLSCOPE_TESTS=OFF", "-GNinja"]
        command = ["cmake", "-S", str(SOURCE), "-B", str(self.folder / "build"), *flags]
        refused = subprocess.run(command, capture_output=True, text=True)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("old C++ ABI", refused.stderr)
        configuration.unlink()
        taken = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(taken.returncode, 0, taken.stderr)
        [link] = re.findall(r"build stallscope-engine:.*?LINK_LIBRARIES = (.*?)\n", (self.folder / "build/build.ninja").read_text(), re.DOTALL)
        self.assertIn(f"-rpath,{torch}/lib", link)
        cache = (self.folder / "build/CMakeCache.txt").read_text()
        for variable, library in (("TORCH_LIB", "torch"), ("TORCH_CPU_LIB", "torch_cpu"), ("C10_LIB", "c10")):
            self.assertIn(f"{variable}:FILEPATH={torch}/lib/lib{library}.so\n", cache)
        # Gloo is inside of it; Debian's would be a second one.
        self.assertNotIn("gloo", link)


if __name__ == "__main__":
    for tool, package in TOOLS.items():
        if not shutil.which(tool):
            skip_all(f"no {tool}: apt-get install {package}")
    if not (BUILD / "CPackConfig.cmake").exists():
        skip_all("this build was configured without packages")
    unittest.main(verbosity=2)
