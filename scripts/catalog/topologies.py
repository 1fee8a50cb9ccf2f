"""data/topologies.csv: what is inside of machines, as edges. Rates are one way and those of the wire.

A column named in `unverified` was not read for that machine: it follows from the parts, or is from memory.
"""

PCIE_LANE = {3: 0.985, 4: 1.969, 5: 3.938}  # GB/s one way after 128b/130b encoding: 8, 16, 32 GT/s
NVLINK = {1: 20.0, 2: 25.0, 3: 25.0, 4: 25.0, 5: 50.0}  # GB/s one way of one link
QPI = 19.2  # GB/s one way: 9.6 GT/s of two bytes; from memory, and sockets have two or three

# Links between the eight GPUs of DGX-1's hybrid cube mesh, in the order that nvidia-smi prints.
CUBE_V100 = {(0, 1): 1, (0, 2): 1, (0, 3): 2, (0, 4): 2, (1, 2): 2, (1, 3): 1, (1, 5): 2, (2, 3): 2, (2, 6): 1,
             (3, 7): 1, (4, 5): 1, (4, 6): 1, (4, 7): 2, (5, 6): 2, (5, 7): 1, (6, 7): 2}  # fmt: skip
CUBE_P100 = {pair: 1 for pair in CUBE_V100}

MXNET = "apache MXNet wiki, p3.16xlarge link topology (as quoted in the table of machines)"
K8S = "aws/aws-k8s-tester@9c7b987 test_sysinfo.sh.data/*/nvidia_smi_topo.txt"
OFI = "aws/aws-ofi-nccl@2daf7d3 topology/p4d-24xl-topo.xml"
VANTAGE = "vantage-sh/ec2instances.info@4ef36cd manually_fetched_data.json"
TENSORFLOW = "tensorflow/tensorflow issue 5789 (as quoted in the table of machines)"
DGX = "NVIDIA's DGX-1, DGX-2 and DGX A100 as commonly described; from memory"


class Topology:
    def __init__(self, name, where, unverified="", note=""):
        self.name, self.where, self.unverified, self.note = name, where, unverified, note
        self.edges = []

    def connect(self, a, b, kind, links, rate):
        self.edges.append((a, b, kind, links, rate))

    def pcie(self, a, b, generation, lanes=16):
        self.connect(a, b, "pcie", lanes, PCIE_LANE[generation] * lanes)

    def nvlinks(self, pairs, generation):
        for (a, b), links in pairs.items():
            self.connect(f"gpu{a}", f"gpu{b}", "nvlink", links, links * NVLINK[generation])

    def nvswitch(self, gpus, links, generation):
        for gpu in range(gpus):
            self.connect(f"gpu{gpu}", "nvswitch0", "nvlink", links, links * NVLINK[generation])

    def sockets(self, count):
        for host in range(1, count):
            self.connect(f"host{host - 1}", f"host{host}", "socket", 1, QPI)

    def tree(self, gpus, switches, hosts, generation, nics=0):
        """GPUs and NICs dealt out over switches in order, switches over hosts; no switches: straight at the hosts."""
        below = switches or hosts
        part = "switch" if switches else "host"
        for gpu in range(gpus):
            self.pcie(f"gpu{gpu}", f"{part}{gpu * below // gpus}", generation)
        for nic in range(nics):
            self.pcie(f"nic{nic}", f"{part}{nic * below // nics}", generation)
        for switch in range(switches):
            self.pcie(f"switch{switch}", f"host{switch * hosts // switches}", generation)
        self.sockets(hosts)


def k80_machines():
    for name, groups in (("p2.8xlarge", 1), ("p2.16xlarge", 2)):
        t = Topology(name, TENSORFLOW, "from;to;gbs_one_way",
                     "two GPUs per K80 board, four boards per group of peers; groups meet at the host")
        for group in range(groups):
            root = f"switch{group}"
            for board in range(4):
                bridge = f"board{group * 4 + board}"
                for half in range(2):
                    t.pcie(f"gpu{group * 8 + board * 2 + half}", bridge, 3)
                t.pcie(bridge, root, 3)
            t.pcie(root, f"host{group}", 3)
        t.sockets(groups)
        t.pcie("nic0", "host0", 3)
        yield t


def v100_machines():
    def slice_of(cube, gpus):
        return {pair: links for pair, links in cube.items() if max(pair) < gpus}

    t = Topology("v100-cube", f"{K8S}; {MXNET}", "", "NVLink to four peers, the host bridge to the other three")
    t.nvlinks(CUBE_V100, 2)
    t.tree(8, 0, 1, 3, 1)
    yield t
    t = Topology("v100-cube-half", f"{MXNET}", "from;to", "four neighbours of the eight: 4 or 5 of 6 links remain")
    t.nvlinks(slice_of(CUBE_V100, 4), 2)
    t.tree(4, 0, 1, 3, 1)
    yield t
    t = Topology("v100-cube-pair", f"{MXNET}", "from;to;links", "a doubled pair of the eight")
    t.nvlinks({(0, 1): 2}, 2)
    t.tree(2, 0, 1, 3, 1)
    yield t
    for name, cube, generation in (("dgx-1-v100", CUBE_V100, 2), ("dgx-1-p100", CUBE_P100, 1)):
        t = Topology(name, DGX, "from;to;gbs_one_way")
        t.nvlinks(cube, generation)
        t.tree(8, 4, 2, 3, 4)
        yield t
    t = Topology("dgx-2", DGX, "from;to;gbs_one_way")
    t.nvswitch(16, 6, 2)
    t.tree(16, 8, 2, 3, 8)
    yield t


def nvswitch_machines():
    for name, where, gpus, links, nvlink, pcie, switches, hosts, nics, doubt in (
        ("p4d", f"{OFI}; {K8S}", 8, 12, 3, 3, 4, 2, 4, "gbs_one_way"),
        ("dgx-a100", DGX, 8, 12, 3, 4, 4, 2, 8, "from;to;gbs_one_way"),
        ("a100-8-ib8", "MicrosoftDocs/azure-compute-docs@8e5a077 (2026-08-21)", 8, 12, 3, 4, 4, 4, 8, "from;to"),
        ("p5", f"{K8S}; {VANTAGE}", 8, 18, 4, 5, 8, 2, 32, "from;to;gbs_one_way"),
        ("p5e", f"{K8S}; {VANTAGE}", 8, 18, 4, 5, 8, 4, 32, "from;to;gbs_one_way"),
        ("p5en", VANTAGE, 8, 18, 4, 5, 8, 2, 16, "from;to;gbs_one_way"),
        ("h100-8-nic4", "cloud.google.com gpu-network-bandwidth page", 8, 18, 4, 5, 4, 2, 4, "from;to;gbs_one_way"),
        ("h100-8-nic8", "cloud.google.com gpu-network-bandwidth page", 8, 18, 4, 5, 8, 2, 8, "from;to;gbs_one_way"),
        ("b200-8-nic8", VANTAGE, 8, 18, 5, 5, 8, 2, 8, "from;to;gbs_one_way"),
        ("b200-8-nic16", VANTAGE, 8, 18, 5, 5, 8, 2, 16, "from;to;gbs_one_way"),
    ):
        t = Topology(name, where, doubt)
        t.nvswitch(gpus, links, nvlink)
        t.tree(gpus, switches, hosts, pcie, nics)
        yield t
    for gpus in (2, 4, 8, 16):
        t = Topology(f"a100-{gpus}-nic1", "GCP docs accelerator-optimized-machines / gpus copy 2026-04", "from;to;gbs_one_way",
                     "full NVLink mesh; one network interface")  # fmt: skip
        t.nvswitch(gpus, 12, 3)
        t.tree(gpus, max(1, gpus // 2), 1 if gpus < 8 else 2, 4, 1)
        yield t
    for gpus in (2, 4):
        t = Topology(f"h100-{gpus}-nic1", "GCP docs accelerator-optimized-machines / gpus copy 2026-04", "from;to;gbs_one_way",
                     "full NVLink mesh; one network interface")  # fmt: skip
        t.nvswitch(gpus, 18, 4)
        t.tree(gpus, gpus, 1, 5, 1)
        yield t


def pcie_machines():
    """AWS's g machines: eight lanes per GPU, no switch seen between them; every pair crosses a host bridge."""
    g5 = f"{VANTAGE}; aws/aws-ofi-nccl@2daf7d3 topology/g5.48xl-topo.xml"
    for name, where, gpus, hosts, generation, nics in (
        ("x8-gen3-4", VANTAGE, 4, 1, 3, 1),
        ("x8-gen3-8", VANTAGE, 8, 2, 3, 1),
        ("x8-gen4-4", VANTAGE, 4, 1, 4, 1),
        ("x8-gen4-4-nic2", VANTAGE, 4, 1, 4, 2),
        ("x8-gen4-8", g5, 8, 2, 4, 1),
        ("x8-gen4-8-nic4", VANTAGE, 8, 2, 4, 4),
    ):
        t = Topology(name, where, "gbs_one_way", "GPUs run with 8 of 16 lanes; their generation was not reported")
        for gpu in range(gpus):
            t.pcie(f"gpu{gpu}", f"host{gpu * hosts // gpus}", generation, 8)
        for nic in range(nics):
            t.pcie(f"nic{nic}", f"host{nic * hosts // nics}", generation)
        t.sockets(hosts)
        yield t


def bridge_machines():
    azure = "Azure/azurehpc-health-checks@0e0a1ac (thresholds of the 2-GPU and 4-GPU sizes)"
    for name, gpus, links, generation, pcie, hosts in (
        ("a100-pcie-bridge-2", 2, 12, 3, 4, 1),
        ("a100-pcie-bridge-4", 4, 12, 3, 4, 4),
        ("h100-nvl-bridge-2", 2, 12, 4, 5, 1),
    ):
        t = Topology(name, azure, "from;to;links;gbs_one_way", "NVLink bridges between pairs are inferred")
        t.nvlinks({(pair, pair + 1): links for pair in range(0, gpus, 2)}, generation)
        t.tree(gpus, 0, hosts, pcie, 1)
        yield t


def draw(sources):
    rows = []
    for maker in (k80_machines, v100_machines, nvswitch_machines, pcie_machines, bridge_machines):
        for t in maker():
            source = sources.names(t.where)
            for a, b, kind, links, rate in t.edges:
                doubt = "gbs_one_way" if kind == "socket" and "gbs_one_way" not in t.unverified else ""
                rows.append({"topology": t.name, "from": a, "to": b, "kind": kind, "links": links,
                             "gbs_one_way": f"{rate:.5g}", "source": source,
                             "unverified": ";".join(filter(None, (t.unverified, doubt))), "note": t.note})
    return rows
