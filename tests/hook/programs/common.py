"""What the tiny programs share: their options, the process group, a model, and samples from small files.

Nothing here knows of stallscope. A step takes a few milliseconds on one core.
"""

import argparse
import os
import pathlib
import time

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

FEATURES, CLASSES = 256, 10


def parser(description):
    """Options of every program. Without --steps it runs until somebody ends it."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", metavar="DIR", help="folder of make_files.py (default: random numbers)")
    parser.add_argument("--samples", type=int, default=512, metavar="N", help="in an epoch, without --data")
    parser.add_argument("--sleep", type=float, default=0.0, metavar="SECONDS", help="that every sample takes longer")
    parser.add_argument("--reader", choices=["open", "fromfile"], default="open", help="how files are read")
    parser.add_argument("--batch", type=int, default=8, metavar="N", help="samples per rank and step")
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="loader processes per rank")
    parser.add_argument("--persistent", action="store_true", help="keep loader processes from epoch to epoch")
    parser.add_argument("--context", choices=["fork", "spawn", "forkserver"], help="how loader processes start")
    parser.add_argument("--model", choices=["mlp", "cnn"], default="mlp", help="the CNN has buffers (batch norm)")
    parser.add_argument("--width", type=int, default=128, metavar="N", help="of the MLP: its gradients are N KiB")
    parser.add_argument("--epochs", type=int, default=1000000, metavar="N")
    parser.add_argument("--steps", type=int, metavar="N", help="end after so many")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--losses", metavar="FILE", help="every step's exact loss; rank R > 0 writes FILE.R")
    return parser


def run(train, parser):
    """Calls train(options, rank, device) between joining the process group and leaving it."""
    options = parser.parse_args()
    rank, device = join()
    torch.manual_seed(options.seed)
    train(options, rank, device)
    if dist.is_initialized():
        dist.destroy_process_group()


def join():
    """This process's rank and device. Without a launcher there is no process group, and the rank is 0."""
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        torch.cuda.set_device(device)
    print("OMP_NUM_THREADS is", os.environ.get("OMP_NUM_THREADS"), flush=True)
    if "RANK" not in os.environ:
        return 0, device
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return dist.get_rank(), device


def tiny_model(kind="mlp", width=128):
    """Dropout draws from the global generator: whoever disturbs that changes the losses."""
    if kind == "mlp":
        return nn.Sequential(nn.Linear(FEATURES, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, CLASSES))
    return nn.Sequential(
        nn.Unflatten(1, (1, 16, 16)), nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AvgPool2d(2),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(8 * 7 * 7, CLASSES),
    )


def parallel(model, device):
    """The model in DDP, where there is a process group."""
    model = model.to(device)
    if not dist.is_initialized():
        return model
    return DistributedDataParallel(model, device_ids=[device] if device.type == "cuda" else None)


class Files(Dataset):
    """Sample i is made from the bytes of the i-th file, whole, and a little noise as augmentation would add."""

    def __init__(self, folder, sleep=0.0, reader="open"):
        self.paths = sorted(map(str, pathlib.Path(folder).glob("*.bin")))
        self.sleep, self.reader = sleep, reader
        if not self.paths:
            raise SystemExit(f"{folder} holds no .bin files")

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        wait(self.sleep)
        if self.reader == "fromfile":
            content = np.fromfile(self.paths[index], np.uint8)
        else:
            with open(self.paths[index], "rb") as file:
                content = np.frombuffer(file.read(), np.uint8)
        values = torch.from_numpy(content[:FEATURES].astype(np.float32) / 255)
        return values + 0.01 * torch.randn(FEATURES), int(content[0]) % CLASSES


class Numbers(Dataset):
    """The same out of random numbers in memory."""

    def __init__(self, count, sleep=0.0, seed=1):
        generator = torch.Generator().manual_seed(seed)
        self.values = torch.rand(count, FEATURES, generator=generator)
        self.labels = torch.randint(CLASSES, (count,), generator=generator)
        self.sleep = sleep

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        wait(self.sleep)
        return self.values[index] + 0.01 * torch.randn(FEATURES), self.labels[index]


# A sleep lasts longer than asked for by what waking up takes: 0.15 ms on an idle virtual machine, more on a busy one.
WAKING_S = 1.5e-3


def wait(seconds):
    """Exactly so long: the end of it is not slept."""
    end = time.perf_counter() + seconds
    if seconds > WAKING_S:
        time.sleep(seconds - WAKING_S)
    while time.perf_counter() < end:
        pass


def samples(options):
    if options.data:
        return Files(options.data, options.sleep, options.reader)
    return Numbers(options.samples, options.sleep)


def loader(dataset, options):
    """Shuffled and dealt to the ranks; call set_epoch() before each epoch."""
    sampler = DistributedSampler(dataset, seed=options.seed) if dist.is_initialized() else None
    return DataLoader(dataset, options.batch, sampler=sampler, shuffle=sampler is None, drop_last=True,
                      **workers(options))


def workers(options):
    return {
        "num_workers": options.workers,
        "persistent_workers": options.persistent and options.workers > 0,
        "multiprocessing_context": options.context if options.workers > 0 else None,
    }


def set_epoch(loader, epoch):
    if isinstance(loader.sampler, DistributedSampler):
        loader.sampler.set_epoch(epoch)


class Losses:
    """Each step's loss, to the last bit, as lines of a file. Nothing without --losses."""

    def __init__(self, options, rank):
        path = options.losses and (options.losses if rank == 0 else f"{options.losses}.{rank}")
        self.file = open(path, "w", buffering=1) if path else None

    def add(self, loss):
        if self.file:
            print(repr(loss.item()), file=self.file)
