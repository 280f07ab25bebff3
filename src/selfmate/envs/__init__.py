"""Environments for reinforcement learning libraries (extra `gym`).

`import selfmate.envs` registers `selfmate/Chess-v0` and `selfmate/MiniChess-v0` with Gymnasium;
`gymnasium.make_vec` of the first gives thousands of games in the core. `selfmate.envs.chess_v0` is
chess for PettingZoo. docs/how-to/environments.md describes them all.
"""

from selfmate.extras import has_extra, missing_sentence

if not has_extra("gym"):
    raise ImportError(missing_sentence("gym"))

import gymnasium

CHESS_ID, MINI_CHESS_ID = "selfmate/Chess-v0", "selfmate/MiniChess-v0"

if CHESS_ID not in gymnasium.registry:  # the module may be loaded again
    gymnasium.register(
        CHESS_ID,
        entry_point="selfmate.envs.chess_env:ChessEnv",
        vector_entry_point="selfmate.envs.vector:ChessVectorEnv",
    )
    gymnasium.register(MINI_CHESS_ID, entry_point="selfmate.envs.minichess_env:MiniChessEnv")
