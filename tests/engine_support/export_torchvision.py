"""Exports one of torchvision's networks for comparison: export_torchvision.py NAME PIXELS FILE.

FILE is read by torch::pickle_load: a list of (name, tensor) for parameters, another for buffers, the images
and the outputs of a forward pass in training mode (one per classifier), and the running statistics after it.
Tuples, because torch::pickle_load cannot read a list of one element.
Exits with 77 where torchvision is missing.
"""

import sys

try:
    import torch
    import torchvision
except ImportError as problem:
    print(f"skipped: {problem}", file=sys.stderr)
    sys.exit(77)


def build(name, pixels):
    options = {"weights": None, "num_classes": 10}
    if name == "vit_b_16":
        options["image_size"] = pixels
    if name == "inception_v3":
        options["init_weights"] = False
    network = getattr(torchvision.models, name)(**options)
    for module in network.modules():
        # Chance would make the comparison useless; batch norms stay in training mode.
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    # torchvision starts the class token and the head of a ViT at zero, which would hide mistakes.
    with torch.no_grad():
        for parameter in network.parameters():
            if not parameter.any():
                parameter.normal_(0, 0.02)
    return network


def pairs(named):
    return [(name, tensor.detach().clone()) for name, tensor in named]


def main():
    name, pixels, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    torch.manual_seed(7)
    torch.set_num_threads(1)
    network = build(name, pixels).train()
    exported = {
        "parameters": pairs(network.named_parameters()),
        "buffers": pairs(network.named_buffers()),
        "images": torch.randn(2, 3, pixels, pixels),
    }
    with torch.no_grad():
        outputs = network(exported["images"])
    exported["outputs"] = (outputs,) if torch.is_tensor(outputs) else (outputs.logits, outputs.aux_logits)
    exported["buffers_after"] = pairs(network.named_buffers())
    torch.save(exported, path)


main()
