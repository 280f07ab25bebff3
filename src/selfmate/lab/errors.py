"""What went wrong, as a sentence the page can show."""

import os
from collections.abc import Mapping
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

OURS = "something went wrong in the lab itself: the terminal where it runs says more"
OF_STARLETTE = {
    "Not Found": "the lab has nothing at this address",
    "Method Not Allowed": "this address is not for that",
}


class NotThereError(LookupError):
    """Somebody asked for what does not exist, or no longer does."""


class BusyError(Exception):
    """It exists, but this cannot be done to it now."""


def answer_in_sentences(app: FastAPI) -> None:
    """ValueError is what the user can mend; all else has a type of its own."""
    statuses: dict[type[Exception], int] = {
        ValueError: 400,
        NotThereError: 404,
        BusyError: 409,
    }
    for kind, status in statuses.items():
        app.add_exception_handler(kind, _answer(status))
    app.add_exception_handler(OSError, lambda _, error: sentence(500, words_of(error)))
    app.add_exception_handler(RequestValidationError, _misread)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, lambda *_: sentence(500, OURS))  # and it is logged


def sentence(status: int, text: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": text}, status, headers)


def words_of(error: Exception) -> str:
    """Of files their names are told, not where on this machine they are."""
    if not isinstance(error, OSError):
        return str(error)
    name = Path(os.fsdecode(error.filename)).name if isinstance(error.filename, str | bytes) else ""
    why = error.strerror or "it cannot be read or written"
    return f"{name!a}: {why}" if name else why


def _answer(status: int):  # type: ignore[no-untyped-def]
    def answer(_: Request, error: Exception) -> JSONResponse:
        return sentence(status, str(error))

    return answer


def _misread(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return sentence(422, f"{where}: {first['msg']}" if where else str(first["msg"]))


def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    text = OF_STARLETTE.get(error.detail, error.detail)
    return sentence(error.status_code, text, error.headers)
