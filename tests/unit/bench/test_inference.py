"""The peers of the core's inference answer alike, and may be missing."""

import numpy as np
import pytest
import torch

from selfmate.encodings import encode
from selfmate.nets.config import ResNetConfig
from selfmate.nets.resnet import BoardConvolution, SeResNet, with_torch_convolutions
from selfmate.rules import Board
from selfmate_benchmarks import inference
from selfmate_benchmarks.peers import inference as peers

PLANES = encode("planes96", [Board(), Board("8/8/4k3/8/8/3QK3/8/8 b - - 0 1")])


def net() -> SeResNet:
    torch.manual_seed(1)
    return ResNetConfig(blocks=2, filters=16, attention_blocks=1).make_net().eval()


def test_the_twin_of_torch_layers_has_the_same_answers() -> None:
    ours = net()
    twin = with_torch_convolutions(ours)
    assert not any(isinstance(layer, BoardConvolution) for layer in twin.modules())
    with torch.inference_mode():
        for found, wanted in zip(
            twin(torch.tensor(PLANES)), ours(torch.tensor(PLANES)), strict=True
        ):
            torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_all_contestants_that_are_installed_have_the_same_answers() -> None:
    first, *others = (
        evaluate(PLANES) for evaluate in inference.contestants(net(), PLANES).values() if evaluate
    )
    for logits in others:
        np.testing.assert_allclose(logits, first, atol=1e-4)


def test_a_peer_that_is_not_installed_is_none_and_not_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(peers, "has_module", lambda _name: False)
    monkeypatch.setattr(inference, "ROWS", (1,))
    results = inference.run(rounds=1)
    for peer in ("onnxruntime", "openvino"):
        assert results[f"rows_1_x_vs_{peer}"] is None
        assert results[f"rows_1_{peer}_evaluations_per_s"] is None
    assert results["rows_1_x_vs_torch"]
