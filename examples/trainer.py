"""Train a MobileNet with a Trainer: gradient accumulation, clipping, a schedule, evaluation and checkpoints.

    stallscope dataset make photos --images 2000
    python3 examples/trainer.py --data photos
    torchrun --nproc_per_node 2 examples/trainer.py --data photos --accumulate 4
    stallscope run --nproc-per-node 2 -- examples/trainer.py --data photos --accumulate 4

The folder holds one folder of JPEGs per class: photos/CLASS/NAME.jpg. One image of ten is kept for evaluation.
"""

import argparse
import itertools
import os
from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, Subset
from torchvision import datasets, models, transforms


class Trainer:
    """Trains for so many optimizer steps; every step takes `accumulate` batches."""

    def __init__(self, model, training, evaluation, device, options):
        self.device, self.options = device, options
        self.training, self.evaluation = training, evaluation
        self.rank = dist.get_rank() if dist.is_initialized() else 0
        self.model = self.module = model.to(device)
        if dist.is_initialized():
            self.model = DistributedDataParallel(self.module, device_ids=[device] if device.type == "cuda" else None)
        self.optimizer = torch.optim.AdamW(self.module.parameters(), lr=1e-3)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=options.steps)

    def train(self):
        for step, batches in enumerate(itertools.islice(self.groups(), self.options.steps), start=1):
            loss = self.step(batches)
            if self.rank == 0 and step % 10 == 0:
                print(f"step {step}: loss {loss:.3f}, rate {self.schedule.get_last_lr()[0]:.2e}", flush=True)
            if step % self.options.evaluate_every == 0:
                accuracy = self.evaluate()
                if self.rank == 0:
                    print(f"step {step}: {accuracy:.1%} of the evaluation images are right", flush=True)
                    torch.save({"step": step, "model": self.module.state_dict(), "schedule": self.schedule.state_dict(),
                                "optimizer": self.optimizer.state_dict()}, self.options.checkpoint)

    def groups(self):
        """Reads all batches of a step before the step begins; what is left of an epoch is dropped."""
        steps = len(self.training) // self.options.accumulate
        if steps == 0:
            raise SystemExit("an epoch is shorter than a step: lower --accumulate or --batch")
        for epoch in itertools.count():
            if isinstance(self.training.sampler, DistributedSampler):
                self.training.sampler.set_epoch(epoch)
            batches = iter(self.training)
            for _ in range(steps):
                yield list(itertools.islice(batches, self.options.accumulate))

    def step(self, batches):
        self.model.train()
        total = 0.0
        for index, (images, labels) in enumerate(batches):
            # Gradients are averaged over ranks once, with the last batch.
            waits = self.model is not self.module and index + 1 < len(batches)
            with self.model.no_sync() if waits else nullcontext():
                loss = cross_entropy(self.model(images.to(self.device)), labels.to(self.device)) / len(batches)
                loss.backward()
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), max_norm=1.0)
        self.optimizer.step()
        self.schedule.step()
        self.optimizer.zero_grad()
        return total

    @torch.no_grad()
    def evaluate(self):
        self.module.eval()
        right = [self.module(images.to(self.device)).argmax(dim=1) == labels.to(self.device)
                 for images, labels in self.evaluation]
        accuracy = torch.cat(right).float().mean()
        if dist.is_initialized():
            dist.all_reduce(accuracy)
            accuracy /= dist.get_world_size()
        return accuracy.item()


def make_loaders(options):
    cropped = transforms.Compose([transforms.RandomResizedCrop(options.image_size), transforms.ToTensor()])
    whole = transforms.Compose([transforms.Resize((options.image_size,) * 2), transforms.ToTensor()])
    photos = datasets.ImageFolder(options.data, cropped)
    order = torch.randperm(len(photos), generator=torch.Generator().manual_seed(1)).tolist()
    training = Subset(photos, order[len(photos) // 10 :])
    evaluation = Subset(datasets.ImageFolder(options.data, whole), order[: len(photos) // 10])

    def loader(samples, train):
        sampler = DistributedSampler(samples, shuffle=train) if dist.is_initialized() else None
        return DataLoader(samples, options.batch, sampler=sampler, shuffle=train and sampler is None, drop_last=train,
                          num_workers=options.workers, persistent_workers=options.workers > 0)

    return loader(training, train=True), loader(evaluation, train=False), len(photos.classes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder with one folder of images per class")
    parser.add_argument("--image-size", type=int, default=64, help="pixels a side (default 64)")
    parser.add_argument("--batch", type=int, default=8, help="images per process and batch (default 8)")
    parser.add_argument("--accumulate", type=int, default=4, help="batches per step (default 4)")
    parser.add_argument("--workers", type=int, default=1, help="processes per loader and rank (default 1)")
    parser.add_argument("--steps", type=int, default=2000, help="of the optimizer (default 2000)")
    parser.add_argument("--evaluate-every", type=int, default=50, help="steps (default 50)")
    parser.add_argument("--checkpoint", default="checkpoint.pt", help="written after each evaluation")
    options = parser.parse_args()
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        torch.cuda.set_device(device)
    if "RANK" in os.environ:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    torch.manual_seed(1)
    training, evaluation, classes = make_loaders(options)
    Trainer(models.mobilenet_v3_small(num_classes=classes), training, evaluation, device, options).train()
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
