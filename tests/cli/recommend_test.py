"""`stallscope recommend`: what to rent for a time or money budget."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import jsonschema  # noqa: E402
from support import CommandTest, SOURCE  # noqa: E402

SCHEMA = json.loads((SOURCE / "docs/schema/recommendation-1.schema.json").read_text())
SKYPILOT = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone\n"
    "p4d.24xlarge,A100,8,96,1152,21.96,9.50,us-east-1,us-east-1a\n"
    "p4d.24xlarge,A100,8,96,1152,3.5,1.25,mars-north-1,mars-north-1a\n"
)
PUBLISHED = (
    "series,network,precision,gpu,gpus_per_node,nodes,total_gpus,batch_per_gpu,instance,sync,framework,samples_per_s,source\n"
    "s,resnet50,fp32,V100-SXM2-16GB,8,1,8,32,p3.16xlarge,allreduce,PyTorch,2500,somebody\n"
)


class Recommend(CommandTest):
    def question(self, *more, model="resnet50"):
        return ["recommend", "--model", model, "--dataset", "imagenet", "--epochs", "90", "--no-store", *more]

    def own_data(self):
        return {"XDG_DATA_HOME": str(self.folder / "data")}

    def document(self, *more, code=0, **options):
        result = self.run_command([*self.question(*more, **options), "--json", "-"], **self.own_data())
        self.assertEqual(result.returncode, code, result.stderr)
        document = json.loads(result.stdout)
        jsonschema.validate(document, SCHEMA)
        return document

    def failed(self, *more, code=2):
        result = self.run_command(self.question(*more), **self.own_data())
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stderr

    def test_the_choice_is_the_first_candidate_that_fits_by_the_documented_rule(self):
        document = self.document("--deadline", "24h", "--provider", "aws", "--include-retired", "--gpu", "K80,V100")
        chosen = document["candidates"][document["choice"]["candidate"]]
        self.assertGreaterEqual(chosen["probability_in_time"], 0.9)
        # z(0.9) / z(0.975)
        share = 1.2815515655446004 / 1.959963984540054
        for candidate in document["candidates"]:
            work = candidate["work_h"]
            hours = candidate["setup_h"] + work["mean"] * (work["high"] / work["mean"]) ** share
            if hours <= 24:
                self.assertIs(candidate, chosen)
                break
        costs = [candidate["cost_usd"]["mean"] for candidate in document["candidates"]]
        self.assertEqual(costs, sorted(costs))
        self.assertIn("90 epochs", chosen["pays_for"])
        self.assertTrue(chosen["price_date"])
        self.assertTrue(chosen["price_stale"], "P3 prices are of machines that are no longer listed")

    def test_a_budget_alone_asks_for_the_fastest(self):
        document = self.document("--budget", "400", "--provider", "aws")
        chosen = document["candidates"][document["choice"]["candidate"]]
        self.assertEqual(document["question"]["objective"], "time")
        self.assertGreaterEqual(chosen["probability_in_budget"], 0.9)
        for i in document["top"]:
            self.assertGreaterEqual(document["candidates"][i]["hours"]["mean"], chosen["hours"]["mean"])

    def test_where_nothing_fits_the_closest_say_what_would_make_them_fit(self):
        document = self.document("--deadline", "1h", "--max-nodes", "1", "--provider", "aws", code=3)
        self.assertNotIn("choice", document)
        closest = document["closest"][0]
        self.assertIn("--deadline", closest["would_fit"])
        hours = closest["would_fit"].split("--deadline ")[1].split("h")[0]
        again = self.document("--deadline", hours + "h", "--max-nodes", "1", "--provider", "aws")
        self.assertEqual(
            again["choice"]["instance"], document["candidates"][closest["candidate"]]["instance"]
        )

    def test_every_machine_that_was_not_chosen_has_a_reason(self):
        document = self.document("--deadline", "24h", "--batch", "512", "--provider", "aws")
        reasons = {machine["reason"] for machine in document["rejected"]}
        self.assertLessEqual({"memory", "retired", "no-price", "dearer"}, reasons)
        chosen = document["choice"]["instance"]
        self.assertNotIn(chosen, {machine["instance"] for machine in document["rejected"]})
        small = {m["instance"] for m in document["rejected"] if m["reason"] == "memory"}
        self.assertFalse(small & {candidate["instance"] for candidate in document["candidates"]})

    def test_prices_discounts_and_billing_are_the_users_own(self):
        base = ["--deadline", "60h", "--gpu", "V100", "--provider", "aws", "--include-retired", "--max-nodes", "1"]
        cost = lambda *more: {  # noqa: E731
            c["instance"]: c for c in self.document(*base, *more)["candidates"] if c["market"] == "on-demand"
        }["p3.16xlarge"]
        plain = cost()
        self.assertAlmostEqual(cost("--discount", "aws=30%")["usd_hour"], 0.7 * plain["usd_hour"], places=6)
        mine = cost("--price", "p3.16xlarge=10")
        self.assertEqual((mine["usd_hour"], mine["price_from"]), (10, "yours"))
        # Whole hours of one machine at 10 USD, and storage beside them.
        hourly = cost("--price", "p3.16xlarge=10", "--billing", "1h", "--storage", "0")
        self.assertAlmostEqual(hourly["cost_usd"]["mean"] % 10, 0, places=6)
        self.assertEqual(cost("--setup", "0")["setup_h"], 0)

    def test_spot_machines_carry_their_interruptions(self):
        document = self.document("--deadline", "48h", "--spot", "--provider", "aws", "--interruptions", "0.2")
        spot = [c for c in document["candidates"] if c["market"] == "spot"]
        self.assertTrue(spot)
        for candidate in spot:
            self.assertGreater(candidate["spot"]["stretch"], 1)
        self.assertNotIn("spot machine", " ".join(document["money"]["assumed"]), "the rate was given")

    def test_published_rates_are_used_as_they_are_and_correct_their_neighbours(self):
        (self.folder / "rates.csv").write_text(PUBLISHED)
        document = self.document(
            "--published", "rates.csv", "--provider", "aws", "--gpu", "V100", "--include-retired", "--deadline", "48h",
            "--exclude", "p3dn.24xlarge,p3.2xlarge,p3.8xlarge",
        )
        basis = {c["nodes"]: c for c in document["candidates"] if c["instance"] == "p3.16xlarge"}
        self.assertEqual(basis[1]["basis"], "published")
        # 8 x 32 samples / 2500 a second.
        self.assertAlmostEqual(basis[1]["step_time_s"]["mean"], 0.1024)
        self.assertEqual(basis[2]["basis"], "calibrated")

    def test_a_skypilot_table_brings_its_regions_and_a_letter_in_a_price_is_named(self):
        (self.folder / "vms.csv").write_text(SKYPILOT.replace("3.5,", "3.s,"))
        import_ = ["catalog", "import", "--skypilot", "vms.csv", "--provider", "aws", "--date", "2026-11-01"]
        result = self.run_command(import_, **self.own_data())
        self.assertEqual(result.returncode, 1)
        for part in ("vms.csv", "3", "Price", "--lenient"):
            self.assertIn(part, result.stderr)
        self.assertEqual(self.run_command([*import_, "--lenient"], **self.own_data()).returncode, 0)
        (self.folder / "vms.csv").write_text(SKYPILOT)
        self.assertEqual(self.run_command([*import_, "--force"], **self.own_data()).returncode, 0)
        chosen = self.document("--deadline", "48h", "--provider", "aws", "--gpu", "A100")["choice"]
        self.assertEqual((chosen["region"], chosen["usd_hour"]), ("mars-north-1", 3.5))

    def test_skypilot_can_launch_the_choice(self):
        result = self.run_command(
            self.question("--deadline", "24h", "--provider", "aws", "--emit", "skypilot"), **self.own_data()
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        task = (self.folder / "skypilot.yaml").read_text()
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is not installed")
        task = yaml.safe_load(task)
        chosen = self.document("--deadline", "24h", "--provider", "aws")["choice"]
        self.assertEqual(task["resources"]["instance_type"], chosen["instance"])
        self.assertEqual(task["num_nodes"], chosen["nodes"])
        self.assertEqual(task["resources"]["infra"], "aws/us-east-1")
        self.assertIn("torchrun", task["run"])

    def test_tables_for_other_programs(self):
        result = self.run_command(self.question("--deadline", "24h", "--csv", "-"), **self.own_data())
        lines = result.stdout.splitlines()
        self.assertTrue(lines[0].startswith("chosen,pareto,provider,instance"))
        self.assertEqual(sum(line.startswith("yes,") for line in lines), 1)
        result = self.run_command(self.question("--deadline", "24h", "--markdown", "-"), **self.own_data())
        self.assertIn("| machine | n |", result.stdout)

    def test_the_measurement_that_is_named_is_worth_more_than_it_costs(self):
        document = self.document("--deadline", "24h", "--provider", "aws")
        offer = document["next_measurement"]
        self.assertGreater(offer["worth_usd"], offer["cost_usd"])
        self.assertIn("stallscope run", offer["command"])

    def test_bad_input_is_named_with_a_fix(self):
        self.assertIn("p3.16xlarge", self.failed("--deadline", "24h", "--exclude", "p3.16xlrge"))
        self.assertIn("above zero", self.failed("--deadline", "-5h"))
        self.assertIn("above zero", self.failed("--deadline", "0h"))
        self.assertIn("us-east-1", self.failed("--deadline", "24h", "--region", "us-eest-1"))
        self.assertIn("column", self.failed("--deadline", "24h", "--price", "p3.16xlarge=9.x"))
        self.assertIn("aws=30%", self.failed("--deadline", "24h", "--discount", "aws=130%"))
        self.assertIn("0.5 to 0.99", self.failed("--deadline", "24h", "--confidence", "0.3"))

    def test_an_empty_store_leaves_every_time_predicted(self):
        command = [argument for argument in self.question("--deadline", "24h") if argument != "--no-store"]
        result = self.run_command([*command, "--store", "nothing"], **self.own_data())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("every time is", result.stdout.replace("\n ", ""))

    def profile(self, **cluster):
        """A profile of a GPU, made of one that was measured on CPUs; 100 samples of 1 kB."""
        document = json.loads((SOURCE / "tests/golden/profile-full.json").read_text())
        document["cluster"].update({"device": "cuda", "emulated": False, **cluster})
        (self.folder / "mine.json").write_text(json.dumps(document))
        return document

    def of_profile(self, *more, code=0):
        result = self.run_command(
            ["recommend", "--profile", "mine.json", "--no-store", "--deadline", "5000h", "--provider", "aws", *more],
            **self.own_data(),
        )
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stderr if code else json.loads(result.stdout)

    def test_the_data_of_the_flags_replaces_the_profiles(self):
        self.profile()
        v100 = ["--measured-on", "V100", "--json", "-"]
        document = self.of_profile("--dataset", "imagenet", *v100)
        self.assertEqual(document["workload"]["samples"], 1281167)
        self.assertEqual(self.of_profile("--samples", "5000", *v100)["workload"]["samples"], 5000)
        bytes_given = self.of_profile("--samples", "5000", "--sample-bytes", "2MB", *v100)
        self.assertAlmostEqual(bytes_given["money"]["storage_gb"], 10)  # 5000 x 2 MB
        same = self.of_profile("--gpu", "V100", "--include-retired", *v100)["candidates"]
        self.assertTrue(same)
        for candidate in same:
            self.assertIn("measured on this GPU: solo of mine.json", candidate["from"])
        for flag in (["--dtype", "amp"], ["--image-size", "32"], ["--sequence-length", "8"]):
            self.assertIn("profile's own", self.of_profile(*flag, *v100, code=2))
        self.assertIn("pytorch", self.of_profile("--stack", "nonsense", *v100, code=2).lower())
        self.assertIn("--measured-on", self.of_profile(code=2))

    def test_cpus_and_emulated_networks_say_nothing_of_gpus(self):
        model = self.profile(device="cpu")["workload"]["model"]
        self.assertIn("measured on CPUs", self.of_profile("--measured-on", "V100", code=1))
        self.assertIn("measured on CPUs", self.of_profile(code=1))
        question = ["recommend", "--model", model, "--samples", "1000", "--no-store", "--deadline", "48h",
                    "--measured", "p3.8xlarge=mine.json"]
        same_size = ["--image-size", "64"]
        self.assertIn("on CPUs", self.run_command([*question, *same_size], **self.own_data()).stderr)
        self.profile(emulated=True)
        self.assertIn("emulated", self.run_command([*question, *same_size], **self.own_data()).stderr)
        self.assertIn("at 64 pixels", self.run_command(question, **self.own_data()).stderr)

    def test_names_are_taken_in_any_case_and_unknown_ones_refused(self):
        one = ["--deadline", "96h", "--gpu", "A100"]
        document = self.document(*one, "--provider", "AWS", "--region", "US-East-1", "--exclude", "P4D.*")
        self.assertEqual({c["region"] for c in document["candidates"]}, {"us-east-1"})
        self.assertFalse([c for c in document["candidates"] if c["instance"].startswith("p4d.")])
        self.assertEqual(document["question"]["provider"], "aws")
        self.assertIn("--billing", self.failed(*one, "--billing", "foo=1s"))
        self.document(*one, "--billing", "AWS=1h")
        self.assertIn("stallscope catalog import FILE", self.failed(*one, "--region", "ap-south-1"))

    def test_one_output_alone_goes_to_standard_output(self):
        for two in (["--csv", "-", "--json", "-"], ["--markdown", "-", "--emit", "skypilot:-"]):
            self.assertIn("both go to standard output", self.failed("--deadline", "24h", *two))

    def test_a_retired_machine_that_the_user_pays_for_is_tried(self):
        one = ["--deadline", "96h", "--gpu", "V100", "--provider", "aws", "--exclude", "p3dn.24xlarge"]
        document = self.document(*one, "--price", "p3.16xlarge=9")
        self.assertEqual({c["instance"] for c in document["candidates"]}, {"p3.16xlarge"})
        (self.folder / "vms.csv").write_text(
            SKYPILOT.splitlines()[0] + "\np3.8xlarge,V100,4,32,244,12.24,,us-east-1,us-east-1a\n")
        for day in ("2026-13-40", "2026-02-30", "2999-01-01"):
            import_ = ["catalog", "import", "--skypilot", "vms.csv", "--provider", "aws", "--date", day]
            result = self.run_command(import_, **self.own_data())
            self.assertEqual(result.returncode, 2)
            self.assertIn(day, result.stderr)
        self.assertEqual(self.run_command([*import_[:-1], "2026-11-01"], **self.own_data()).returncode, 0)
        self.assertEqual({c["instance"] for c in self.document(*one)["candidates"]}, {"p3.8xlarge"})

    def test_the_discount_that_is_named_fits(self):
        one = ["--budget", "150", "--provider", "aws", "--gpu", "A100", "--max-nodes", "1"]
        closest = self.document(*one, "--discount", "10%", code=3)["closest"][0]
        share = closest["would_fit"].split("a discount of ")[1].split(" %")[0]
        self.document(*one, "--discount", f"{share}%")
        self.document(*one, "--discount", f"{int(share) - 1}%", code=3)


if __name__ == "__main__":
    unittest.main()
