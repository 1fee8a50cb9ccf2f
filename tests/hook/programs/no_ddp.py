"""One process that never imports torch.distributed, nor looks at a launcher's variables."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=1000000)
    parser.add_argument("--steps", type=int)
    options = parser.parse_args()

    torch.manual_seed(1)
    dataset = TensorDataset(torch.rand(512, 256), torch.randint(10, (512,)))
    loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=options.workers)
    model = nn.Sequential(nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.Adam(model.parameters())
    step = 0
    for _ in range(options.epochs):
        for inputs, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
            step += 1
            if step == options.steps:
                return


if __name__ == "__main__":
    main()
