"""Mixed precision: bfloat16 on the CPU; float16 with a GradScaler on CUDA."""

import common
import torch
from torch.nn.functional import cross_entropy


def make_scaler():
    if hasattr(torch.amp, "GradScaler"):  # since 2.3
        return torch.amp.GradScaler("cuda")
    return torch.cuda.amp.GradScaler()


def train(options, rank, device):
    loader = common.loader(common.samples(options), options)
    model = common.parallel(common.tiny_model(options.model), device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    scaler = make_scaler() if device.type == "cuda" else None
    dtype = torch.float16 if scaler else torch.bfloat16
    losses = common.Losses(options, rank)
    step = 0
    for epoch in range(options.epochs):
        common.set_epoch(loader, epoch)
        for inputs, labels in loader:
            with torch.autocast(device.type, dtype=dtype):
                loss = cross_entropy(model(inputs.to(device)), labels.to(device))
            optimizer.zero_grad(set_to_none=True)
            if scaler:
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
            else:
                loss.backward()
                optimizer.step()
            losses.add(loss)
            step += 1
            if step == options.steps:
                return


if __name__ == "__main__":
    common.run(train, common.parser(__doc__))
