"""Writes in every step: torch.save, pickle, numpy and a text file, by relative names in the working folder."""

import pickle

import common
import numpy as np
import torch
from torch.nn.functional import cross_entropy


def save(step, rank, model, loss, inputs):
    torch.save({"step": step, "model": model.state_dict()}, f"weights-{rank}.pt")
    with open(f"history-{rank}.pickle", "wb") as file:
        pickle.dump({"step": step, "loss": loss.item()}, file)
    np.save(f"batch-{rank}.npy", inputs.cpu().numpy())
    with open(f"step-{rank}.txt", "w") as file:
        file.write(f"{step}\n")


def train(options, rank, device):
    loader = common.loader(common.samples(options), options)
    model = common.parallel(common.tiny_model(options.model), device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses = common.Losses(options, rank)
    step = 0
    for epoch in range(options.epochs):
        common.set_epoch(loader, epoch)
        for inputs, labels in loader:
            loss = cross_entropy(model(inputs.to(device)), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.add(loss)
            step += 1
            save(step, rank, model, loss, inputs)
            if step == options.steps:
                return


if __name__ == "__main__":
    common.run(train, common.parser(__doc__))
