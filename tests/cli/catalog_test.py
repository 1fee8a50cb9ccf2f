"""stallscope catalog: facts of machines and prices, the user's own on top, and the tables that they were drawn from."""

import csv
import json
import pathlib
import subprocess
import sys
import unittest

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support import SOURCE, STALLSCOPE, CommandTest  # noqa: E402

SCHEMA = json.loads((SOURCE / "docs/schema/catalog-1.schema.json").read_text())
SHARED = SOURCE.parent / "shared/data/catalog"
needs_tables = unittest.skipUnless(SHARED.is_dir(), f"{SHARED} is not there")


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def same(one, other):
    """Equal cells: both blank, or the same text or number."""
    if one == other:
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        return False


class Catalog(CommandTest):
    def setUp(self):
        super().setUp()
        self.environment["XDG_DATA_HOME"] = str(self.folder / "data")
        self.environment.pop("STALLSCOPE_STORE", None)

    def catalog(self, *arguments):
        return subprocess.run(
            [STALLSCOPE, "catalog", *map(str, arguments)], capture_output=True, text=True, env=self.environment, timeout=60
        )

    def document(self, *arguments):
        result = self.catalog(*arguments, "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        if document["schema"] == "stallscope.catalog/1":
            jsonschema.validate(document, SCHEMA)
        return document

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_list_filters_and_sorts(self):
        listed = self.document("list", "--provider", "aws", "--gpu", "v100", "--sort", "price")["machines"]
        self.assertEqual([m["machine"] for m in listed], ["p3.2xlarge", "p3.8xlarge", "p3.16xlarge", "p3dn.24xlarge"])
        self.assertEqual(listed[0]["price"]["on_demand_usd_hour"], 3.06)
        text = self.catalog("list", "--provider", "aws", "--gpu", "V100").stdout
        self.assertIn("p3.8xlarge", text)
        self.assertIn("4 machines", text)

    def test_show_has_sources_prices_and_topology(self):
        machine = self.document("show", "p4d.24xlarge")["machines"][0]
        self.assertEqual(machine["interconnect_one_way_bytes_per_s"], 300e9)
        self.assertTrue(all(source["where"] for source in machine["sources"]))
        self.assertEqual(len([n for n in machine["topology"]["nodes"] if n["kind"] == "gpu"]), 8)
        self.assertTrue(any(curve["transport"] == "efa" for curve in machine["allreduce"]))
        text = self.catalog("show", "p3.8xlarge").stdout
        for part in ("V100-SXM2-16GB", "12.24 USD/h", "us-east-1 on 2026-03-31", "source", "1 NVLink, 25 GB/s", "retired"):
            self.assertIn(part, text)

    def test_gpus_and_data_sets_are_shown_too(self):
        self.assertEqual(self.document("show", "k80")["gpus"][0]["fp32_sustained_flops_per_s"], 2.8e12)
        self.assertEqual(self.document("show", "imagenet")["datasets"][0]["samples"], 1281167)
        self.assertEqual(len(self.document("list", "gpus")["gpus"]), 46)
        self.assertIn("librispeech", self.catalog("list", "datasets").stdout)
        self.assertIn("p4d.24xlarge", self.catalog("list", "allreduce").stdout)

    def test_wrong_names_are_answered_with_near_ones(self):
        for arguments, near in (
            (["show", "p3.8xlarg"], "p3.8xlarge"),
            (["list", "--provider", "awz"], "aws"),
            (["list", "--region", "us-east-2"], "us-east-1"),
            (["list", "gpu"], "gpus"),
        ):
            result = self.catalog(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(near, result.stderr)
            self.assertEqual(result.stdout, "")

    def test_what_is_shipped_is_sound(self):
        check = self.document("check")
        self.assertEqual([p for p in check["problems"] if p["severity"] == "error"], [])

    def test_check_names_file_and_line_of_everything_that_is_wrong(self):
        bad = self.write(
            "bad.csv", "provider,machine,gpu,gpus,topology,source\nx,a,K80,two,,me\nx,b,K80,2,nowhere,me\nx,c,K80,1,,\n"
        )
        result = self.catalog("check", bad)
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"{bad} line 2: gpus is 'two'", result.stdout)
        self.assertIn(f"{bad} line 3: topology 'nowhere' is in no table", result.stdout)
        self.assertIn(f"{bad} line 4: source is empty", result.stdout)

    def test_a_users_file_overrides_for_one_command_and_is_kept_by_add(self):
        mine = self.write("mine.csv", "provider,machine,gpu,gpus,vcpus,source\nhome,box,RTX-3090,2,16,measured here\n")
        self.assertEqual(self.catalog("show", "box").returncode, 2)
        self.assertEqual(self.document("show", "box", "--catalog", mine)["machines"][0]["vcpus"], 16)
        self.assertEqual(self.catalog("add", mine).returncode, 0)
        self.assertEqual(self.document("show", "home/box")["machines"][0]["gpu"], "RTX-3090")
        again = self.catalog("add", mine)
        self.assertEqual(again.returncode, 1)
        self.assertIn("--force", again.stderr)
        self.assertEqual(self.catalog("add", mine, "--force").returncode, 0)

    def test_add_refuses_what_is_not_sound_and_keeps_nothing(self):
        bad = self.write("bad.csv", "provider,machine,gpu,gpus,source\nx,a,K80,-1,me\n")
        result = self.catalog("add", bad)
        self.assertEqual(result.returncode, 1)
        self.assertIn("line 2: gpus is -1", result.stderr)
        self.assertFalse((self.folder / "data/stallscope/catalog").exists())

    def test_import_says_what_it_left_out_and_bad_rows_are_named(self):
        header = "provider,region,instance,ondemand,spot,source,price_date\n"
        table = self.write(
            "prices.csv",
            header + "aws,eu-west-1,p3.8xlarge,13.2,4,sky,2026-03-31\nmoon,crater,rover,1,,sky,2026-03-31\n"
            "aws,eu-west-2,p3.8xlarge,1o,4,sky,2026-03-31\n",
        )
        strict = self.catalog("import", table)
        self.assertEqual(strict.returncode, 1)
        self.assertIn(f"{table} line 4: ondemand is '1o'", strict.stderr)
        imported = self.document("import", table, "--lenient")
        self.assertEqual((imported["rows"], imported["kept"], len(imported["bad"])), (3, 1, 1))
        self.assertEqual(imported["left_out"][0]["rows"], 1)
        listed = self.document("list", "--region", "eu-west-1")["machines"]
        self.assertEqual([m["price"]["on_demand_usd_hour"] for m in listed], [13.2])

    @needs_tables
    def test_prices_of_all_regions_are_imported(self):
        imported = self.document("import", SHARED / "prices_all_regions.csv")
        table = rows(SHARED / "prices_all_regions.csv")
        known = {(r["provider"], r["instance"]) for r in rows(SHARED / "instances.csv")}
        expected = [r for r in table if (r["provider"], r["instance"]) in known and r["region"] and (r["ondemand"] or r["spot"])]
        self.assertEqual(imported["rows"], len(table))
        self.assertEqual(imported["kept"], len(expected))
        self.assertEqual(imported["kept"] + sum(s["rows"] for s in imported["left_out"]), imported["rows"])
        prices = {p["region"]: p for p in self.document("show", "p4d.24xlarge")["machines"][0]["prices"]}
        for row in expected:
            if row["instance"] == "p4d.24xlarge" and row["ondemand"]:
                self.assertEqual(prices[row["region"]]["on_demand_usd_hour"], float(row["ondemand"]))


@needs_tables
class ShippedRowsEqualTheTables(unittest.TestCase):
    """The catalog's own selection against the tables that it was drawn from."""

    def test_machines(self):
        shipped = {(r["provider"], r["machine"]): r for r in rows(SOURCE / "data/machines.csv")}
        table = rows(SHARED / "instances.csv")
        self.assertEqual(len(shipped), len(table))
        pairs = {
            "gpu": "gpu_listed", "gpu_count": "gpus", "gpu_mem_gb": "gpu_memory_gb", "vcpus": "vcpus", "mem_gib": "memory_gib",
            "network_baseline_gbps": "network_baseline_gbps", "disk_local_nvme_gb": "local_disk_gb", "ebs_mbps": "disk_mbs",
            "ebs_baseline_mbps": "disk_baseline_mbs", "interconnect": "interconnect",
        }  # fmt: skip
        for row in table:
            mine = shipped[row["provider"], row["instance"]]
            for theirs, ours in pairs.items():
                self.assertTrue(same(row[theirs], mine[ours]), f"{row['instance']}: {ours} is {mine[ours]}, not {row[theirs]}")
            # A ceiling that nobody read stays unknown.
            ceiling = "" if row["network_burst"] == "unknown" else row["network_gbps"]
            self.assertTrue(same(ceiling, mine["network_gbps"]), row["instance"])
            both = row["interconnect_gbs_per_gpu"]
            self.assertTrue(same(str(float(both) / 2) if both else "", mine["interconnect_one_way_gbs"]), row["instance"])
            self.assertTrue(mine["gpu"] == mine["gpu_listed"] or row["provider"] in ("lambda", "nebius", "oci", "verda"))

    def test_prices(self):
        shipped = {(r["provider"], r["machine"]): r for r in rows(SOURCE / "data/prices.csv")}
        for row in rows(SHARED / "instances.csv"):
            mine = shipped.pop((row["provider"], row["instance"]), None)
            if mine is None:
                self.assertEqual(row["price_usd_hour_ondemand"] + row["price_usd_hour_spot"], "", row["instance"])
                continue
            self.assertTrue(same(row["price_usd_hour_ondemand"], mine["on_demand_usd_hour"]), row["instance"])
            self.assertTrue(same(row["price_usd_hour_spot"], mine["spot_usd_hour"]), row["instance"])
            latest = "<=" if mine["date_is_latest"] else ""
            self.assertEqual((row["region"], row["price_date"]), (mine["region"], latest + mine["date"]))
        self.assertEqual(shipped, {})

    def test_gpus(self):
        shipped = {r["gpu"]: r for r in rows(SOURCE / "data/gpus.csv")}
        table = rows(SHARED / "gpus.csv")
        self.assertEqual(len(shipped), len(table))
        pairs = {
            "fp32_tflops": "fp32_tflops", "tf32_tflops": "tf32_tflops", "fp16_tensor_tflops": "fp16_tflops",
            "bf16_tflops": "bf16_tflops", "mem_gb": "memory_gb", "mem_bw_gbs": "memory_gbs", "pcie_gen": "pcie_generation",
            "year": "year", "bf16_measured_matmul_tflops": "bf16_measured_tflops",
        }  # fmt: skip
        for row in table:
            mine = shipped[row["gpu"]]
            for theirs, ours in pairs.items():
                from_memory = not row[theirs] and ours in mine["unverified"].split(";")
                self.assertTrue(from_memory or same(row[theirs], mine[ours]), f"{row['gpu']}: {ours}")
            both = float(row["nvlink_gbs"] or 0)
            self.assertEqual(both / 2, float(mine["nvlink_one_way_gbs"] or 0), row["gpu"])

    def test_fitted_curves_pass_near_the_published_points(self):
        """Of as many points as a curve was fitted to, half lie within 10 % of it."""
        curves = {}
        for row in rows(SOURCE / "data/allreduce.csv"):
            curves.setdefault(row["curve"], []).append(row)
        self.assertGreater(len(curves), 30)
        published = [r for r in rows(SHARED / "nccl_busbw.csv") if r["kind"] == "measured"]
        for name, pieces in curves.items():
            first = pieces[0]
            errors = []
            for row in published:
                listed = first["transport_listed"].split(" / ")
                key = (row["instance_or_system"], row["gpus"], row["nodes"], row["collective"])
                if key != (first["system"], first["gpus"], first["nodes"], first["collective"]):
                    continue
                if row["transport"] not in listed or not row["message_size"].isdigit() or float(row["busbw_gbs"]) < 0.1:
                    continue
                size, bus = float(row["message_size"]), float(row["busbw_gbs"])
                piece = next((p for p in pieces if size <= float(p["to_bytes"])), pieces[-1])
                gpus = int(first["gpus"])
                factor = (gpus - 1) / gpus * (2 if first["collective"] == "all_reduce" else 1)
                per_byte = factor / (float(piece["busbw_gbs"]) * 1e9) if piece["busbw_gbs"] else 0
                fitted = float(piece["intercept_us"] or 0) * 1e-6 + size * per_byte
                errors.append(abs(fitted / (size * factor / (bus * 1e9)) - 1))
            errors.sort()
            # Where runs disagree each has a curve of its own, and the other runs' points lie elsewhere.
            own = errors[: int(first["points"])]
            self.assertEqual(len(own), int(first["points"]), name)
            self.assertLess(own[len(own) // 2], 0.10, f"{name} of {first['system']}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
