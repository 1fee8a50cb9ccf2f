"""data/allreduce.csv and data/allreduce_thresholds.csv out of nccl_busbw.csv."""

import math
import re
import statistics

import fit_allreduce

# The catalog's machine behind a system's name, where there is one; those with a question mark are inferred.
MACHINES = {
    "Standard_ND96 A100 v4": "Standard_ND96asr_v4?",
    "8xH200 node (p5en-class)": "p5en.48xlarge?",
    "Azure NC24-class 4xK80": "Standard_NC24?",
    "Azure NC12s_v3-class 2xV100-PCIE-16GB": "Standard_NC12s_v3?",
    "lambda gpu_8x_b200 1-click cluster": "gpu_8x_b200_sxm6",
}
# One GPU of each of several such machines is another system.
GPUS = {
    "coreweave 8xH200": "H200-SXM-141GB",
    "together 8xH100": "H100-SXM5-80GB",
    "nebius 8xH100 k8s": "H100-SXM5-80GB",
    "nebius 8xH100": "H100-SXM5-80GB",
    "coreweave GB200 NVL72": "GB200",
    "a3-highgpu-8g/a3-edgegpu-8g": "H100-SXM5-80GB",
    "generic 8xA100 SXM node": "A100-SXM4-40GB",
    "8xMI300X node": "MI300X",
    "p3dn.24xlarge (1 GPU per node)": "V100-SXM2-32GB",
    "AWS G5 single-A10G nodes (size not stated in excerpt)": "A10G",
    "unknown cloud VM 1xT4 per node": "T4",
}


def transport_of(row):
    listed, words = row["transport"], row["transport"].lower()
    if "SLOW" in row["notes"] and "efa" in words:
        return "efa-slow"  # what an issue complains about is no machine's usual rate
    for word, name in (
        ("pcie", "pcie"),
        ("efa 1 interface", "efa-one-nic"),
        ("tcp/ena", "tcp"),
        ("tcpxo", "tcpxo"),
        ("tcpx", "tcpx"),
        ("tcp", "tcp"),
        ("nvls disabled", "nvlink"),
        ("nvls off", "nvlink"),
        ("ring", "nvlink"),
        ("nvls", "nvls"),
        ("default algo", "nvls"),
        ("nvlink5+infiniband", "nvlink+infiniband"),
        ("nvswitch", "nvlink"),
        ("nvlink", "nvlink"),
        ("efa", "efa"),
        ("infiniband", "infiniband"),
        ("roce", "roce"),
        ("infinity", "infinity-fabric"),
    ):
        if word in words:
            return name
    raise ValueError(f"transport '{listed}' has no name yet")


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def runs_of(rows):
    """Rows of one system and source (tables have several side by side), cut where the sizes start again."""
    runs, open_runs = [], {}
    for row in rows:
        key = tuple(row[c] for c in ("instance_or_system", "gpus", "nodes", "collective", "transport", "source"))
        notes = re.sub(r"; label \w+", "", row["notes"])
        point = (float(row["message_size"]), float(row["busbw_gbs"]))
        run = open_runs.get((key, notes))
        if run is None or point[0] <= run["points"][-1][0]:
            run = {"key": key, "notes": notes, "row": row, "transport": transport_of(row), "points": []}
            open_runs[(key, notes)] = run
            runs.append(run)
        run["points"].append(point)
    return runs


def without_copies(runs, say):
    """A long run that stands under two systems, number for number, was measured on the first."""
    seen, kept = {}, []
    for run in runs:
        values = tuple(run["points"])
        if len(values) >= 10 and values in seen and seen[values] != run["key"][0]:
            say(f"left out: a run of {len(values)} sizes under {run['key'][0]} is that of {seen[values]}")
            continue
        seen.setdefault(values, run["key"][0])
        kept.append(run)
    return kept


def agree(one, other):
    """Whether two runs can be pooled: half of their common sizes differ by less than 15 %."""
    a, b = dict(one), dict(other)
    common = [s for s in a if s in b and min(a[s], b[s]) >= fit_allreduce.LEAST_BUS_BANDWIDTH]
    return bool(common) and statistics.median(abs(math.log(a[s] / b[s])) for s in common) < 0.15


def groups_of(runs):
    groups = []
    for run in runs:
        key = (*run["key"][:4], run["transport"])
        for group in groups:
            if group["key"] == key and agree(group["points"], run["points"]):
                group["points"] += run["points"]
                group["runs"].append(run)
                break
        else:
            groups.append({"key": key, "points": list(run["points"]), "runs": [run]})
    return groups


def short(value, digits=4):
    return "" if value is None else f"{value:.{digits}g}"


def curve_rows(group, name, machines, sources):
    system, gpus, nodes, collective, transport = group["key"]
    machine = MACHINES.get(system, system if system in machines else "")
    inferred = machine.endswith("?")
    machine = machine.rstrip("?")
    fitted = fit_allreduce.fit(group["points"], collective, int(gpus))
    notes = dict.fromkeys(run["notes"] for run in group["runs"] if run["notes"])
    common = {
        "curve": name,
        "system": system,
        "machine": machine,
        "gpu": machines[machine]["gpu"] if machine else GPUS[system],
        "gpus": gpus,
        "nodes": nodes,
        "collective": collective,
        "transport": transport,
        "transport_listed": " / ".join(dict.fromkeys(run["row"]["transport"] for run in group["runs"])),
        "source": ";".join(dict.fromkeys(sources.names(run["row"]["source"]) for run in group["runs"])),
        "unverified": "machine" if inferred else "",
        "note": "; ".join(notes),
    }
    if fitted is None:
        size, bus = max(group["points"])
        return [{**common, "from_bytes": int(size), "to_bytes": int(size), "busbw_gbs": short(bus, 6), "points": 1}]
    latency = dict(zip(("latency_us", "latency_low_us", "latency_high_us"), map(short, fitted["latency_us"])))
    return [
        {
            **common,
            **latency,
            "from_bytes": int(piece["from"]),
            "to_bytes": int(piece["to"]),
            "intercept_us": short(piece["intercept_us"], 6),
            "busbw_gbs": short(piece["busbw"]),
            "busbw_low_gbs": short(piece["low"]),
            "busbw_high_gbs": short(piece["high"]),
            "points": fitted["points"],
            "fit_error": short(fitted["error"], 3),
        }
        for piece in fitted["segments"]
    ]


def draw(rows, machines, sources, say):
    """Returns the rows of both tables."""
    measured = [row for row in rows if row["kind"] == "measured"]
    usable = [r for r in measured if number(r["message_size"]) and number(r["busbw_gbs"]) and r["gpus"].isdigit()]
    for row in measured:
        if row not in usable:
            say(f"left out: {row['instance_or_system']} on '{row['nodes']}' nodes has no size or count to fit")
    curves = []
    for index, group in enumerate(groups_of(without_copies(runs_of(usable), say))):
        curves += curve_rows(group, f"curve{index + 1}", machines, sources)
    thresholds = [
        {
            "threshold": row["instance_or_system"],
            "gpus": row["gpus"],
            "nodes": row["nodes"],
            "transport": row["transport"],
            "kind": row["kind"],
            "bytes": row["message_size"],
            "busbw_gbs": row["busbw_gbs"],
            "source": sources.names(row["source"]),
            "note": row["notes"],
        }
        for row in rows
        if row["kind"] != "measured"
    ]
    return curves, thresholds
