"""The rank's conversation with the command that started it: orders in, events out, one JSON document a line."""

import functools
import json
import os
import sys
import threading
import time

_EVENTS = 3  # as the command's own rank processes have it
_BEAT_S = 0.5


class Channel:
    def __init__(self):
        # Standard input is the command's; the program gets an empty one.
        self._orders = os.fdopen(os.dup(0), "r")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.set_inheritable(_EVENTS, False)
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self.step = 0
        self.beating_s = 0.0  # processor time of the heartbeats
        self.place = "in the program"
        self._session = None
        self._survive_exec()
        threading.Thread(target=self._beat, daemon=True).start()

    def send(self, event):
        data = (json.dumps(event) + "\n").encode()
        with self._lock:
            try:
                while data:
                    data = data[os.write(_EVENTS, data):]
            except OSError:
                pass  # the command has gone, and takes us with it

    def next_order(self):
        line = self._orders.readline()
        if not line:
            return {"order": "stop", "exit_code": 1}
        return json.loads(line)

    def _survive_exec(self):
        """Some programs start themselves anew, with variables set: the channel is then the new program's."""
        for name in ("execv", "execve"):

            def make(original):
                @functools.wraps(original)
                def replace(*args):
                    if os.getpid() != self._owner:
                        return original(*args)
                    os.dup2(self._orders.fileno(), 0)
                    os.set_inheritable(_EVENTS, True)
                    try:
                        return original(*args)
                    finally:  # it could not
                        os.set_inheritable(_EVENTS, False)

                return replace

            setattr(os, name, make(getattr(os, name)))

    def listen(self, session):
        """From now on the session is asked, at every beat, whether it has something to say."""
        self._session = session

    def _beat(self):
        while os.getpid() == self._owner:
            beat = {"event": "heartbeat", "step": self.step, "place": self.place}
            if self._session is not None:
                beat["unseen"] = self._session.on_beat()
            self.send(beat)
            self.beating_s = time.thread_time()
            time.sleep(_BEAT_S)


def say(text):
    try:
        sys.stderr.write("stallscope: %s\n" % text)
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        pass  # the program has closed it
