"""`stallscope predict`: a network, or a measured workload, on machines that nobody has rented."""

import json
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import CommandTest, SOURCE  # noqa: E402

GOLDEN = SOURCE / "tests" / "golden"
P3 = ["--model", "resnet50", "--instance", "p3.8xlarge", "--nodes", "2"]


class Predict(CommandTest):
    def predicted(self, *arguments):
        result = self.run_command(["predict", *arguments, "--json", "-"])
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def text(self, *arguments):
        result = self.run_command(["predict", *arguments])
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def refused(self, *arguments, what, fix, code=2):
        self.assert_one_error(self.run_command(["predict", *arguments]), what, fix, code)

    def gpu_profile(self, **workload):
        """The golden profile, as if a GPU had been measured: 0.25 s alone."""
        document = json.loads((GOLDEN / "profile.json").read_text())
        document["cluster"]["device"] = "cuda"
        document["workload"].update(workload)
        (self.folder / "gpu.json").write_text(json.dumps(document))
        return "gpu.json"


class OneMachine(Predict):
    def test_the_parts_make_the_step_the_step_the_rate_and_the_rate_the_epoch_and_its_cost(self):
        document = self.predicted(*P3, "--dataset", "imagenet")
        step = document["step_time_s"]["mean"]
        self.assertAlmostEqual(sum(part["seconds"]["mean"] for part in document["stalls"].values()), step)
        self.assertEqual(set(document["stalls"]), {"compute", "interconnect", "network", "prep", "fetch"})
        # 2 machines x 4 GPUs x 32 samples.
        self.assertAlmostEqual(document["samples_per_s"]["mean"], 256 / step)
        epoch = math.ceil(1281167 / 256) * step
        self.assertAlmostEqual(document["epoch_time_s"]["mean"], epoch)
        price = document["price"]
        self.assertRegex(price["date"], r"^\d{4}-\d\d-\d\d$")
        self.assertEqual(price["machines"], 2)
        self.assertAlmostEqual(document["epoch_cost_usd"]["mean"], 2 * price["usd_per_hour"] * epoch / 3600)

    def test_every_number_has_an_interval_and_a_basis(self):
        document = self.predicted(*P3, "--dataset", "imagenet")
        for name in ("step_time_s", "samples_per_s", "epoch_time_s", "epoch_cost_usd"):
            with self.subTest(name):
                self.assertLess(document[name]["low"], document[name]["mean"])
                self.assertGreater(document[name]["high"], document[name]["mean"])
        for name, part in document["stalls"].items():
            with self.subTest(name):
                self.assertLessEqual(part["seconds"]["low"], part["seconds"]["mean"])
                self.assertIn(part["basis"], ("published", "scaled", "table"))
                self.assertTrue(part["from"])
        self.assertEqual(document["stalls"]["compute"]["basis"], "published")
        # Nobody published a rate of this one.
        other = self.predicted("--model", "mlp:layers=8,width=512", "--instance", "p3.2xlarge")
        self.assertEqual(other["stalls"]["compute"]["basis"], "table")

    def test_what_does_not_apply_is_absent_with_a_reason(self):
        document = self.predicted("--model", "resnet50", "--instance", "p3.2xlarge")
        self.assertEqual(set(document["stalls"]), {"compute"})
        self.assertEqual(
            {entry["part"] for entry in document["absent"]}, {"interconnect", "network", "prep", "fetch", "epoch"}
        )
        self.assertNotIn("epoch_cost_usd", document)

    def test_the_same_question_gets_the_same_answer(self):
        one, other = (self.predicted(*P3, "--dataset", "imagenet")["machines"] for _ in range(2))
        self.assertEqual(one, other)

    def test_people_read_the_same_and_report_repeats_it(self):
        arguments = [*P3, "--dataset", "imagenet", "--bandwidth", "25Gbit"]
        text = self.text(*arguments, "--json", "prediction.json")
        for words in ("compute", "interconnect", "network", "prep", "fetch", "epoch's cost", "published", "95 %",
                      "us-east-1, list of 20", "no storage", "what if 2 x p3.8xlarge had 25 Gbit"):
            self.assertIn(words, text)
        report = self.run_command(["report", "prediction.json"])
        self.assertEqual(report.stdout, text)

    def test_an_impossible_batch_is_refused_with_the_largest_possible_one(self):
        result = self.run_command(["predict", "--model", "resnet50", "--instance", "p3.2xlarge", "--batch", "4096"])
        self.assert_one_error(result, "needs at least", "use --batch", 1)
        largest = int(result.stderr.split("use --batch ")[1].split()[0])
        resnet = ["--model", "resnet50", "--instance", "p3.2xlarge", "--batch"]
        self.predicted(*resnet, str(largest))
        self.refused(*resnet, str(largest + 1), what="needs at least", fix=f"--batch {largest}", code=1)

    def test_the_image_size_drives_the_gradients_as_well(self):
        # The first layer of an mlp has a weight for every pixel.
        small, large = (
            self.predicted("--model", "mlp:layers=3,width=512", "--image-size", size, "--instance", "p3.8xlarge",
                           "--nodes", "2")
            for size in ("32", "128")
        )
        self.assertGreater(large["workload"]["gradient_bytes"], 5 * small["workload"]["gradient_bytes"])
        self.assertGreater(large["stalls"]["network"]["seconds"]["mean"],
                           3 * small["stalls"]["network"]["seconds"]["mean"])

    def test_a_slice_of_a_gpu_has_its_share(self):
        whole = self.predicted("--model", "resnet18", "--batch", "8", "--instance", "g6.xlarge")
        slice_ = self.predicted("--model", "resnet18", "--batch", "8", "--instance", "g6f.large")
        self.assertIn("gpu share", slice_["assumed"])
        # An eighth of the rates; what does not scale is launching kernels.
        self.assertGreater(slice_["step_time_s"]["mean"], 3 * whole["step_time_s"]["mean"])


class SeveralMachines(Predict):
    def test_each_has_a_row_in_the_order_asked(self):
        names = ["p3.16xlarge", "g5.12xlarge", "p2.16xlarge"]
        document = self.predicted("--model", "vgg11", "--instance", ",".join(names), "--dataset", "imagenet")
        self.assertEqual([machine["instance"] for machine in document["machines"]], names)
        for key, value in document["machines"][0].items():
            self.assertEqual(document[key], value, key)
        text = self.text("--model", "vgg11", "--instance", names[0], "--instance", ",".join(names), "--dataset", "imagenet")
        self.assertEqual(text.count("\n1 x p3.16xlarge"), 3, text)
        self.assertIn("Fastest: ", text)
        self.assertIn("Cheapest per epoch: ", text)

    def test_a_machine_that_cannot_take_the_batch_is_named_with_the_reason(self):
        arguments = ["--model", "vgg16", "--batch", "128", "--instance", "p3.16xlarge,g6f.large"]
        document = self.predicted(*arguments)
        self.assertEqual([machine["instance"] for machine in document["machines"]], ["p3.16xlarge"])
        (refused,) = document["refused"]
        self.assertEqual(refused["instance"], "g6f.large")
        self.assertIn("needs at least", refused["reason"])
        self.assertIn("not predicted: 1 x g6f.large", self.text(*arguments))
        self.refused("--model", "vgg16", "--batch", "4096", "--instance", "p3.16xlarge,g6f.large",
                     what="none of the 2 machines", fix="--batch", code=1)


class WhatIf(Predict):
    def change(self, *arguments):
        document = self.predicted(*P3, "--dataset", "imagenet", "--cached", "0%", *arguments)
        what_if = document["what_if"]
        change = what_if["step_time_change"]
        changed = what_if["changed"]["step_time_s"]["mean"]
        self.assertAlmostEqual(change["mean"], changed / document["step_time_s"]["mean"] - 1)
        self.assertLessEqual(change["low"], change["mean"])
        self.assertGreaterEqual(change["high"], change["mean"])
        return document, what_if["changed"], change

    def test_a_faster_network_shortens_the_network_stall_alone(self):
        plain, changed, change = self.change("--bandwidth", "25Gbit")
        self.assertLess(change["mean"], -0.1)
        self.assertLessEqual(change["high"], 0)
        self.assertLess(changed["stalls"]["network"]["seconds"]["mean"], plain["stalls"]["network"]["seconds"]["mean"])
        self.assertEqual(changed["stalls"]["interconnect"]["seconds"], plain["stalls"]["interconnect"]["seconds"])
        # As fast as it is: nothing changes, and that is certain although both predictions are not.
        _, _, nothing = self.change("--bandwidth", "10Gbit")
        self.assertEqual((nothing["low"], nothing["mean"], nothing["high"]), (0, 0, 0))

    def test_other_gpus_change_the_compute_time_and_have_no_price(self):
        plain, changed, _ = self.change("--gpu", "A100", )
        self.assertLess(changed["stalls"]["compute"]["seconds"]["mean"], plain["stalls"]["compute"]["seconds"]["mean"])
        self.assertIn("epoch_cost_usd", plain)
        self.assertNotIn("epoch_cost_usd", changed)
        self.assertIn("nobody rents out", " ".join(entry["reason"] for entry in changed["absent"]))

    def test_fewer_workers_prepare_less(self):
        plain, changed, _ = self.change("--workers", "1")
        self.assertGreater(changed["stalls"]["prep"]["seconds"]["mean"],
                           2 * plain["stalls"]["prep"]["seconds"]["mean"])


class MeasuredWorkload(Predict):
    def test_on_the_gpu_that_was_measured_on_the_compute_time_is_the_measured_one(self):
        document = self.predicted("--profile", self.gpu_profile(), "--measured-on", "V100", "--instance", "p3.16xlarge")
        compute = document["stalls"]["compute"]
        self.assertEqual(compute["basis"], "measured")
        self.assertAlmostEqual(compute["seconds"]["mean"], 0.25)
        self.assertEqual(document["workload"]["profile"], "gpu.json")

    def test_another_gpu_scales_it_by_layers_or_within_bounds(self):
        # A T4 has about half of a V100's arithmetic and a third of its memory bandwidth; eight images of 64 pixels
        # are bound by launching kernels, which the table of resnet18's layers knows and a program's name does not.
        for workload, words, least in (
            ({}, "by the layers of resnet18", 1.1),
            ({"model": "train.py"}, "memory bandwidth", 1.8),
        ):
            with self.subTest(words):
                document = self.predicted("--profile", self.gpu_profile(**workload), "--measured-on", "V100",
                                          "--instance", "g4dn.12xlarge")
                compute = document["stalls"]["compute"]
                self.assertEqual(compute["basis"], "scaled")
                self.assertIn(words, compute["from"])
                self.assertGreater(compute["seconds"]["mean"], least * 0.25)
                self.assertLess(compute["seconds"]["mean"], 4 * 0.25)

    def test_what_a_profile_cannot_tell_is_asked_for(self):
        cpu = str(GOLDEN / "profile.json")
        self.refused("--profile", cpu, "--instance", "p3.8xlarge", what="measured on CPUs", fix="--model", code=1)
        self.refused("--profile", self.gpu_profile(), "--instance", "p3.8xlarge", what="which GPU", fix="--measured-on")
        self.refused("--profile", self.gpu_profile(), "--measured-on", "V1000x", "--instance", "p3.8xlarge",
                     what="V1000x", fix="V100")


class OnProcessors(Predict):
    def setUp(self):
        super().setUp()
        card = json.loads((GOLDEN / "machine.json").read_text())
        card["gpus"] = []
        card["topology"]["pci_devices"] = [d for d in card["topology"]["pci_devices"] if d["kind"] != "gpu"]
        card["collectives"] = [curve for curve in card["collectives"] if curve["where"] == "machine"]
        (self.folder / "card.json").write_text(json.dumps(card))
        self.here = ["--profile", str(GOLDEN / "profile.json"), "--machine", "card.json"]

    def test_a_measured_workload_over_any_link(self):
        one = self.predicted(*self.here)
        self.assertEqual(set(one["stalls"]), {"compute", "interconnect"})
        self.assertEqual(one["stalls"]["compute"]["basis"], "measured")
        # Two ranks on each of two machines over a link that the card does not know: --bandwidth says it.
        slow, fast = (self.predicted(*self.here, "--nodes", "2", "--bandwidth", rate) for rate in ("200Mbit", "1Gbit"))
        self.assertNotIn("what_if", slow)
        self.assertGreater(slow["step_time_s"]["mean"], fast["step_time_s"]["mean"])
        for document in (one, slow, fast):
            parts = sum(part["seconds"]["mean"] for part in document["stalls"].values())
            self.assertAlmostEqual(parts, document["step_time_s"]["mean"])
        # 46.8 MB of gradients, 2 x 3/4 of them over a wire of 25 MB/s at most: 2.8 s at least, less what hides.
        self.assertGreater(slow["stalls"]["network"]["seconds"]["mean"], 2)

    def test_a_law_takes_the_place_of_the_cards_all_reduces(self):
        law = json.loads((GOLDEN.parent / "browser" / "law.json").read_text())
        law["host"] = json.loads((self.folder / "card.json").read_text())["host"]
        over = ["--nodes", "2", "--bandwidth", "200Mbit"]
        steps = {}
        for share in (0.5, 1.0):
            values = {"message_s": 1e-4, "tensor_s": 0, "processor_s_per_byte": 1e-9, "copy_s_per_byte": 1e-9,
                      "wire_share": share, "straggling_s": 0}
            law["coefficients"] = [{"name": name, "unit": "s", "meaning": name,
                                    "value": {"mean": value, "low": value, "high": value}} for name, value in values.items()]
            (self.folder / "law.json").write_text(json.dumps(law))
            document = self.predicted(*self.here, *over, "--law", "law.json")
            self.assertIn("the law in law.json", json.dumps(document))
            steps[share] = document["stalls"]["network"]["seconds"]["mean"]
        # Half of the wire for gradients: their 2.8 s at least again.
        self.assertGreater(steps[0.5] - steps[1.0], 2)
        self.assertNotIn("law", json.dumps(self.predicted(*self.here, *over, "--no-law")["stalls"]))

    def test_what_is_missing_is_asked_for(self):
        self.refused(*self.here, "--nodes", "2", what="how fast the link", fix="--bandwidth", code=1)
        self.refused(*self.here, "--workers", "2", what="--workers", fix="leave it out")
        self.refused("--model", "resnet18", "--machine", "card.json", what="has no GPU", fix="--profile", code=1)

    def test_a_card_with_gpus_is_a_machine_as_any_other(self):
        document = self.predicted("--model", "resnet50", "--machine", str(GOLDEN / "machine.json"))
        self.assertEqual(document["gpu"], "A100-SXM4-40GB")
        self.assertEqual(document["provider"], "own")


class BadInput(Predict):
    def test_one_sentence_and_a_fix(self):
        resnet = ["--model", "resnet50"]
        on_p3 = [*resnet, "--instance", "p3.8xlarge"]
        cases = [
            ([], "nothing to predict", "--model"),
            (resnet, "no machine", "--instance"),
            ([*resnet, "--instance", ","], "names no machine", "catalog list"),
            ([*resnet, "--instance", "p3.8xlrge"], "p3.8xlrge", "p3.8xlarge"),
            (["--model", "resnet51", "--instance", "p3.8xlarge"], "resnet51", "resnet50"),
            ([*on_p3, "--profile", "x.json"], "--model and --profile", "one of them"),
            ([*on_p3, "--machine", "x.json"], "--instance and --machine", "--catalog"),
            ([*on_p3, "--nodes", "0"], "--nodes 0", "1 to"),
            ([*on_p3, "--batch", "0"], "--batch 0", "1 to"),
            ([*on_p3, "--dtype", "fp8"], "fp8", "bf16"),
            ([*on_p3, "--stack", "chainer"], "chainer", "pytorch"),
            ([*on_p3, "--bucket", "huge"], "--bucket 'huge'", "25MiB"),
            ([*on_p3, "--bandwidth", "25Gbit"], "one machine", "--nodes 2"),
            ([*on_p3, "--nodes", "2", "--bandwidth", "25"], "--bandwidth '25'", "25Gbit"),
            ([*on_p3, "--nodes", "2", "--bandwidth", "0Gbit"], "--bandwidth '0Gbit'", "25Gbit"),
            ([*on_p3, "--gpu", "A1000"], "A1000", "A100"),
            ([*on_p3, "--workers", "4"], "--workers", "--dataset"),
            ([*on_p3, "--cached", "50%"], "--cached", "--dataset"),
            ([*on_p3, "--dataset", "imagnet"], "imagnet", "imagenet"),
            ([*on_p3, "--dataset", "wikipedia-tokens"], "resnet50 reads images", "--samples"),
            ([*on_p3, "--dataset", "imagenet", "--samples", "5", "--sample-bytes", "1kB"], "two data sets", "one"),
            ([*on_p3, "--samples", "5"], "go together", "--sample-bytes"),
            ([*on_p3, "--samples", "many", "--sample-bytes", "1kB"], "--samples 'many'", "whole number"),
            ([*on_p3, "--samples", "5", "--sample-bytes", "-1"], "--sample-bytes '-1'", "110kB"),
            ([*on_p3, "--dataset", "imagenet", "--cached", "150%"], "--cached '150%'", "80%"),
            ([*on_p3, "--measured-on", "V100"], "--measured-on", "--profile"),
            ([*on_p3, "--image-size", "8"], "8 pixels", "--image-size"),
            ([*on_p3, "--json", "/nowhere/x.json"], "/nowhere/x.json", "folder"),
            (["--profile", str(GOLDEN / "profile.json"), "--instance", "p3.8xlarge", "--batch", "4"],
             "the profile's own", "leave them out"),
        ]
        for arguments, what, fix in cases:
            with self.subTest(arguments=arguments):
                self.refused(*arguments, what=what, fix=fix)

    def test_what_the_catalog_does_not_know_is_said(self):
        self.refused("--model", "resnet50", "--instance", "trn1.32xlarge", what="Trainium", fix="--catalog", code=1)
        self.refused("--profile", "nowhere.json", "--instance", "p3.8xlarge", what="nowhere.json", fix="", code=1)
        self.refused("--model", "resnet50", "--machine", str(GOLDEN / "profile.json"), what="machine", fix="", code=1)


if __name__ == "__main__":
    unittest.main()
