"""What the browser tests share: documents of every kind, their pages, and Chromium to look at them with."""

import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import BUILD, SOURCE, CommandTest, clean_environment, skip_all  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NODE = shutil.which("node") or shutil.which("nodejs")
GOLDEN = SOURCE / "tests" / "golden"
RECOMMEND = ["recommend", "--model", "resnet50", "--dataset", "imagenet", "--epochs", "90", "--no-store"]
# Numbers are invented; the kinds of points, links and bucketings are those of a sweep.
LAW = pathlib.Path(__file__).with_name("law.json")
DRIVE = pathlib.Path(__file__).with_name("drive.mjs")


def packages():
    """The folder of Playwright, axe and TypeScript, fetched once for each lock file."""
    lock = SOURCE / "web" / "package-lock.json"
    folder = BUILD / "web-tests"
    stamp = folder / "installed"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(SOURCE / "web" / name, folder / name)
    command = ["npm", "ci", "--prefix", str(folder), "--ignore-scripts", "--no-audit", "--no-fund"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if result.returncode != 0:
        skip_all(f"npm could not fetch the packages of the browser tests: {result.stderr[-400:]}")
    stamp.write_text(wanted)
    return folder


def require_browser():
    if not CHROMIUM:
        skip_all("no chromium: apt-get install chromium")
    if not NODE or not shutil.which("npm"):
        skip_all("no node or npm: apt-get install nodejs npm")
    packages()


def screenshots():
    """Where pictures are kept for people to look at."""
    folder = pathlib.Path(os.environ.get("STALLSCOPE_SCREENSHOTS") or BUILD / "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Browser:
    """Chromium, started once for all cases of a script: a start takes longer than most of them."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="stallscope-test-browser-", ignore_cleanup_errors=True)
        self.complaints = open(pathlib.Path(self.folder.name) / "stderr", "w+")
        self.process = subprocess.Popen(
            [NODE, str(DRIVE), str(packages()), CHROMIUM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.complaints, text=True, env=clean_environment(TMPDIR=self.folder.name),
        )

    def look(self, jobs):
        patience = threading.Timer(300, self.process.kill)
        patience.start()
        try:
            self.process.stdin.write(json.dumps(jobs) + "\n")
            self.process.stdin.flush()
            answers = self.process.stdout.readline()
        except BrokenPipeError:
            answers = ""
        finally:
            patience.cancel()
        if not answers:
            self.close()
            raise AssertionError(f"the browser ended: {self.said}")
        return json.loads(answers)

    def close(self):
        if self.complaints.closed:
            return
        browser.cache_clear()
        try:
            self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        self.complaints.seek(0)
        self.said = self.complaints.read()
        self.complaints.close()
        self.folder.cleanup()


@functools.cache
def browser():
    started = Browser()
    unittest.addModuleCleanup(started.close)
    return started


class PageTest(CommandTest):
    def page(self, *documents, name="page.html"):
        """The page of one or several documents, beside the test's other files."""
        path = self.folder / name
        result = self.run_command(["report", *map(str, documents), "--html", str(path), "--force"])
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def look(self, *jobs):
        """Opens pages; see drive.mjs. Gives an answer for each."""
        return browser().look([{**job, "file": str(job["file"])} for job in jobs])

    def text_of(self, path):
        return self.look({"file": path, "ask": ["() => document.body.innerText"]})[0]["values"][0].replace("\u00a0", " ")

    def write(self, name, document):
        path = self.folder / name
        path.write_text(json.dumps(document))
        return path

    def comparison(self):
        path = self.folder / "comparison.json"
        faster = json.loads((GOLDEN / "profile-full.json").read_text())
        for rung in ("cluster", "warm", "cold"):
            time = faster["conditions"][rung]["step_time_s"]
            faster["conditions"][rung]["step_time_s"] = {key: value - 0.1 for key, value in time.items()}
        for total in ("first_epoch", "steady_state"):
            faster[total]["step_time_s"] = {key: value - 0.1 for key, value in faster[total]["step_time_s"].items()}
        other = self.write("faster.json", faster)
        self.run_command(["compare", str(GOLDEN / "profile-full.json"), str(other), "--json", str(path), "--quiet"])
        return path

    def validation(self):
        """Two machines of eight GPUs and one, from a table of four rows."""
        table = self.folder / "rates.csv"
        rows = ["series,network,gpu,gpus_per_node,nodes,batch_per_gpu,interconnect,network_gbps,samples_per_s,source"]
        for series, gpu, rates in (("a", "V100-SXM2-16GB", (360, 2700, 5000)), ("b", "P100-PCIE-16GB", (219, 1600, 3000))):
            for gpus, nodes, rate in zip((1, 8, 8), (1, 1, 2), rates):
                rows.append(f"{series},resnet50,{gpu},{gpus},{nodes},64,pcie,25,{rate},made")
        table.write_text("\n".join(rows) + "\n")
        path = self.folder / "validation.json"
        result = self.run_command(["validate", str(table), "--json", str(path), "--quiet"])
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def documents(self):
        """One of each kind, by name."""
        found = {
            "profile": GOLDEN / "profile-full.json",
            "profile-small": GOLDEN / "profile.json",
            "comparison": self.comparison(),
            "machine": GOLDEN / "machine.json",
            "law": LAW,
            "validation": self.validation(),
        }
        machines = "p3.2xlarge,p3.8xlarge,p3.16xlarge"
        commands = {
            "prediction": ["predict", "--model", "resnet50", "--instance", machines, "--nodes", "2", "--dataset", "imagenet"],
            "recommendation": [*RECOMMEND, "--deadline", "24h"],
            "survey": ["survey", "--models", "alexnet,resnet50,vgg11", "--instances", machines, "--no-store"],
        }
        for kind, command in commands.items():
            found[kind] = self.folder / f"{kind}.json"
            result = self.run_command([*command, "--json", str(found[kind]), "--quiet"])
            self.assertEqual(result.returncode, 0, result.stderr)
        return found


__all__ = ["CHROMIUM", "GOLDEN", "LAW", "NODE", "PageTest", "RECOMMEND", "SOURCE", "packages", "require_browser", "screenshots"]
