"""Work in threads that Ctrl-C ends in good order."""

from collections.abc import Callable, Sequence
from threading import Event, Thread


class Job(Thread):
    """Work in a thread of its own, waited for in a way that Ctrl-C cannot confuse.

    Python 3.11 takes a thread whose `join` was interrupted for ended (CPython issue 90882), so
    an event comes first.
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
    """Runs jobs in threads, so that Ctrl-C reaches only us, who wait for them.

    A job is thus never cut off between starting a process and knowing of it; `interrupt` makes
    all jobs end soon.
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
