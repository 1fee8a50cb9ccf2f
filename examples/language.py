"""Train a small transformer to predict the next token of a file of uint16 tokens.

    stallscope dataset make text --tokens 5000000
    python3 examples/language.py --data text/tokens.u16
    torchrun --nproc_per_node 2 examples/language.py --data text/tokens.u16
    stallscope run --nproc-per-node 2 -- examples/language.py --data text/tokens.u16

The file is mapped into memory, and cut into sequences that are dealt to ranks and loader processes.
"""

import argparse
import itertools
import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Sequences(IterableDataset):
    """Pairs of a sequence and the same one token later, without end; another order in every epoch."""

    def __init__(self, path, length, rank, ranks):
        self.path, self.length = path, length
        self.rank, self.ranks = rank, ranks

    def __iter__(self):
        worker = get_worker_info()
        workers = worker.num_workers if worker else 1
        shard = self.rank * workers + (worker.id if worker else 0)
        tokens = np.memmap(self.path, dtype="<u2", mode="r")
        count, shards = (len(tokens) - 1) // self.length, self.ranks * workers
        if count < shards:
            raise ValueError(f"{self.path} has {count} sequences, too few for {shards} loader processes")
        for epoch in itertools.count():
            order = np.random.default_rng(epoch).permutation(count)
            for index in order[shard::shards]:
                begin = index * self.length
                window = torch.from_numpy(tokens[begin : begin + self.length + 1].astype(np.int64))
                yield window[:-1], window[1:]


class LanguageModel(nn.Module):
    def __init__(self, vocabulary, length, width, layers, heads):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(0.02 * torch.randn(length, width))
        block = nn.TransformerEncoderLayer(
            width, heads, 4 * width, dropout=0.1, activation="gelu", batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(block, layers, norm=nn.LayerNorm(width), enable_nested_tensor=False)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight
        nn.init.normal_(self.tokens.weight, std=0.02)

    def forward(self, tokens):
        length = tokens.shape[1]
        # True where a token must not look: at those after it.
        future = torch.ones(length, length, device=tokens.device).triu(1).bool()
        return self.head(self.blocks(self.tokens(tokens) + self.positions[:length], mask=future))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="file of little-endian uint16 tokens")
    parser.add_argument("--sequence-length", type=int, default=64, help="tokens (default 64)")
    parser.add_argument("--batch", type=int, default=4, help="sequences per process and step (default 4)")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--vocabulary", type=int, default=50257, help="different tokens (default 50257)")
    parser.add_argument("--workers", type=int, default=1, help="loader processes per rank (default 1)")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--bf16", action="store_true", help="compute in bfloat16 where autocast finds it safe")
    return parser.parse_args()


def main():
    options = parse_options()
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        torch.cuda.set_device(device)
    rank, ranks = 0, 1
    if "RANK" in os.environ:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
        rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(1)

    sequences = Sequences(options.data, options.sequence_length, rank, ranks)
    loader = DataLoader(sequences, batch_size=options.batch, num_workers=options.workers)
    model = LanguageModel(
        options.vocabulary, options.sequence_length, options.width, options.layers, options.heads
    ).to(device)
    if dist.is_initialized():
        model = DistributedDataParallel(model, device_ids=[device] if device.type == "cuda" else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1)

    for step, (inputs, targets) in enumerate(loader, start=1):
        inputs, targets = inputs.to(device), targets.to(device)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=options.bf16):
            logits = model(inputs)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if rank == 0 and step % 20 == 0:
            print(f"step {step}: loss {loss.item():.3f}", flush=True)
        if step == options.steps:
            break

    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
