"""Where the time of the current step goes."""

import time


class StepClock:
    """Every part is host time; what is none of the others is the forward pass and the program's own work."""

    __slots__ = ("begin_s", "data_wait_s", "copy_s", "backward_s", "exposed_s", "optimizer_s", "excluded_s",
                 "_excluded_since", "loss", "last_gradient_s")

    def __init__(self):
        self.restart(time.monotonic())

    def restart(self, now):
        self.begin_s = now
        self.data_wait_s = self.copy_s = self.backward_s = self.exposed_s = self.optimizer_s = self.excluded_s = 0.0
        self._excluded_since = None
        self.loss = None
        self.last_gradient_s = 0.0

    def exclude_from(self, now):
        """Evaluation begins: it is no part of a training step."""
        if self._excluded_since is None:
            self._excluded_since = now

    def include_from(self, now):
        if self._excluded_since is not None:
            self.excluded_s += now - self._excluded_since
            self._excluded_since = None

    def take(self, now):
        """The step that ends now, as the command reads it, and the next one begins."""
        self.include_from(now)
        total = now - self.begin_s - self.excluded_s
        parts = self.data_wait_s + self.copy_s + self.backward_s + self.exposed_s + self.optimizer_s
        record = {"start_s": self.begin_s, "data_wait_s": self.data_wait_s, "copy_s": self.copy_s,
                  "forward_s": max(0.0, total - parts), "backward_s": self.backward_s,
                  "exposed_communication_s": self.exposed_s, "optimizer_s": self.optimizer_s, "total_s": total,
                  "loss": self.loss, "buckets": []}
        self.restart(now)
        return record
