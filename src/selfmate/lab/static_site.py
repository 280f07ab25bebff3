"""A folder of files for browsers of this machine: no token, and no lab behind it.

Such a folder is Selfmate in a tab (`make site`), which needs a server for its files alone."""

from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

import selfmate
import selfmate._core
from selfmate.lab.access import check_host, names_of
from selfmate.lab.errors import error_answer

INDEX = "index.html"
HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"}


def site_folder() -> Path:
    """Selfmate in a tab: built in the tree we run from, or installed beside the core. ValueError if
    there is neither."""
    installed = Path(selfmate._core.__file__).parent / "lab" / "site"
    tree = Path(selfmate.__file__).parents[2] / "site"
    for folder in (tree, installed):
        if (folder / INDEX).is_file():
            return folder
    raise ValueError("Selfmate in a tab is not built: run `make site`, which needs Emscripten")


def readable(folder: Path) -> Path:
    """ValueError unless it is a folder with a page."""
    if not (folder / INDEX).is_file():
        raise ValueError(f"--static {folder} is not a folder with an {INDEX}")
    return folder


def static_app(folder: Path, host: str) -> ASGIApp:
    files = StaticFiles(directory=folder, html=True)
    names = names_of(host)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        try:
            check_host(Headers(scope=scope), names)
            answer = await files.get_response(files.get_path(scope), scope)
            answer.headers.update(HEADERS)
        except HTTPException as refused:
            answer = error_answer(refused.status_code, refused.detail)
        await answer(scope, receive, send)

    return app
