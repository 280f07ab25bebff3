"""The names of version 0.1 and what replaced them, in one table.

Old settings are refused with the new name. Weights of 0.1 can be loaded and played: their cards are
read as if they had the new names.
"""

from collections.abc import Mapping
from typing import Any

# Settings of all learners; below, those that one learner renamed differently.
SETTINGS: Mapping[str, str] = {
    "accumulation": "gradient_accumulation",
    "advice_depth": "teacher_depth",
    "among_legal": "unplayed_target",
    "at_once": "parallel_games",
    "attempts": "max_attempts",
    "attention": "attention_blocks",
    "batch": "batch_size",
    "batch_cycles": "batch_size_cycles",
    "batch_end": "batch_size_end",
    "cached_evaluations": "cache_size",
    "checkpointing": "gradient_checkpointing",
    "conversions": "conversion_games",
    "copy_every": "target_update_every",
    "copy_unit": "target_update_unit",
    "cut_penalty": "truncation_penalty",
    "decided_score": "result_score",
    "dull_share": "quiet_fraction",
    "endgames": "endgame_fraction",
    "exact_key": "exact_cache_key",
    "finds_mates": "plays_mate_in_one",
    "games_at_once": "parallel_games",
    "games_per_click": "games_per_iteration",
    "geometry": "square_pair_bias",
    "gumbel_moves": "num_considered_actions",
    "gumbel_scale": "c_scale",
    "gumbel_visits": "c_visit",
    "halve_after": "patience",
    "haste": "speed_bonus",
    "haste_by": "speed_bonus_by",
    "help_cycles": "teacher_anneal_cycles",
    "initial_weights": "weight_init",
    "least_learning_rate": "min_learning_rate",
    "master_share": "master_fraction",
    "measured": "validation_positions",
    "most_nodes": "max_nodes",
    "most_norm": "max_grad_norm",
    "most_updates": "max_updates",
    "most_weight": "max_importance_weight",
    "noise_alpha": "dirichlet_alpha",
    "noise_share": "dirichlet_fraction",
    "read_out": "policy_head",
    "recent": "recent_fraction",
    "replay": "replay_size",
    "resign": "resign_threshold",
    "resign_checked": "resign_playthrough",
    "roll_back": "rollback_threshold",
    "search_share": "search_value_fraction",
    "semantic": "semantic_planes",
    "shaping": "shaping_weight",
    "shaping_end": "shaping_weight_end",
    "share_high": "high_quality_fraction",
    "share_recent": "recent_fraction",
    "sharpness": "target_sharpness",
    "smoothing": "label_smoothing",
    "squeeze": "squeeze_excitation",
    "steps": "n_step",
    "stop_after": "early_stopping_patience",
    "target_sync": "target_update_every",
    "tried_score": "attempted_score",
    "validated": "validation_positions",
    "validation": "validation_fraction",
    "validations": "validations_per_epoch",
    "warm_up": "warmup_positions",
    "widening_power": "widening_exponent",
}
LEARNER_SETTINGS: Mapping[str, Mapping[str, str]] = {"reinforce": {"replay": "replay_iterations"}}
# Presets that take seconds are called `try` with every learner; `tiny` is a small net that learns.
TINY_IS_TRY = ("sarsa", "ddqn", "dqn", "reinforce", "pretrain-dqn")


def setting_now(learner: str, old: str) -> str | None:
    """The new name of a setting of 0.1; None if it was not renamed."""
    return LEARNER_SETTINGS.get(learner, {}).get(old) or SETTINGS.get(old)


def preset_now(learner: str, old: str) -> str | None:
    """The new name of a preset of 0.1; None if it was not renamed."""
    if old == "tiny" and learner in TINY_IS_TRY:
        return "try"
    return "reference" if old == "seed" else None


def net_config_now(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of a net on a card, with the fields of 0.1 under their new names.

    ValueError for a net that would play differently today.
    """
    now = {SETTINGS.get(name, name): value for name, value in config.items()}
    if now.get("kind") == "q_net" and "inputs" not in now:
        if now.get("dueling") is True:
            raise ValueError(
                "dueling Q-nets of version 0.1 subtracted the mean of the advantages, now it is "
                "their maximum: train it anew"
            )
        now |= {"inputs": "features839", "move_kinds": False}
    return now
