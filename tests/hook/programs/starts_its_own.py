"""The process that is started trains nothing: it starts those that do, by torch.multiprocessing or as a launcher would."""

import subprocess
import sys

import common
import torch
from torch import multiprocessing, nn


def train(rank):
    model = nn.Linear(common.FEATURES, common.CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for values, labels in torch.utils.data.DataLoader(common.Numbers(100000), 8):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(values), labels).backward()
        optimizer.step()


if __name__ == "__main__":
    if "--child" in sys.argv:
        train(0)
    elif "--launch" in sys.argv:
        subprocess.run([sys.executable, __file__, "--child"], check=True)
    elif "--fork" in sys.argv:
        children = [multiprocessing.get_context("fork").Process(target=train, args=(rank,)) for rank in range(2)]
        for child in children:
            child.start()
        for child in children:
            child.join()
    else:
        multiprocessing.spawn(train, nprocs=2)
