"""Chess: a small net scores each legal move and learns by REINFORCE."""

from dataclasses import replace

from selfmate.learners.learner import (
    DISTINCT_GAMES,
    ENTROPY,
    EVALUATION,
    GRADIENT_NORM,
    LN_LEGAL,
    LOSS,
    LOSSES,
    PLIES,
    RESULTS,
    TRUNCATED_GAMES,
    Learner,
    Metric,
)

METRICS = (
    *EVALUATION,
    Metric("white_wins", "White wins", "fraction of the games", unit="fraction", group=RESULTS),
    Metric("black_wins", "Black wins", "fraction of the games", unit="fraction", group=RESULTS),
    Metric("draws", "Draws", "fraction of the games", unit="fraction", group=RESULTS),
    replace(
        TRUNCATED_GAMES,
        title="Truncated",
        meaning="fraction of the games that reached the ply limit",
        unit="fraction",
        group=RESULTS,
    ),
    ENTROPY,
    LN_LEGAL,
    LOSS,
    Metric(
        "value_loss",
        "Value loss",
        "squared error of the expected results",
        better="lower",
        group=LOSSES,
    ),
    PLIES,
    DISTINCT_GAMES,
    GRADIENT_NORM,
    Metric(
        "kl",
        "KL from untrained",
        "how far the policy has moved from the net it began with",
        unit="nats",
    ),
    Metric("temperature", "Temperature", "of the policy in its games: above 1 evens it out"),
    Metric("baseline", "Baseline", "the mean result that is expected"),
)

LEARNERS = (
    Learner(
        name="reinforce",
        takes_workers=True,
        module="selfmate.learners.reinforce.learner",
        config="selfmate.learners.reinforce.config:Config",
        summary="chess: scores the legal moves, and learns from nothing but how games end",
        unit="games",
        metrics=METRICS,
        plots=("score_random", "entropy", "kl"),
        then="selfmate match {run} random",
        key_metrics=(
            "score_random",
            "score_greedy",
            "loss",
            "entropy",
            "ln_legal",
            "kl",
            "white_wins",
            "black_wins",
            "truncated_games",
        ),
        main_settings=("games", "plays_mate_in_one", "baseline", "learning_rate"),
        iteration="games_per_iteration",
        is_rehearsed=False,
    ),
)
