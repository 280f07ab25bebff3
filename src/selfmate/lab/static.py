"""The page's files, built from TypeScript when Selfmate was installed."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

import selfmate._core
from selfmate.lab.errors import NotThereError

TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}


def page_folder() -> Path:
    """Beside the core: both are built at installation."""
    return Path(selfmate._core.__file__).parent / "lab" / "static"


def is_built(folder: Path) -> bool:
    return (folder / "index.html").is_file()


def page_routes(folder: Path) -> APIRouter:
    router = APIRouter()
    files = {path.name: path for path in folder.iterdir() if path.suffix in TYPES}

    @router.get("/")
    def page() -> FileResponse:
        return _file("index.html")

    @router.get("/{name}")
    def file(name: str) -> FileResponse:
        return _file(name)

    def _file(name: str) -> FileResponse:
        if name not in files:
            raise NotThereError(f"the lab has no page {name[:80]!r}")
        return FileResponse(files[name], media_type=TYPES[files[name].suffix])

    return router
