"""A whole real run, watched and left alone: the parts of every step go to a file, and nothing is changed."""

import os
import time

from . import elsewhere
from .session import Session

_FLUSH_S = 1.0
_LEARN_STEPS = 20
HEADER = ("step,end_s,data_wait_s,copy_s,forward_s,backward_s,exposed_communication_s,optimizer_s,total_s,"
          "hook_s\n")
# All that the wrappers call, but for `feeds`, which says no at once.
_CALLS = ("on_asked", "on_batch", "on_exhausted", "on_copy", "on_backward_begin", "on_backward_end", "on_collective",
          "on_optimizer_begin", "on_optimizer_end", "on_optimizer_abandoned")


class Observer(Session):
    def __init__(self, config, channel):
        super().__init__(config, channel)
        self._path = os.path.join(config["observed"], "rank%d" % config["rank"])
        self._begin_file()
        self._rows = []
        self._flushed_s = time.monotonic()
        self._observed = 0
        self._calls_s = 0.0
        self._told_s = 0.0

    def on_learnt(self, now):
        super().on_learnt(now)
        self.take_losses()
        self._observed = 1

    def on_step(self, now):
        record = self.clock.take(now)
        self.take_losses()
        self._observed += 1
        if self._observed == _LEARN_STEPS:
            self.gradients.watch_only_the_last()
        self._rows.append("%d,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.7f\n" % (
            self.steps, now, record["data_wait_s"], record["copy_s"], record["forward_s"], record["backward_s"],
            record["exposed_communication_s"], record["optimizer_s"], record["total_s"], self._take_own_time()))
        if now - self._flushed_s > _FLUSH_S:
            self._flush(now)

    def _take_own_time(self):
        """Of our calls and heartbeats since this was last asked; the call under way counts for the next step."""
        before, self._told_s = self._told_s, self._calls_s + self.channel.beating_s
        return self._told_s - before

    def _flush(self, now):
        self._file.write("".join(self._rows))
        self._file.flush()
        self._rows = []
        self._flushed_s = now
        if self._file.tell() > self.config["observed_bytes"]:
            # This one and the one before it are kept: a run of a year must not fill the disk.
            self._file.close()
            os.replace(self._path + ".csv", self._path + ".old.csv")
            self._begin_file()

    def _begin_file(self):
        self._file = open(self._path + ".csv", "w")
        self._file.write(HEADER)

    def on_exit(self):
        self._flush(time.monotonic())
        missing = self.structure.missing()
        if missing and elsewhere.trains_elsewhere(self.config):
            self.channel.send({"event": "unseen", "why": elsewhere.MESSAGE, "hint": elsewhere.HINT})
        elif missing:
            self.channel.send({"event": "unseen", "why": "the program trains nothing that can be observed: not seen was "
                               + " and ".join(missing), "hint": ""})


def _timed(name):
    original = getattr(Session, name)

    def call(self, *args, **named):
        begin = time.perf_counter()
        try:
            return original(self, *args, **named)
        finally:
            self._calls_s += time.perf_counter() - begin

    return call


for _name in _CALLS:
    setattr(Observer, _name, _timed(_name))
