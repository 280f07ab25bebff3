"""Work of a player in threads, which Ctrl-C ends."""

from collections.abc import Callable, Sequence
from threading import Event, Thread


class Job(Thread):
    """Work in a thread that can be waited for again after Ctrl-C.

    Python 3.11 takes a thread whose `join` was interrupted for ended (CPython issue 90882), so
    `wait` waits for an event before it joins.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._done = Event()
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self.error = error
        finally:
            self._done.set()

    def wait(self) -> None:
        if self.ident is not None:
            self._done.wait()
            self.join()


def run_jobs(jobs: Sequence[Job], interrupt: Callable[[], None]) -> None:
    """Runs jobs in threads and waits for them; raises the error of the first that failed.

    Ctrl-C reaches only the waiting thread, so it cannot hit a job between starting a process and
    registering it. `interrupt` is called then, and must make all jobs end soon.
    """
    try:
        for job in jobs:
            job.start()
        for job in jobs:
            job.wait()
    except BaseException:
        interrupt()
        for job in jobs:
            job.wait()
        raise
    for job in jobs:
        if job.error is not None:
            raise job.error
