"""A game on the page as a user handles it: squares by name, the list of moves, the PGN."""

import io
from dataclasses import dataclass
from pathlib import Path

import chess.pgn
from playwright.sync_api import FloatRect, Page, expect


@dataclass
class PageBoard:
    page: Page
    from_black: bool = False  # how it is turned

    def point(self, square: str) -> tuple[float, float]:
        """The middle of a square such as e4, on the page."""
        board = self._box()
        x, y = self.place(square)
        return board["x"] + x, board["y"] + y

    def place(self, square: str) -> tuple[float, float]:
        """The middle of a square, on the board."""
        board = self._box()
        column, row = ord(square[0]) - ord("a"), 8 - int(square[1])
        if self.from_black:
            column, row = 7 - column, 7 - row
        width = board["width"] / 8
        return (column + 0.5) * width, (row + 0.5) * width

    def _box(self) -> FloatRect:
        """Where the board is drawn. It has no box until its first frame is painted."""
        board = self.page.locator("main cg-board")
        expect(board).to_be_visible()
        box = board.bounding_box()
        assert box is not None
        return box

    def click(self, *squares: str) -> None:
        """Once the board stands still, as with any button."""
        for square in squares:
            x, y = self.place(square)
            self.page.locator("main cg-board").click(position={"x": x, "y": y})

    def drag(self, origin: str, to: str) -> None:
        self.page.mouse.move(*self.point(origin))
        self.page.mouse.down()
        self.page.mouse.move(*self.point(to), steps=5)
        self.page.mouse.up()

    def wait_for(self, piece: str, square: str) -> None:
        """Until such a piece, named as in FEN, is drawn there."""
        color = "white" if piece.isupper() else "black"
        self.page.wait_for_function(
            """([square, piece]) => [...document.querySelectorAll(`main cg-board ${piece}`)]
                .some(one => one.cgKey === square)""",
            arg=[square, f"piece.{color}.{piece.lower()}-piece:not(.dragging)"],
        )


def move_texts(page: Page) -> list[str]:
    return page.get_by_role("list", name="Moves").get_by_role("button").all_text_contents()


def expect_moves(page: Page, count: int) -> None:
    """Also that whoever had to answer has answered."""
    moves = page.get_by_role("list", name="Moves").get_by_role("button")
    expect(moves).to_have_count(count)


def downloaded(page: Page) -> tuple[str, chess.pgn.Game]:
    with page.expect_download() as download:
        page.get_by_role("button", name="Download PGN").click()
    text = Path(download.value.path()).read_text("utf-8")
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    return download.value.suggested_filename, game
