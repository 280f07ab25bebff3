"""The rules in a browser: perft, and random games beside the native core."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Error

from page.wasm.conftest import TabCore
from selfmate import Board
from selfmate.rules.perft import PERFT_POSITIONS, PerftPosition

MAX_NODES = 6_000_000  # of one perft


@pytest.mark.parametrize("position", PERFT_POSITIONS, ids=lambda position: position.name)
def test_perft_is_exact(core: TabCore, position: PerftPosition) -> None:
    depths = [depth for depth, nodes in enumerate(position.nodes, 1) if nodes <= MAX_NODES]
    counted = core.run(
        "return given.depths.map(depth => core.perft(given.fen, depth));",
        {"fen": position.fen, "depths": depths},
    )
    assert counted == list(position.nodes[: len(depths)])


WALK = """
  const game = core.game();
  const told = [];
  for (const uci of given) {
    const moves = game.legalMoves();
    told.push([game.fen(), game.turn(), game.ply(), moves, game.san(uci), game.isCheck()]);
    game.push(uci);
  }
  told.push([game.fen(), game.outcome()]);
  for (const uci of given) game.pop();
  told.push(game.fen());
  game.free();
  return told;
"""


@pytest.mark.parametrize("seed", range(12))
def test_random_games_are_those_of_the_native_core(core: TabCore, seed: int) -> None:
    rng, board, expected = np.random.default_rng(seed), Board(), list[object]()
    while board.outcome() is None:
        moves = board.legal_moves()
        uci = moves[rng.integers(len(moves))]
        ply = len(board.moves)
        san, check = board.san(uci), board.is_check()
        expected.append([board.fen(), board.turn, ply, moves, san, check])
        board.push(uci)
    end = board.outcome()
    assert end is not None
    result = {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[end.winner]
    expected.append([board.fen(), {"result": result, "reason": end.reason}])
    expected.append(Board().fen())
    assert core.run(WALK, board.moves) == expected


@pytest.mark.parametrize(
    ("script", "native"),
    [
        ("core.game('nonsense')", lambda: Board("nonsense")),
        ("core.perft(given, 21)", lambda: Board().perft(21)),
        ("core.game().push('e2e5')", lambda: Board().push("e2e5")),
        ("core.game().push('')", lambda: Board().push("")),
        ("core.game().san('e2e5')", lambda: Board().san("e2e5")),
        ("core.game().pop()", lambda: Board().pop()),
    ],
)
def test_errors_have_the_sentences_of_the_native_core(
    core: TabCore, script: str, native: Callable[[], object]
) -> None:
    with pytest.raises(ValueError) as expected:  # noqa: PT011
        native()
    with pytest.raises(Error, match=re.escape(f"Error: {expected.value}\n")):
        core.run(script, Board().fen())


def test_a_game_that_is_over_takes_no_move(core: TabCore) -> None:
    script = "const game = core.game('8/8/8/8/8/4k3/8/4K3 w - - 0 1'); game.push('e1d1');"
    with pytest.raises(Error, match="the game is over"):
        core.run(script)


def test_freed_games_leave_no_memory_behind(core: TabCore) -> None:
    script = """
      const round = () => {
        for (let i = 0; i < 200; ++i) {
          const game = core.game();
          for (let ply = 0; ply < 60 && !game.outcome(); ++ply) game.push(game.legalMoves()[0]);
          try { game.push("a1a1"); } catch {}
          game.free();
        }
        return core.memoryBytes();
      };
      return [round(), round(), round(), core.heapBytes()];
    """
    first, second, third, heap = core.run(script)
    assert second == third <= heap
    assert first == second
