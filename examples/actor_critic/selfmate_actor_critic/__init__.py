"""Chess: a policy and a value learn from each other, one ply at a time (actor-critic)."""

from selfmate.learners.learner import (
    ENTROPY,
    EVALUATION,
    GRADIENT_NORM,
    LN_LEGAL,
    LOSS,
    LOSSES,
    PLIES,
    TRUNCATED_GAMES,
    Learner,
    Metric,
)

METRICS = (
    *EVALUATION,
    LOSS,
    Metric(
        "value_loss",
        "Value loss",
        "squared temporal-difference error of the critic",
        better="lower",
        group=LOSSES,
    ),
    ENTROPY,
    LN_LEGAL,
    Metric("decided_games", "Decided games", "of an iteration", unit="games"),
    TRUNCATED_GAMES,
    PLIES,
    GRADIENT_NORM,
)

LEARNERS = (
    Learner(
        name="actor-critic",
        module="selfmate_actor_critic.learner",
        config="selfmate_actor_critic.config:Config",
        summary="chess: actor-critic, a policy and a value that learn ply by ply",
        unit="games",
        metrics=METRICS,
        plots=("score_random", "entropy", "value_loss"),
        key_metrics=("score_random", "score_greedy", "loss", "value_loss", "entropy", "ln_legal"),
        then="selfmate match {run} random",
        main_settings=("games", "learning_rate", "entropy_bonus"),
        iteration="games_per_iteration",
        is_rehearsed=False,
    ),
)
