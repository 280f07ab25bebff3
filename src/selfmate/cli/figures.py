"""Figures as people read them."""


def figure(value: float) -> str:
    """Four digits, or whole thousands."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def duration(seconds: float) -> str:
    """Two units at most: 8 s, 2 min 5 s, 3 h 20 min, 4 d 2 h."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for size, unit, smaller_size, smaller_unit in (
        (86_400, "d", 3_600, "h"),
        (3_600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if whole >= size:
            rest = whole % size // smaller_size
            return f"{whole // size} {unit}" + (f" {rest} {smaller_unit}" if rest else "")
    return f"{whole} s"
