"""`selfmate export`: a net as an ONNX file."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.console import BadInputError, JobFailedError, reading_input

if TYPE_CHECKING:
    from selfmate.players.onnx_export import Export


def export(
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER", help="A shipped net or a run: alphazero-tiny, runs/x:version=best."
        ),
    ],
    onnx: Annotated[Path, typer.Option(metavar="FILE", help="The ONNX file to write.")],
    opset: Annotated[
        int, typer.Option(metavar="N", help="The version of ONNX's operators, 18 to 20.")
    ] = 18,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Write the net of a player as an ONNX file.

    The file is written only if onnxruntime answers like the net itself on
    256 positions, up to 0.0001. Afterwards it is a player:
    onnx:path=FILE.
    """
    _check(onnx, opset)
    from selfmate.extras import check_extra
    from selfmate.players import check_name
    from selfmate.players.trained import find_net

    with reading_input():
        check_extra("onnx")
        check_extra("train")
        from selfmate.players.onnx_export import ExportError, export_onnx

        weights = find_net(check_name(player))
        try:
            done = export_onnx(weights, onnx, opset)
        except ExportError as error:
            raise JobFailedError(str(error)) from error
    print(json.dumps(asdict(done)) if as_json else _sentence(done))


def _check(path: Path, opset: int) -> None:
    """Before anything is loaded."""
    if not 18 <= opset <= 20:
        raise BadInputError(f"--opset {opset} is not 18..20")
    if path.is_dir() or not path.parent.is_dir():
        raise BadInputError(f"--onnx {path} is no file in a folder that exists")


def _sentence(done: "Export") -> str:
    return (
        f"{done.file}: the net of {done.player}, {done.file_bytes:,} bytes, opset {done.opset}; "
        f"inputs {', '.join(done.inputs)}; outputs {', '.join(done.outputs)}\n"
        f"onnxruntime's answers on {done.positions} positions differ by at most "
        f"{done.largest_difference:.1e}\n"
        f"To play it: selfmate play onnx:path={done.file}"
    )
