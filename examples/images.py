"""Train a ResNet-18 on a folder of photographs, one process per device.

    stallscope dataset make photos --images 2000
    python3 examples/images.py --data photos
    torchrun --nproc_per_node 2 examples/images.py --data photos
    stallscope run --nproc-per-node 2 -- examples/images.py --data photos

The folder holds one folder of JPEGs per class: photos/CLASS/NAME.jpg.
"""

import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import datasets, models, transforms


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder with one folder of images per class")
    parser.add_argument("--image-size", type=int, default=64, help="pixels a side (default 64)")
    parser.add_argument("--batch", type=int, default=16, help="images per process and step (default 16)")
    parser.add_argument("--workers", type=int, default=1, help="loader processes per rank (default 1)")
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--learning-rate", type=float, default=0.01)
    parser.add_argument("--weight-decay", type=float, default=1e-4)
    parser.add_argument("--checkpoint", default="checkpoint.pt", help="written after each epoch")
    return parser.parse_args()


def set_up():
    """Joins the process group where a launcher started this process. Returns the device to train on."""
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
    if "RANK" in os.environ:
        dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    return torch.device("cuda", local_rank) if torch.cuda.is_available() else torch.device("cpu")


def make_loader(options):
    prepare = transforms.Compose([
        transforms.RandomResizedCrop(options.image_size),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ])
    photos = datasets.ImageFolder(options.data, prepare)
    sampler = DistributedSampler(photos) if dist.is_initialized() else None
    return DataLoader(
        photos,
        batch_size=options.batch,
        sampler=sampler,
        shuffle=sampler is None,
        num_workers=options.workers,
        persistent_workers=options.workers > 0,
        pin_memory=torch.cuda.is_available(),
        drop_last=True,
    )


def train_epoch(epoch, model, loader, loss_function, optimizer, device, log):
    model.train()
    for step, (images, labels) in enumerate(loader):
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        loss = loss_function(model(images), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if log and step % 20 == 0:
            print(f"epoch {epoch}, step {step} of {len(loader)}: loss {loss.item():.3f}", flush=True)


def main():
    options = parse_options()
    device = set_up()
    rank = dist.get_rank() if dist.is_initialized() else 0
    torch.manual_seed(1)

    loader = make_loader(options)
    model = models.resnet18(num_classes=len(loader.dataset.classes)).to(device)
    if dist.is_initialized():
        model = DistributedDataParallel(model, device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=options.learning_rate, momentum=0.9, weight_decay=options.weight_decay)
    loss_function = nn.CrossEntropyLoss()

    for epoch in range(options.epochs):
        if isinstance(loader.sampler, DistributedSampler):
            loader.sampler.set_epoch(epoch)
        train_epoch(epoch, model, loader, loss_function, optimizer, device, log=rank == 0)
        if rank == 0:
            weights = model.module if isinstance(model, DistributedDataParallel) else model
            torch.save({"epoch": epoch, "model": weights.state_dict(), "optimizer": optimizer.state_dict()},
                       options.checkpoint)

    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
