"""Errors as sentences that the page can show."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

INTERNAL = "something went wrong in the lab itself: the terminal where it runs says more"
STARLETTE_MESSAGES = {
    "Not Found": "the lab has nothing at this address",
    "Method Not Allowed": "this address does not support that method",
}

Handler = Callable[[Request, Exception], JSONResponse]


class NotFoundError(LookupError):
    """The thing that was asked for does not exist, or no longer does."""


class BusyError(Exception):
    """It exists, but this cannot be done to it now."""


def add_error_handlers(app: FastAPI) -> None:
    """ValueError is what the user can mend; everything else has a type of its own."""
    statuses: dict[type[Exception], int] = {
        ValueError: 400,
        NotFoundError: 404,
        BusyError: 409,
    }
    for kind, status in statuses.items():
        app.add_exception_handler(kind, _handler(status))
    app.add_exception_handler(OSError, lambda _, error: error_answer(500, message_of(error)))
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, lambda *_: error_answer(500, INTERNAL))  # and it is logged


def error_answer(status: int, text: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": text}, status, headers)


def message_of(error: Exception) -> str:
    """Files are named without their folders, which are private to this machine."""
    if not isinstance(error, OSError):
        return str(error)
    name = Path(os.fsdecode(error.filename)).name if isinstance(error.filename, str | bytes) else ""
    reason = error.strerror or "it cannot be read or written"
    return f"{name!a}: {reason}" if name else reason


def _handler(status: int) -> Handler:
    return lambda _, error: error_answer(status, str(error))


def _invalid_request(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return error_answer(422, f"{where}: {first['msg']}" if where else str(first["msg"]))


def _http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    text = STARLETTE_MESSAGES.get(error.detail, error.detail)
    return error_answer(error.status_code, text, error.headers)
