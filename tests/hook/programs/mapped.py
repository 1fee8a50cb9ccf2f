"""Tokens from a memory-mapped file: --data FOLDER/tokens.u16, or the folder. The map is opened once, before forking."""

import pathlib
import time

import common
import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

LENGTH, VOCABULARY, WIDTH = 16, 256, 32


class Tokens(torch.utils.data.Dataset):
    def __init__(self, path, sleep):
        path = pathlib.Path(path)
        self.tokens = np.memmap(path / "tokens.u16" if path.is_dir() else path, dtype="<u2", mode="r")
        self.sleep = sleep

    def __len__(self):
        return (len(self.tokens) - 1) // LENGTH

    def __getitem__(self, index):
        time.sleep(self.sleep)
        window = self.tokens[index * LENGTH : (index + 1) * LENGTH + 1].astype(np.int64) % VOCABULARY
        return torch.from_numpy(window[:-1]), torch.from_numpy(window[1:])


def train(options, rank, device):
    loader = common.loader(Tokens(options.data, options.sleep), options)
    layers = [nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, VOCABULARY)]
    model = common.parallel(nn.Sequential(*layers), device)
    optimizer = torch.optim.AdamW(model.parameters())
    losses = common.Losses(options, rank)
    step = 0
    for epoch in range(options.epochs):
        common.set_epoch(loader, epoch)
        for inputs, targets in loader:
            loss = cross_entropy(model(inputs.to(device)).flatten(0, 1), targets.to(device).flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.add(loss)
            step += 1
            if step == options.steps:
                return


if __name__ == "__main__":
    parser = common.parser(__doc__)
    parser.set_defaults(data=".")
    common.run(train, parser)
