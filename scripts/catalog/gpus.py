"""data/gpus.csv out of gpus.csv."""

COLUMNS = (
    "gpu,fp32_tflops,fp32_sustained_tflops,tf32_tflops,fp16_tflops,bf16_tflops,bf16_measured_tflops,memory_gb,"
    "memory_gbs,pcie_generation,nvlink,nvlink_one_way_gbs,year,source,unverified,note"
).split(",")

# A K80 runs at its base clock under load: 5.6 TFLOPS per board of two.
SUSTAINED = {"K80": "2.8"}
# What the notes give from memory, for GPUs whose peaks nobody read.
FROM_MEMORY = {
    "A10G": {"fp32_tflops": "35", "tf32_tflops": "35", "fp16_tflops": "70", "bf16_tflops": "70"},
    "P4": {"pcie_generation": "3", "year": "2016"},
    "P100-PCIE-16GB": {"year": "2016"},
    "RTX-PRO-6000-BSE": {"pcie_generation": "5"},
}
# Columns that hold a value from memory although the row has sources.
DOUBTED = {"K80": ["pcie_generation"], "V100-SXM2-16GB": ["pcie_generation"]}
NUMBERS = "fp32_tflops tf32_tflops fp16_tflops bf16_tflops memory_gb memory_gbs pcie_generation nvlink nvlink_one_way_gbs year".split()


def nvlink_of(text):
    return {"3 (bridge, pairs)": "3-bridge", "bridge (pairs, optional)": "bridge"}.get(text, text)


def draw(rows, sources):
    drawn = []
    for row in rows:
        both_ways = row["nvlink_gbs"]
        out = {
            "gpu": row["gpu"],
            "fp32_tflops": row["fp32_tflops"],
            "fp32_sustained_tflops": SUSTAINED.get(row["gpu"], ""),
            "tf32_tflops": row["tf32_tflops"],
            "fp16_tflops": row["fp16_tensor_tflops"],
            "bf16_tflops": row["bf16_tflops"],
            "bf16_measured_tflops": row["bf16_measured_matmul_tflops"],
            "memory_gb": row["mem_gb"],
            "memory_gbs": row["mem_bw_gbs"],
            "pcie_generation": row["pcie_gen"],
            "nvlink": nvlink_of(row["nvlink_gen"]),
            "nvlink_one_way_gbs": f"{float(both_ways) / 2:g}" if both_ways and float(both_ways) > 0 else "",
            "year": row["year"],
            "source": sources.names(row["source"]),
            "note": row["notes"],
        }
        doubted = list(DOUBTED.get(row["gpu"], []))
        if row["source"] == "memory":
            doubted = [name for name in NUMBERS if out[name]]
        for name, value in FROM_MEMORY.get(row["gpu"], {}).items():
            out[name] = value
            doubted.append(name)
        out["unverified"] = ";".join(doubted)
        drawn.append(out)
    return drawn
