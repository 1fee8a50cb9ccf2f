"""Small messages between the ranks, at block boundaries only, through the store by which they met."""

import datetime
import json

import torch.distributed as dist

# A wait that ran out would leave a TCPStore out of step with its server, so waits do not run out; a rank that died is
# the command's to notice.
_FOREVER = datetime.timedelta(days=7)


def _machine():
    """Containers and network namespaces of one machine have one kernel, and one page cache."""
    with open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip()


class Ranks:
    def __init__(self, rank, world_size):
        self.rank = rank
        self.world_size = world_size
        self._count = 0
        self._store = None
        if world_size > 1:
            from torch.distributed import distributed_c10d

            self._store = dist.PrefixStore("stallscope", distributed_c10d._get_default_store())

    def broadcast(self, value):
        """Rank 0's value, on every rank."""
        if self._store is None:
            return value
        key = self._next_key()
        if self.rank == 0:
            self._store.set(key, json.dumps(value))
            return value
        return self._get(key)

    def gather(self, value):
        """Every rank's value on rank 0; nothing on the others."""
        if self._store is None:
            return [value]
        key = self._next_key()
        if self.rank != 0:
            self._store.set("%s/%d" % (key, self.rank), json.dumps(value))
            return None
        values = [value]
        for rank in range(1, self.world_size):
            values.append(self._get("%s/%d" % (key, rank)))
            self._forget("%s/%d" % (key, rank))
        return values

    def most(self, value):
        """The largest of all ranks' values, on every rank."""
        values = self.gather(value)
        return self.broadcast(max(values) if values is not None else None)

    def barrier(self):
        self.broadcast(self.gather(None) is not None)

    def sum_of_machine(self, value):
        """Over the ranks that share this machine's memory."""
        machine = _machine()
        values = self.broadcast(self.gather((machine, value)))
        return sum(theirs for where, theirs in values if where == machine)

    def _get(self, key):
        self._store.wait([key], _FOREVER)
        return json.loads(self._store.get(key))

    def _forget(self, key):
        try:
            self._store.delete_key(key)
        except (RuntimeError, NotImplementedError):
            pass  # not every store can

    def _next_key(self):
        self._count += 1
        return str(self._count)
