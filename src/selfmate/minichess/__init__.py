"""King and queen against king on a small board: solved exactly, learned by SARSA and Double DQN."""

from selfmate.learners.learner import EPSILON, LOSS, Learner, Metric, MetricGroup

EXACT_STRENGTH = MetricGroup(
    "Exact strength",
    "from every position, against the solved game, by minutes of training",
    by_time=True,
)
METRICS = (
    Metric(
        "exact_mate_percent",
        "Mates",
        "from all positions, computed exactly",
        unit="%",
        better="higher",
        group=EXACT_STRENGTH,
    ),
    Metric(
        "exact_optimal_move_percent",
        "Optimal moves",
        "positions in which it plays a best move",
        unit="%",
        better="higher",
        group=EXACT_STRENGTH,
    ),
    Metric(
        "exact_draw_percent",
        "Stalemates",
        "from all positions, computed exactly",
        unit="%",
        better="lower",
    ),
    Metric(
        "exact_never_ending_percent",
        "Endless games",
        "from all positions, games that go in circles",
        unit="%",
        better="lower",
    ),
    Metric(
        "exact_mean_moves",
        "Moves to mate",
        "from all positions, on average",
        unit="moves",
        better="lower",
    ),
    Metric(
        "exact_regret", "Regret", "return lost against optimal play: 0 is optimal", better="lower"
    ),
    Metric("reward", "Reward", "mean result of training games: mate is 1", better="higher"),
    Metric("moves", "Moves", "mean length of training games", unit="moves"),
    Metric(
        "mate_percent",
        "Mates in training",
        "of games with random moves in them",
        unit="%",
        better="higher",
    ),
    EPSILON,
    LOSS,
)

LEARNERS = (
    Learner(
        name="sarsa",
        module="selfmate.minichess.sarsa",
        config="selfmate.minichess.sarsa:Config",
        summary="mini-chess, king and queen against king: neural SARSA without autodiff",
        unit="episodes",
        metrics=METRICS,
        plots=("reward", "moves", "mate_percent"),
        then="selfmate endgame evaluate {run}",
        main_settings=("episodes", "size", "learning_rate", "gamma"),
        needs_torch=False,
    ),
    Learner(
        name="ddqn",
        module="selfmate.minichess.ddqn",
        config="selfmate.minichess.ddqn:Config",
        summary="mini-chess, king and queen against king: Double DQN without autodiff",
        unit="episodes",
        metrics=METRICS,
        plots=("reward", "moves", "mate_percent"),
        then="selfmate endgame evaluate {run}",
        main_settings=("episodes", "size", "learning_rate", "gamma"),
        needs_torch=False,
    ),
)
