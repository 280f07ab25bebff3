"""A UCI engine on standard input and output, for any player.

`process` reads and writes lines and handles signals, `engine` runs the commands, `search` is one
`go`, in which a player searches in a thread; `time_management` says for how long, `tablebase` what
is known without a search. `uciok` must be sent within 100 ms, so rules, NumPy and the player are
imported after it.
"""

from selfmate.weights import strongest

DEFAULT_PLAYER = strongest() or "teacher:depth=3"
