"""PyTorch's side of compare.py: DataLoader over torchvision's ImageFolder, one worker.

Takes a number of samples a line, answers with the seconds from the start of an epoch to its last batch.
"""

import sys
import time

import torch
from torchvision import datasets, transforms

BATCH, IMAGE_SIZE = 32, 224


class SomeSamples(torch.utils.data.Sampler):
    """A new random subset of the asked size every time."""

    def __init__(self, count):
        self.count, self.samples = count, 0

    def __iter__(self):
        return iter(torch.randperm(self.count)[: self.samples].tolist())

    def __len__(self):
        return self.samples


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    prepare = transforms.Compose([
        transforms.RandomResizedCrop(IMAGE_SIZE),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ])
    folder = datasets.ImageFolder(sys.argv[1], prepare)
    sampler = SomeSamples(len(folder))
    loader = torch.utils.data.DataLoader(folder, BATCH, sampler=sampler, num_workers=1, persistent_workers=True)
    print("ready", flush=True)
    for line in sys.stdin:
        sampler.samples = int(line)
        begin = time.monotonic()
        for _ in loader:
            pass
        print(time.monotonic() - begin, flush=True)


main()
