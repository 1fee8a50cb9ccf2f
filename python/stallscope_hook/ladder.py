"""The stall ladder in the user's own program: blocks of steps, each under the condition that the command asks for."""

import math
import os
import threading
import time

import torch

from . import elsewhere, ending, machine, opened_files, page_cache
from .channel import say
from .ranks import Ranks
from .session import Session, own_device, synchronise

_NO_SYNC, _RESIDENT, _COLD = 0, 0, 3  # as the command's orders number them
_SETTLE_S = 0.05
_LONGEST_SETTLE_S = 3.0
_LONGEST_DRAIN = 64  # steps
_BACKWARDS_WITHOUT_STEP = 1000  # nobody accumulates so many


class Ladder(Session):
    def __init__(self, config, channel):
        super().__init__(config, channel)
        self._measuring = False
        self._finished = False
        self._loaders = []  # the training loaders, as they were when measuring began
        self._first_loader = None
        self._ranks = None
        self._device = None
        self._block = None  # the request under way
        self._real = False
        self._records = []
        self._passed = (None, 0)  # the turn whose files are known, and for how many steps
        self._files = set()
        self._held = set()
        self._seen = []  # files that the block has opened, as far as they have been asked for
        self._evaluation = None  # while one is under way: what this process had fetched before
        self._cold_bytes = {}  # by turn: what a verified cold block fetched
        self._between = threading.Event()  # clear while blocks change: threads that load wait
        self._drain = 0  # steps on batches that threads of the program had taken before the block
        opened_files.watch(config["folder"], config["rank"])
        self._opened = opened_files.Watcher()

    # What the loop gets.

    def feeds(self, loader):
        # Who asks without gradients evaluates, and gets the loader as it is.
        return self._measuring and loader in self._loaders and torch.is_grad_enabled()

    def feed(self, loader):
        if not self._in_loop():
            self._between.wait()
        if self._finished:
            raise StopIteration
        return loader.next_real() if self._real else loader.replay()

    def may_be_made_anew(self, loader):
        return super().may_be_made_anew(loader) or self.feeds(loader)

    def on_asked(self, loader):
        if self._measuring and self._real:
            if loader not in self._loaders:
                self._before_evaluation()
            elif self._evaluation is not None:
                self._after_evaluation()
        super().on_asked(loader)

    def on_batch(self, loader, batch, begin, end):
        super().on_batch(loader, batch, begin, end)
        if not self._measuring:
            loader.keep(batch)
            self._first_loader = self._first_loader or loader

    # Steps and blocks.

    def on_learnt(self, now):
        if self._measuring:  # another model of the program's: its steps go on
            self.on_step(now)
        else:
            self._begin()

    def on_step(self, now):
        if self._finished:
            raise SystemExit(0)
        if self._drain > 0:
            self._drain -= 1
            if self._drain == 0:
                self._start_counting()
            return
        if len(self._records) in (0, self._block["steps"] - 1):
            synchronise(self._device)  # the queue of a device is empty where counting begins and ends
            now = time.monotonic()
        record = self.clock.take(now)
        record["loss"] = self.take_losses()
        self._records.append(record)
        if len(self._records) == self._block["steps"]:
            self._end_block()
            self._obey()

    def _begin(self):
        """The loop is understood: from here on the command says what each block is."""
        distributed = torch.distributed.is_available() and torch.distributed.is_initialized()
        world = torch.distributed.get_world_size() if distributed else 1
        rank = torch.distributed.get_rank() if distributed else 0
        if world != self.config["world_size"]:
            return self._fail("%d ranks were started, and the program made %s" % (
                self.config["world_size"], "a group of %d" % world if distributed else "no process group of them"),
                "call torch.distributed.init_process_group in the program, or start it with --nproc-per-node 1")
        self._ranks = Ranks(rank, world)
        # The commands of the ranks watch each other: a process group waits for ever for a machine that has vanished.
        offer = self._ranks.broadcast(self.config.get("watch_offer", ""))
        if offer and rank != 0:
            self.channel.send({"event": "watch", "offer": offer})
        self._loaders = [loader for loader in self.structure.training if loader.hold()]
        self._device = own_device(self.structure.primary)
        if self._device.type == "cpu":
            # On a batch learnt by heart gradients sink into denormals, which no user's data does.
            torch.set_flush_denormal(True)
        self._measuring = True
        self.channel.send({"event": "ready", "workload": self._workload()})
        self._obey()

    def _obey(self):
        self.channel.place = "between two blocks"
        self._between.clear()
        while True:
            order = self._ranks.broadcast(self.channel.next_order() if self._ranks.rank == 0 else None)
            if order["order"] == "stop":
                self._finish(order["exit_code"])
            self._block = order["block"]
            if not self._block["train"]:
                self._load_alone()
                continue
            self._start_block()
            return

    def _finish(self, exit_code):
        """Ends the program from inside its loop: `finally` and `with` of the program still do their work."""
        self._finished = True
        self._between.set()
        for loader in self._loaders:
            loader.close()
        ending.insist()
        self.channel.send({"event": "stopped", "exit_code": exit_code})
        raise SystemExit(0)

    def _start_block(self):
        self._records = []
        self._real = self._block["data"] != _RESIDENT
        self._drain = self._ranks.most(self._taken_ahead())
        self.gradients.set_sync(self._block["sync"] != _NO_SYNC)
        for loader in self._loaders:
            if self._real:
                loader.begin(self._seed())
            else:
                loader.close()
                loader.prepare_replay(self._device)
        if self._real:
            self._prepare_files()
        self._ranks.barrier()
        if self._real:
            self._note_files()
        self._between.set()
        self.channel.place = "in the program"
        if self._drain == 0:
            self._start_counting()

    def _start_counting(self):
        synchronise(self._device)
        self.take_losses()
        self._load_before = machine.machine_load()
        self._cpu_before = machine.rank_cpu_s([])
        self._start_s = time.monotonic()
        self.clock.restart(self._start_s)

    def _taken_ahead(self):
        """Steps whose batches a thread of the program has taken already: they are the last block's, and not counted."""
        if not self.beside:
            return 0
        steps = self.structure.backwards / self.structure.backwards_per_step
        ahead = max(loader.delivered / self._batches_per_step(loader) for loader in self._loaders) - steps
        return min(_LONGEST_DRAIN, max(0, math.ceil(ahead)))

    def _batches_per_step(self, loader):
        if self.beside:  # what a thread takes between two steps says little
            return self.structure.backwards_per_step
        return self.structure.batches_per_step.get(loader, 1)

    def _end_block(self):
        end_s = time.monotonic()
        workers = [pid for loader in self._loaders for pid in loader.worker_pids()]
        cpu_s = machine.rank_cpu_s(workers) - self._cpu_before
        busy, steal = machine.machine_load()
        for record in self._records:
            losses = record["loss"]
            loss = float(losses[-1]) if losses else 0.0
            record["loss"] = loss if math.isfinite(loss) else 0.0  # JSON has no word for the others
        report = {"rank": self._ranks.rank, "node": self.config["node"], "start_s": self._start_s, "end_s": end_s,
                  "cpu_s": cpu_s, "machine_busy_s": busy - self._load_before[0],
                  "machine_steal_s": steal - self._load_before[1], "recording_s": 0.0, "steps": self._records}
        if self._real:
            report["input"] = self._judge(workers)
        self._send(report)

    def _send(self, report):
        reports = self._ranks.gather(report)
        if reports is not None:
            self.channel.send({"event": "block", "ranks": reports})

    # Files.

    def _seed(self):
        return 1000003 * (self._block["turn"] + 1) + self.config["seed"]

    def _batches(self, loader):
        # What was taken ahead before, and what will be by the block's end.
        return (self._block["steps"] + 2 * self._drain) * self._batches_per_step(loader)

    def _prepare_files(self):
        """Finds out which files the block will read, by reading them once in the same order; that warms them, too."""
        turn = self._block["turn"]
        if self._passed[0] != turn or self._passed[1] < self._block["steps"]:
            self._opened.take()
            pids = {os.getpid()}
            for loader in self._loaders:
                for _ in range(self._batches(loader)):
                    loader.next_real()
                pids.update(loader.worker_pids())
            self._held = opened_files.held(pids)
            for loader in self._loaders:
                loader.begin(self._seed())  # ends the workers: what they map could not be evicted
            self._files = set(self._opened.take()) - self._held  # these are read whole, those in parts
            if self.config.get("data"):
                self._held = {path for path in self._held if _below(path, self.config["data"])}
                self._files = {path for path in self._files if _below(path, self.config["data"])}
            self._passed = (turn, self._block["steps"])
        if self._block["data"] == _COLD:
            self._ranks.barrier()  # nobody still reads
            page_cache.evict(self._files | self._held)

    def _note_files(self):
        """The block begins, on all ranks: what they read from here on is its own."""
        self._opened.take()
        self._seen, self._evaluation = [], None
        self._fetched_before = page_cache.device_bytes(os.getpid())
        self._evidence = page_cache.Evidence()
        self._evidence.before = page_cache.resident_bytes(self._files | self._held)

    def _before_evaluation(self):
        if self._evaluation is None:
            self._seen += self._opened.take()
            self._evaluation = page_cache.device_bytes(os.getpid()) or 0

    def _after_evaluation(self):
        """What evaluation read is not the block's; a rank here or beside may have yet to read it cold, so it goes again."""
        if self._fetched_before is not None:
            self._fetched_before += (page_cache.device_bytes(os.getpid()) or 0) - self._evaluation
        self._evaluation = None
        workers = {pid for loader in self._loaders for pid in loader.worker_pids()}
        opened = self._opened.take_with_pids()
        self._seen += [path for pid, path in opened if pid in workers]
        read = {path for pid, path in opened if pid not in workers}
        if read and self._block["data"] == _COLD:
            page_cache.evict(read)
            self._evidence.before = None  # what is in memory no longer tells who fetched it

    def _judge(self, workers):
        self._wait_until_idle(workers)
        evidence, files = self._evidence, self._files | self._held
        opened = [path for path in self._seen + self._opened.take() if path in self._files]
        fetched = page_cache.device_bytes(os.getpid())
        if fetched is not None:
            fetched -= self._fetched_before or 0
            fetched += sum(page_cache.device_bytes(pid) or 0 for pid in workers)
        cold = self._block["data"] == _COLD
        turn = self._block["turn"]
        evidence.fetched, evidence.fetched_here = fetched, self._ranks.sum_of_machine(fetched or 0)
        evidence.after = page_cache.resident_bytes(files)
        evidence.opened = sum(_size(path) for path in opened)
        evidence.in_parts = bool(self._held) and not opened
        evidence.reference = self._cold_bytes.get(turn)
        ahead = sum(loader.read_ahead() for loader in self._loaders)
        for loader in self._loaders:
            loader.close()
        state, verified, reason, retry = page_cache.judge(cold, files, evidence)
        if cold and verified:
            self._cold_bytes = {turn: fetched}
        samples = sum(loader.samples for loader in self._loaders)
        if samples == 0:
            state, verified, retry = "in memory", False, False
            reason = "the training loop goes on with batches that it keeps: its DataLoader was not asked in the block"
        taken = evidence.opened * samples / max(1, samples + ahead)
        if evidence.in_parts and _length(self._loaders[0].loader) > 0:
            # A file that is read in parts is the data set, and a sample its share of that.
            taken = samples * sum(_size(path) for path in self._held) / _length(self._loaders[0].loader)
        return {"state": state, "verified": verified, "reason": reason, "worth_a_retry": retry, "samples": samples,
                "read_s": 0.0, "decode_s": 0.0, "bytes": evidence.opened, "bytes_taken": int(taken),
                "device_bytes": fetched or 0, "bad_samples": 0, "change": ""}

    def _wait_until_idle(self, workers):
        """Workers read ahead until their queues are full; what they are in the middle of would be counted by half."""
        deadline = time.monotonic() + _LONGEST_SETTLE_S
        before = None
        while workers and time.monotonic() < deadline:
            now = [machine.rank_cpu_s(workers), [page_cache.device_bytes(pid) for pid in workers]]
            if now[1:] == (before or [None])[1:] and before and now[0] - before[0] < _SETTLE_S / 2:
                return
            before = now
            time.sleep(_SETTLE_S)

    def _load_alone(self):
        """The loader without training. The storage alone is not to be had from outside of the program's own reader."""
        self._real = True
        records = []
        for loader in self._loaders:
            loader.begin(self._seed())
        self._prepare_files()
        self._ranks.barrier()
        self._note_files()
        start_s = time.monotonic()
        for _ in range(self._block["steps"]):
            begin = time.monotonic()
            for loader in self._loaders:
                for _ in range(self._batches_per_step(loader)):
                    loader.next_real()
            end = time.monotonic()
            records.append({"start_s": begin, "data_wait_s": end - begin, "copy_s": 0.0, "forward_s": 0.0,
                            "backward_s": 0.0, "exposed_communication_s": 0.0, "optimizer_s": 0.0,
                            "total_s": end - begin, "loss": 0.0, "buckets": []})
        workers = [pid for loader in self._loaders for pid in loader.worker_pids()]
        end_s = time.monotonic()
        report = {"rank": self._ranks.rank, "node": self.config["node"], "start_s": start_s, "end_s": end_s,
                  "cpu_s": 0.0, "machine_busy_s": 0.0, "machine_steal_s": 0.0, "recording_s": 0.0, "steps": records,
                  "input": self._judge(workers)}
        # Nobody held the workers up: all of the time was theirs.
        loaders = sum(max(1, loader.workers) for loader in self._loaders)
        report["input"]["decode_s"] = (end_s - start_s) * loaders
        self._send(report)

    # What the document says of the program.

    def _workload(self):
        seen, tensors, layers = set(), [], 0
        for optimizer in self.structure.optimizers():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.requires_grad and id(parameter) not in seen:
                        seen.add(id(parameter))
                        tensors.append(parameter)
        for module in self.gradients.modules():
            layers += sum(1 for child in module.module.modules() if any(True for _ in child.parameters(recurse=False)))
        loader = self._loaders[0] if self._loaders else None
        workload = {
            "torch_version": str(torch.__version__), "model": self.config["program"],
            "parameters": sum(tensor.numel() for tensor in tensors), "gradient_tensors": len(tensors),
            "gradient_bytes": sum(tensor.numel() * tensor.element_size() for tensor in tensors), "layers": layers,
            "forward_macs": 0, "device": self._device.type,
            "backend": torch.distributed.get_backend() if self._ranks.world_size > 1 else "",
            "synchronises": bool(self.gradients.modules()),
            "optimizer": type(self.structure.primary).__name__,
            "dtype": str(tensors[0].dtype).replace("torch.", "") if tensors else "",
        }
        if loader is not None:
            workload["loader"] = {"workers": loader.workers, "batch": loader.batch_size,
                                  "batches_per_step": self._batches_per_step(loader),
                                  "samples": _length(loader.loader)}
        elif self._first_loader is not None:
            workload["batch"] = self._first_loader.batch_size
            workload["no_loader"] = "the training loop asks no DataLoader: it goes on with batches that it keeps"
        return workload

    def on_backward_end(self, whole=True):
        super().on_backward_end(whole)
        if self.structure.steps == 0 and self.structure.backwards == _BACKWARDS_WITHOUT_STEP:
            self._fail("%d backward passes, and no step of a torch.optim optimiser" % _BACKWARDS_WITHOUT_STEP,
                       "a step ends where an optimiser steps: train with one of torch.optim's, or derived from its class")

    def on_beat(self):
        if self._measuring or self._finished:
            return ""
        if self.structure.backwards == 0 and elsewhere.trains_elsewhere(self.config):
            self._finished = True
            self._send_failure(elsewhere.MESSAGE, elsewhere.HINT)
        return super().on_beat()

    def hint_of_raise(self, kind):
        hint = super().hint_of_raise(kind)
        if not issubclass(kind, (IndexError, KeyError, ValueError)):
            return hint
        lengths = [loader.epoch_length() for loader in self._loaders if loader.epoch_length()]
        if self._measuring and lengths and self.steps > min(lengths):
            hint += ("; should it have counted its steps: while measuring, an epoch goes on after its %d batches, so give "
                     "the program more epochs" % min(lengths))
        return hint

    def _send_failure(self, message, hint, **more):
        self.channel.send({"event": "failed", "message": message, "hint": hint, "exit_code": 1,
                           "lost_connection": False, **more})

    def _fail(self, message, hint):
        self._finished = True
        self._between.set()
        ending.insist()
        self._send_failure(message, hint)
        raise SystemExit(1)

    def on_exit(self):
        if self._finished:
            return
        if self.structure.backwards == 0 and elsewhere.trains_elsewhere(self.config):
            message, hint = elsewhere.MESSAGE, elsewhere.HINT
        elif self._measuring:
            message = "the program ended by itself after %d steps, before measuring was done" % self.steps
            hint = "let it train longer (more epochs or steps): it is ended when enough was measured"
        else:
            wanted = self.structure.missing()
            message = "the program ended before its training loop was understood"
            hint = "seen were %d backward passes and %d optimiser steps; let it train at least 8 steps" % (
                self.structure.backwards, self.structure.steps)
            if wanted:
                message = "the program trains nothing that can be profiled: not seen was " + " and ".join(wanted)
                hint = "profile a program that trains with torch's autograd and optimisers"
        say(message)
        self._send_failure(message, hint, with_exit_status=True)


def _below(path, folders):
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def _size(path):
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _length(loader):
    try:
        return len(loader.dataset)
    except (TypeError, AttributeError, NotImplementedError):
        return 0
