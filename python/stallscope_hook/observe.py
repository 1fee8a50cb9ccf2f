"""A whole real run, watched and left alone: the parts of every step go to a file, and nothing is changed."""

import os
import time

from . import elsewhere
from .session import Session

_FLUSH_S = 1.0
_LEARN_STEPS = 20
HEADER = "step,end_s,data_wait_s,copy_s,forward_s,backward_s,exposed_communication_s,optimizer_s,total_s\n"


class Observer(Session):
    def __init__(self, config, channel):
        super().__init__(config, channel)
        self._file = open(os.path.join(config["observed"], "rank%d.csv" % config["rank"]), "w")
        self._file.write(HEADER)
        self._rows = []
        self._flushed_s = time.monotonic()
        self._observed = 0

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
        self._rows.append("%d,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n" % (
            self.steps, now, record["data_wait_s"], record["copy_s"], record["forward_s"], record["backward_s"],
            record["exposed_communication_s"], record["optimizer_s"], record["total_s"]))
        if now - self._flushed_s > _FLUSH_S:
            self._flush(now)

    def _flush(self, now):
        self._file.write("".join(self._rows))
        self._file.flush()
        self._rows = []
        self._flushed_s = now

    def on_exit(self):
        self._flush(time.monotonic())
        missing = self.structure.missing()
        if missing and elsewhere.trains_elsewhere(self.config):
            self.channel.send({"event": "unseen", "why": elsewhere.MESSAGE, "hint": elsewhere.HINT})
        elif missing:
            self.channel.send({"event": "unseen", "why": "the program trains nothing that can be observed: not seen was "
                               + " and ".join(missing), "hint": ""})
