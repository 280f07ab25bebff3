"""Whole numbers as GUIs send them."""

LARGEST = 2**31 - 1


def whole(text: str, low: int, high: int) -> int | None:
    """The number, None when it is none or out of range."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 10):
        return None
    number = int(text)
    return number if low <= number <= high else None
