"""What every run of the hook does: follows the training loop through its steps, and times their parts."""

import time

import torch

from .gradients import Gradients
from .step_clock import StepClock
from .structure import Structure


class Session:
    """Called by the wrappers of install.py, in the program's own thread."""

    def __init__(self, config, channel):
        self.config = config
        self.channel = channel
        self.structure = Structure()
        self.gradients = Gradients()
        self.clock = StepClock()
        self.steps = 0  # ended ones, of the primary optimiser
        self._backward_depth = 0
        self._optimizer_depth = 0
        self._backward_begin = 0.0
        self._optimizer_begin = 0.0
        self._losses = []

    # Data.

    def feeds(self, loader):
        """Whether batches of this loader are ours to choose at the moment."""
        return False

    def feed(self, loader):
        raise NotImplementedError

    def on_asked(self, loader):
        self.channel.place = "waiting for data"
        self.structure.on_asked(loader)
        if self.structure.primary is None:
            return
        if loader in self.structure.training:
            self.clock.include_from(time.monotonic())
        else:
            self.clock.exclude_from(time.monotonic())

    def on_batch(self, loader, batch, begin, end):
        self.channel.place = "in the program"
        self.structure.on_batch(loader, torch.is_grad_enabled())
        if self.structure.primary is None or loader in self.structure.training:
            self.clock.data_wait_s += end - begin

    def on_exhausted(self, loader):
        self.channel.place = "in the program"
        self.structure.on_exhausted(loader)

    def on_copy(self, begin, end):
        if self._backward_depth == 0:
            self.clock.copy_s += end - begin

    # Gradients.

    def on_backward_begin(self, roots):
        self._backward_depth += 1
        if self._backward_depth > 1:
            return
        self.channel.place = "in a backward pass"
        self._losses += [root.detach() for root in roots if isinstance(root, torch.Tensor) and root.numel() == 1]
        self._backward_begin = time.monotonic()

    def on_backward_end(self):
        self._backward_depth -= 1
        if self._backward_depth > 0:
            return
        now = time.monotonic()
        self.channel.place = "in the program"
        exposed = 0.0
        if self.gradients.syncs() and self.gradients.last_gradient_s >= self._backward_begin:
            exposed = now - self.gradients.last_gradient_s
        self.clock.exposed_s += exposed
        self.clock.backward_s += now - self._backward_begin - exposed
        self.structure.on_backward()

    def on_collective(self, begin, end):
        """A collective that the program calls itself, outside of backward passes."""
        if self._backward_depth == 0 and self._optimizer_depth == 0:
            self.clock.exposed_s += end - begin

    # Optimisers.

    def on_optimizer_begin(self):
        self._optimizer_depth += 1
        if self._optimizer_depth == 1:
            self._optimizer_begin = time.monotonic()

    def on_optimizer_end(self, optimizer):
        self._optimizer_depth -= 1
        if self._optimizer_depth > 0:
            return
        now = time.monotonic()
        if self._backward_begin < self._optimizer_begin:  # else a closure computed gradients within, counted already
            self.clock.optimizer_s += now - self._optimizer_begin
        self.structure.on_optimizer(optimizer)
        if self.structure.primary is optimizer:
            self.steps += 1
            self.channel.step = self.steps
            self.on_step(now)

    def on_optimizer_abandoned(self):
        """It raised: the program's own affair, or the end of a ladder."""
        self._optimizer_depth = max(0, self._optimizer_depth - 1)

    def on_step(self, now):
        raise NotImplementedError

    def take_losses(self):
        losses, self._losses = self._losses, []
        return losses

    def on_exit(self):
        """The interpreter ends."""


def own_device(optimizer):
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            return parameter.device
    return torch.device("cpu")


def synchronise(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)
