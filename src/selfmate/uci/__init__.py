"""A UCI engine on standard input and output, for any player.

A line goes: process (input, output, signals) -> engine (commands) -> search (one `go`) -> player.
The rule book, the player and all that a search takes come with the first command that needs them:
`uciok` must be there within 100 ms.
"""

from selfmate.weights import strongest

DEFAULT_PLAYER = strongest() or "teacher:depth=3"
