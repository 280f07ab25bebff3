"""The board of the page as a user handles it: squares by name, clicked or dragged to."""

from dataclasses import dataclass

from playwright.sync_api import Page


@dataclass
class PageBoard:
    page: Page
    from_black: bool = False  # how it is turned

    def point(self, square: str) -> tuple[float, float]:
        """The middle of a square such as e4."""
        box = self.page.locator("main cg-board").bounding_box()
        assert box is not None
        column, row = ord(square[0]) - ord("a"), 8 - int(square[1])
        if self.from_black:
            column, row = 7 - column, 7 - row
        width = box["width"] / 8
        return box["x"] + (column + 0.5) * width, box["y"] + (row + 0.5) * width

    def click(self, *squares: str) -> None:
        for square in squares:
            self.page.mouse.click(*self.point(square))

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
