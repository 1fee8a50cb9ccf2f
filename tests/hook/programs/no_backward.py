"""Inference only: a loader and a model, no backward and no optimizer."""

import common
import torch


@torch.no_grad()
def predict(options, rank, device):
    loader = common.loader(common.samples(options), options)
    model = common.tiny_model(options.model).to(device).eval()
    step, right = 0, 0
    for epoch in range(options.epochs):
        common.set_epoch(loader, epoch)
        for inputs, labels in loader:
            right += (model(inputs.to(device)).argmax(dim=1).cpu() == labels).sum().item()
            step += 1
            if step == options.steps:
                print(f"{right} of {step * options.batch} are right", flush=True)
                return


if __name__ == "__main__":
    common.run(predict, common.parser(__doc__))
