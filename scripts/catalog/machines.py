"""data/machines.csv and data/prices.csv out of instances.csv and aws_measured_hw.csv."""

import re

COLUMNS = (
    "provider,machine,gpu,gpu_listed,gpus,gpu_memory_gb,vcpus,memory_gib,network_gbps,network_baseline_gbps,network_burst,"
    "fabric,fabric_nics,fabric_gbps,gpudirect,local_disk_gb,disk_mbs,disk_baseline_mbs,interconnect,"
    "interconnect_one_way_gbs,pcie_generation,pcie_width,numa_nodes,topology,availability,last_listed,source,unverified,note"
).split(",")
PRICE_COLUMNS = "provider,machine,region,on_demand_usd_hour,spot_usd_hour,date,date_is_latest,source,note".split(",")

# Providers that only name a family: which GPU that is, by the machine's name. True: the name says so.
FAMILIES = [
    ("lambda", r"v100", "V100-SXM2-16GB", False),
    ("lambda", r"a6000", "RTX-A6000", True),
    ("lambda", r"a100_80gb_sxm4", "A100-SXM4-80GB", True),
    ("lambda", r"1x_a100_sxm4", "A100-SXM4-40GB", False),
    ("lambda", r"8x_a100$", "A100-SXM4-40GB", False),
    ("lambda", r"_a100$", "A100-PCIE-40GB", False),
    ("lambda", r"rtx6000", "RTX-6000", False),
    ("lambda", r"h100_pcie", "H100-PCIE-80GB", True),
    ("lambda", r"h100_sxm5", "H100-SXM5-80GB", True),
    ("lambda", r"b200_sxm6", "B200-SXM", True),
    ("nebius", r"b200-sxm", "B200-SXM", True),
    ("nebius", r"h200-sxm", "H200-SXM-141GB", True),
    ("nebius", r"rtx6000", "RTX-PRO-6000-BSE", False),  # sold from 2026 on: not the RTX 6000 of 2018
    ("oci", r"GPU2\.", "P100-PCIE-16GB", False),
    ("oci", r"GPU3\.", "V100-SXM2-16GB", False),
    ("oci", r"GPU4\.", "A100-SXM4-40GB", False),
    ("oci", r"A100-v2", "A100-SXM4-80GB", False),
    ("oci", r"H100", "H100-SXM5-80GB", False),
    ("oci", r"H200", "H200-SXM-141GB", False),
    ("verda", r"B200", "B200-SXM", False),
    ("verda", r"H200\.141S", "H200-SXM-141GB", False),
    ("verda", r"H100\.80S", "H100-SXM5-80GB", False),
    ("verda", r"A100", "A100-SXM4-80GB", False),
    ("verda", r"RTXPRO6000", "RTX-PRO-6000-BSE", False),
]
TOPOLOGIES = [
    (r"p2\.(8|16)xlarge", r"\g<0>"),
    (r"p3\.16xlarge|p3dn\.24xlarge|Standard_ND40rs_v2|n1-standard-\d+\+8xV100", "v100-cube"),
    (r"p3\.8xlarge|n1-standard-\d+\+4xV100", "v100-cube-half"),
    (r"n1-standard-\d+\+2xV100", "v100-cube-pair"),
    (r"p4de?\.24xlarge", "p4d"),
    (r"Standard_ND96asr_v4|Standard_ND96amsr_A100_v4", "a100-8-ib8"),
    (r"p5\.48xlarge", "p5"),
    (r"p5e\.48xlarge", "p5e"),
    (r"p5en\.48xlarge", "p5en"),
    (r"a3-highgpu-8g|a3-edgegpu-8g", "h100-8-nic4"),
    (r"a3-megagpu-8g|a3-ultragpu-8g|Standard_ND96isr_H[12]00_v5", "h100-8-nic8"),
    (r"p6-b200\.48xlarge|a4-highgpu-8g", "b200-8-nic8"),
    (r"p6-b300\.48xlarge", "b200-8-nic16"),
    (r"a2-(?:high|ultra|mega)gpu-(2|4|8|16)g", r"a100-\1-nic1"),
    (r"a3-highgpu-(2|4)g", r"h100-\1-nic1"),
    (r"g4dn\.12xlarge", "x8-gen3-4"),
    (r"g4dn\.metal", "x8-gen3-8"),
    (r"g5\.(12|24)xlarge|g6\.(12|24)xlarge|g6e\.12xlarge", "x8-gen4-4"),
    (r"g6e\.24xlarge", "x8-gen4-4-nic2"),
    (r"g5\.48xlarge|g6\.48xlarge", "x8-gen4-8"),
    (r"g6e\.48xlarge", "x8-gen4-8-nic4"),
    (r"Standard_NC48ads_A100_v4", "a100-pcie-bridge-2"),
    (r"Standard_NC96ads_A100_v4", "a100-pcie-bridge-4"),
    (r"Standard_NC80adis_H100_v5", "h100-nvl-bridge-2"),
]
# The part of GCP's figure that GPUs have to themselves, from the topology notes.
GCP_FABRIC = {"a3-highgpu-8g": (4, 800), "a3-megagpu-8g": (8, 1600), "a3-ultragpu-8g": (8, 3200), "a4-highgpu-8g": (8, 3200)}


def plain(text):
    """"92.0" is 92."""
    return f"{float(text):.10g}" if text else ""


def gpu_of(row):
    for provider, pattern, gpu, said in FAMILIES:
        if row["provider"] == provider and re.search(pattern, row["instance"]):
            return gpu, said
    return row["gpu"], True


def topology_of(name):
    for pattern, topology in TOPOLOGIES:
        match = re.fullmatch(pattern, name)
        if match:
            return match.expand(topology)
    return ""


def fabric_of(row):
    """Kind, NICs, Gbit/s of all together, GPUDirect."""
    text = row["efa_or_rdma"]
    if text in ("", "none"):
        return text, "", "", ""
    if text.startswith("EFA x"):
        # EFA shares the interface's rate.
        return "efa", text[5:], plain(row["network_gbps"]), ""
    gpudirect = "yes" if "GPUDirect" in text else ""
    if text.startswith("InfiniBand"):
        match = re.search(r"(\d+)x(\d+)", text)
        if match:
            nics, each = map(int, match.groups())
            return "infiniband", nics, nics * each, gpudirect
        single = re.search(r"(\d+) Gbps", text)
        return ("infiniband", 1, single.group(1), gpudirect) if single else ("infiniband", "", "", gpudirect)
    kind = {"GPUDirect-TCPX": "tcpx", "GPUDirect-TCPXO": "tcpxo", "RoCE RDMA": "roce"}[text]
    nics, gbps = GCP_FABRIC.get(row["instance"], ("", ""))
    return kind, nics, gbps, gpudirect


def doubts_of(row, gpu_said):
    notes = row["notes"] + "; " + row["topology_note"]
    doubted = [] if gpu_said else ["gpu"]
    for words, column in (
        ("duplex 15.75 GB/s = memory", "interconnect_one_way_gbs"),
        ("link gen itself not reported", "pcie_generation"),
        ("PCIe generation = memory", "pcie_generation"),
        ("gen5 = memory", "pcie_generation"),
        ("no NVLink = memory", "interconnect"),
        ("no NVLink=memory", "interconnect"),
        ("p3.16xlarge = memory", "topology"),
        ("NVLink bridge inferred", "interconnect"),
    ):
        if words in notes:
            doubted.append(column)
    return doubted


def draw(rows, seen, sources):
    machines, prices = [], []
    for row in rows:
        gpu, said = gpu_of(row)
        fabric, nics, gbps, gpudirect = fabric_of(row)
        doubted = doubts_of(row, said)
        if row["instance"] == "p3dn.24xlarge":
            gpudirect = "no"
            doubted.append("gpudirect")
        # "unknown": the figure is the baseline, and nobody read the ceiling.
        ceiling_known = row["network_burst"] != "unknown"
        link = re.match(r"pcie(\d)", row["interconnect"])
        width = re.match(r"x(\d+) current", row["pcie_link"])
        listed = re.search(r"last listed (\S+)\)", row["availability"])
        availability = row["availability"].split(" ")[0].replace("no", "unlisted")
        both_ways = row["interconnect_gbs_per_gpu"]
        hardware = seen.get(row["instance"], {})
        machines.append(
            {
                "provider": row["provider"],
                "machine": row["instance"],
                "gpu": gpu,
                "gpu_listed": row["gpu"],
                "gpus": plain(row["gpu_count"]),
                "gpu_memory_gb": plain(row["gpu_mem_gb"]),
                "vcpus": plain(row["vcpus"]),
                "memory_gib": plain(row["mem_gib"]),
                "network_gbps": plain(row["network_gbps"]) if ceiling_known else "",
                "network_baseline_gbps": plain(row["network_baseline_gbps"]),
                "network_burst": {"unknown": "ceiling-unknown", "yes": "credit"}.get(row["network_burst"], row["network_burst"]),
                "fabric": fabric,
                "fabric_nics": nics,
                "fabric_gbps": gbps,
                "gpudirect": gpudirect,
                "local_disk_gb": plain(row["disk_local_nvme_gb"]),
                "disk_mbs": plain(row["ebs_mbps"]),
                "disk_baseline_mbs": plain(row["ebs_baseline_mbps"]),
                "interconnect": row["interconnect"],
                "interconnect_one_way_gbs": f"{float(both_ways) / 2:g}" if both_ways else "",
                "pcie_generation": link.group(1) if link else "",
                "pcie_width": width.group(1) if width else "",
                "numa_nodes": hardware.get("numa_nodes", ""),
                "topology": topology_of(row["instance"]),
                "availability": availability,
                "last_listed": listed.group(1) if listed else "",
                "source": sources.names(row["spec_source"], same=row["price_source"]),
                "unverified": ";".join(doubted),
                "note": "; ".join(filter(None, (row["topology_note"], row["notes"]))),
            }
        )
        if row["price_usd_hour_ondemand"] or row["price_usd_hour_spot"]:
            date = row["price_date"]
            same = row["price_usd_hour_ondemand"] == row["price_usd_hour_spot"]
            prices.append(
                {
                    "provider": row["provider"],
                    "machine": row["instance"],
                    "region": row["region"],
                    "on_demand_usd_hour": row["price_usd_hour_ondemand"],
                    "spot_usd_hour": row["price_usd_hour_spot"],
                    "date": date.removeprefix("<="),
                    "date_is_latest": "yes" if date.startswith("<=") else "",
                    "source": sources.names(row["price_source"], date.removeprefix("<=")),
                    "note": "the list gives on-demand as spot: no discount is known" if same else "",
                }
            )
    return machines, prices
