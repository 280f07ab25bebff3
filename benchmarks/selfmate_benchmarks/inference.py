"""AlphaZero's net alone: the core's kernels beside torch, ONNX Runtime and OpenVINO.

All on one thread and by processor time, which a busy machine changes least; two threads beside one
by the clock on the wall.
"""

import time
from collections.abc import Mapping
from statistics import median

import selfmate._core as core
from selfmate.arena.openings import shipped_openings
from selfmate.encodings import encode
from selfmate.nets.optim import one_thread
from selfmate.nets.resnet import SeResNet
from selfmate_benchmarks import Go, Results, median_ratio, rates_by_round
from selfmate_benchmarks.mcts import sharp_net
from selfmate_benchmarks.peers.inference import (
    Evaluate,
    Planes,
    in_core,
    in_onnxruntime,
    in_openvino,
    in_torch,
)

ROUNDS = 15
ROWS = (1, 8, 64)  # of a batch
ROWS_PER_GO = 64


def run(rounds: int = ROUNDS) -> Results:
    """All contestants in one run, for each size of a batch."""
    net, results = sharp_net(), Results()
    planes = encode("planes96", [opening.board() for opening in shipped_openings()[: max(ROWS)]])
    with one_thread():
        for rows in ROWS:
            results |= _results(net, planes[:rows], rounds)
    return results


def _results(net: SeResNet, planes: Planes, rounds: int) -> Results:
    rates = rates_by_round(_goes(contestants(net, planes), planes), rounds, time.process_time)
    threads = {"one": in_core(net), "two": in_core(net, threads=2)}
    by_threads = rates_by_round(_goes(threads, planes), rounds)
    (_, our_rates), *peers = rates.items()
    found: Results = {
        f"x_vs_{name}": median_ratio(our_rates, theirs) if theirs else None
        for name, theirs in peers
    }
    found["two_threads_x_vs_one"] = median_ratio(by_threads["two"], by_threads["one"])
    for name, some in rates.items():
        found[f"{name}_evaluations_per_s"] = median(some) if some else None
    return {f"rows_{len(planes)}_{key}": value for key, value in found.items()}


def contestants(net: SeResNet, planes: Planes) -> dict[str, Evaluate | None]:
    """The core's fastest kernels come first."""
    return {
        **{name: in_core(net, kernels=name) for name in core.kernel_names()},
        "torch": in_torch(net),
        "onnxruntime": in_onnxruntime(net, planes),
        "openvino": in_openvino(net, planes),
    }


def _goes(evaluators: Mapping[str, Evaluate | None], planes: Planes) -> dict[str, Go | None]:
    return {name: evaluate and _go(evaluate, planes) for name, evaluate in evaluators.items()}


def _go(evaluate: Evaluate, planes: Planes) -> Go:
    calls = ROWS_PER_GO // len(planes)

    def go() -> float:
        for _ in range(calls):
            evaluate(planes)
        return calls * len(planes)

    return go
