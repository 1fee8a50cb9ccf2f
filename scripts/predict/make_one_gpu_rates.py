#!/usr/bin/env python3
"""Selects the published one-GPU training rates of the zoo's networks into data/predict/one_gpu_rates.csv.

    scripts/predict/make_one_gpu_rates.py ../shared/data

Reads measurements/multi_gpu.csv (rows of one GPU) and measurements/single_gpu.csv (rows whose network is in the
zoo and whose GPU is in catalog/gpus.csv). Of a source's remarks only what changes the rate is kept.
"""

import csv
import pathlib
import re
import sys

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "data" / "predict" / "one_gpu_rates.csv"
COLUMNS = "network image_size seq_len precision gpu batch samples_per_s framework remarks year source where".split()

IMAGE_SIZES = {"inception_v3": 299}
ZOO = {
    "alexnet", "vgg11", "vgg13", "vgg16", "vgg19", "squeezenet1_0", "inception_v3", "resnet18", "resnet34", "resnet50",
    "resnet101", "resnet152", "mobilenet_v2", "shufflenet_v2_x0_5", "shufflenet_v2_x1_0", "vit_b_16",
    "bert_base", "bert_large", "gpt2", "gpt2_medium",
}  # fmt: skip
TEXT = {"bert_base", "bert_large", "gpt2", "gpt2_medium"}
ALIASES = {
    "resnet-50": "resnet50",
    "inception-v3": "inception_v3",
    "mobilenetv2_100": "mobilenet_v2",
    "vit_base_patch16_224": "vit_b_16",
}
# A source's words for a GPU; "Pascal" of 2017 servers with RDMA is taken for a P100.
GPU_ALIASES = [
    (r"^RTX 3090", "RTX-3090"),
    (r"^2080 Ti", "RTX-2080Ti"),
    (r"^K80", "K80"),
    (r"^M60", "M60"),
    (r"^V100 ?(\(|$)", "V100-SXM2-16GB"),
    (r"^Pascal$", "P100-PCIE-16GB"),
]
REMARKS = re.compile(
    r"(?:with(?:out)?|w/o)\s*xla|\+ XLA|with(?:out)? graph kernel fusion|\bnhwc\b|\bnchw\b|with dali", re.IGNORECASE
)
SINGLE_SOURCES = {
    "huggingface/pytorch-image-models": ("timm", 2022),
    "u39kun/deep-learning-benchmark": ("u39kun", 2018),
    "apache/mxnet": ("mxnet_faq", 2018),
}


def gpu_name(text, known):
    for pattern, name in GPU_ALIASES:
        if re.search(pattern, text):
            return name
    return text if text in known else None


def remarks(*texts):
    found = [match.group(0).lower() for text in texts for match in REMARKS.finditer(text)]
    return "; ".join(dict.fromkeys(found))


def from_multi(path, known):
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            gpu = gpu_name(row["gpu"], known)
            if row["total_gpus"] != "1" or row["network"] not in ZOO or not row["batch_per_gpu"] or gpu is None:
                continue
            image = "" if row["network"] in TEXT else IMAGE_SIZES.get(row["network"], 224)
            yield {
                "network": row["network"], "image_size": image, "seq_len": row["seq_len"],
                "precision": row["precision"], "gpu": gpu, "batch": row["batch_per_gpu"],
                "samples_per_s": row["samples_per_s"], "framework": row["framework"],
                "remarks": remarks(row["notes"]), "year": row["year"].split(".")[0], "source": row["source"],
                "where": row["where"],
            }  # fmt: skip


def from_single(path, known):
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            network = ALIASES.get(row["model"], row["model"])
            gpu = gpu_name(row["gpu"], known)
            if network not in ZOO or gpu is None:
                continue
            usual = IMAGE_SIZES.get(network, 224)
            size = int(float(row["img_size"] or usual))
            batch = int(row["batch"])
            value = float(row["throughput"])
            rate = batch / (value / 1e3) if row["unit"] == "ms/iter" else value
            source, year = next(names for start, names in SINGLE_SOURCES.items() if row["source"].startswith(start))
            framework = row["notes"].split(";")[1 if source == "timm" else 0].strip()
            precision, _, layout = row["precision"].partition(" ")
            if source != "timm":
                layout = "nchw"  # older than channels last
            yield {
                "network": network, "image_size": size, "seq_len": "", "precision": precision.replace("fp16", "amp"),
                "gpu": gpu, "batch": batch, "samples_per_s": f"{rate:.6g}", "framework": framework,
                "remarks": layout, "year": year, "source": source, "where": row["source"],
            }  # fmt: skip


def main(data):
    with open(data / "catalog" / "gpus.csv", newline="") as file:
        known = {row["gpu"] for row in csv.DictReader(file)}
    rows = [
        *from_multi(data / "measurements" / "multi_gpu.csv", known),
        *from_single(data / "measurements" / "single_gpu.csv", known),
    ]
    # One baseline stands behind several series of a source.
    measurement = ("network", "seq_len", "precision", "gpu", "batch", "samples_per_s", "source")
    unique = list({tuple(str(row[column]) for column in measurement): row for row in reversed(rows)}.values())[::-1]
    with open(OUTPUT, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(unique)
    print(f"{len(unique)} rates in {OUTPUT}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data"))
