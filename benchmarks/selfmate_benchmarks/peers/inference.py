"""AlphaZero's net in the core, in torch, and in libraries that run exported graphs; in float32."""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

import selfmate._core as core
from selfmate.encodings import ENCODINGS
from selfmate.nets.onnx_graph import onnx_graph
from selfmate.nets.resnet import SeResNet, with_torch_convolutions
from selfmate_benchmarks import has_module

Planes = NDArray[np.float32]
Evaluate = Callable[[Planes], NDArray[np.float32]]  # policy logits [N, 4672] of planes96


def in_core(net: SeResNet, *, kernels: str = "", threads: int = 1) -> Evaluate:
    config = net.config
    evaluator = core.SeResNet(
        net.arrays(),
        blocks=config.blocks,
        filters=config.filters,
        attention=config.attention_blocks,
        squeeze=config.squeeze_excitation,
        wdl=config.wdl,
        planes=config.planes,
        pairs=config.policy_pairs,
        kernels=kernels,
    )
    return lambda planes: evaluator.evaluate(planes, threads)[1]


def in_torch(net: SeResNet) -> Evaluate:
    plain = with_torch_convolutions(net).eval()

    @torch.inference_mode()
    def evaluate(planes: Planes) -> NDArray[np.float32]:
        logits: NDArray[np.float32] = plain(torch.from_numpy(planes))[0].numpy()
        return logits

    return evaluate


def in_onnxruntime(net: SeResNet, planes: Planes) -> Evaluate | None:
    if not (has_module("onnx") and has_module("onnxruntime")):
        return None
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        onnx_graph(net, batch=len(planes)), options, providers=["CPUExecutionProvider"]
    )
    return lambda planes: session.run(["policy"], {"planes": _taken(net, planes)})[0]


def in_openvino(net: SeResNet, planes: Planes) -> Evaluate | None:
    """In float32, like the others: by default OpenVINO computes in bfloat16 where it can."""
    if not (has_module("onnx") and has_module("openvino")):
        return None
    import openvino

    library = openvino.Core()
    settings = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    graph = library.read_model(onnx_graph(net, batch=len(planes)))
    model = library.compile_model(graph, "CPU", settings)
    return lambda planes: model(_taken(net, planes))[0]


def _taken(net: SeResNet, planes: Planes) -> Planes:
    """The planes that an exported net takes."""
    return np.ascontiguousarray(planes[:, : ENCODINGS[net.config.plane_encoding].shape[0]])
