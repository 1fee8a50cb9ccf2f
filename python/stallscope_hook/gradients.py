"""DistributedDataParallel modules of the program: averaging switched on and off, and when the last gradient was there."""

import time
import weakref

import torch


class Gradients:
    def __init__(self):
        self._modules = []  # weak references
        self._watched = []  # (accumulator, handle): without the accumulator its hook would go
        self._last_place = 0
        self.last_gradient_s = 0.0

    def add(self, module):
        self._modules.append(weakref.ref(module))

    def modules(self):
        return [module for module in (reference() for reference in self._modules) if module is not None]

    def set_sync(self, on):
        for module in self.modules():
            module.require_backward_grad_sync = on
            # Else the next forward pass would still broadcast buffers.
            module.require_forward_param_sync = on

    def syncs(self):
        return any(module.require_backward_grad_sync for module in self.modules())

    def watch_last_gradient(self):
        """A hook on every parameter; where that is too dear, `watch_only_the_last` follows once it is known."""
        for _, handle in self._watched:
            handle.remove()
        self._watched, self._last_place = [], 0
        with torch.enable_grad():
            for module in self.modules():
                for parameter in module.module.parameters():
                    if parameter.requires_grad:
                        self._watch(parameter)

    def watch_only_the_last(self):
        for place, (_, handle) in enumerate(self._watched):
            if place != self._last_place:
                handle.remove()
        self._watched = self._watched[self._last_place:self._last_place + 1]

    def _watch(self, parameter):
        place = len(self._watched)

        def note(*_):
            self.last_gradient_s = time.monotonic()
            self._last_place = place

        accumulator = parameter.expand_as(parameter).grad_fn.next_functions[0][0]
        self._watched.append((accumulator, accumulator.register_hook(note)))
