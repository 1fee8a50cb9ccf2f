"""Trains ResNet-18 for a fixed number of steps over a DataLoader of tensors, and prints the seconds of its later steps."""

import sys
import time

import torch
import torch.distributed as dist
import torchvision

STEPS, WARM_UP = int(sys.argv[1]), 10
torch.manual_seed(1)
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torchvision.models.resnet18(num_classes=10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
images = torch.randn(8 * (STEPS + WARM_UP), 3, 64, 64)
labels = torch.randint(10, (len(images),))
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images, labels), batch_size=8)
for step, (inputs, targets) in enumerate(loader):
    if step == WARM_UP:
        begin = time.monotonic()
    loss = torch.nn.functional.cross_entropy(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
if dist.get_rank() == 0:
    print("seconds", time.monotonic() - begin, flush=True)
