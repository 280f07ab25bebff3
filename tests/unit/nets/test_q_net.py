"""The Q-net against dense layers, and a position's values in any batch."""

from typing import Literal

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from selfmate.encodings.features import encode_packed, inputs_of, move_rows
from selfmate.nets.config import QNetConfig
from selfmate.nets.q_net import BLOCK_ROWS, QNet
from selfmate.rules import GameBatch, Ragged, places_of_rows

ACTIONS, ROWS = 4096, 100


def seeded_net(
    hidden: tuple[int, ...],
    dueling: bool,
    inputs: Literal["features839", "attacks3399"] = "features839",
    move_kinds: bool = True,
) -> QNet:
    torch.manual_seed(1)
    config = QNetConfig(inputs=inputs, hidden=hidden, dueling=dueling, move_kinds=move_kinds)
    return config.make_net()


def made_up_rows(seed: int) -> tuple[NDArray[np.uint8], Ragged]:
    """Positions of random games, and one to 60 different actions for each."""
    rng = np.random.default_rng(seed)
    batch = GameBatch(ROWS, seed=seed)
    for _ in range(15):
        batch.step(batch.random_moves())
    parts = [rng.permutation(ACTIONS)[: rng.integers(1, 61)] for _ in range(ROWS)]
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    return encode_packed(batch), Ragged(np.concatenate(parts).astype(np.int32), offsets)


NETS = {dueling: seeded_net((512, 256, 128), dueling) for dueling in (False, True)}
POSITIONS, ASKED = made_up_rows(seed=5)
ALL = {dueling: net.values(POSITIONS, ASKED) for dueling, net in NETS.items()}


@pytest.mark.parametrize("dueling", [False, True])
@pytest.mark.parametrize("hidden", [(7,), (24, 16, 9)])
@pytest.mark.parametrize("inputs", ["features839", "attacks3399"])
@pytest.mark.parametrize("move_kinds", [False, True])
def test_values_are_those_of_dense_layers(
    hidden: tuple[int, ...],
    dueling: bool,
    inputs: Literal["features839", "attacks3399"],
    move_kinds: bool,
) -> None:
    net = seeded_net(hidden, dueling, inputs, move_kinds)
    sparse = inputs_of(POSITIONS, inputs)
    dense = torch.zeros(ROWS, len(net.first.weight))
    rows = np.repeat(np.arange(ROWS), np.diff(sparse.offsets))
    dense[rows, sparse.columns] = torch.from_numpy(sparse.values)
    level = torch.relu(dense @ net.first.weight + net.first.bias)
    for layer in net.hidden:
        level = torch.relu(layer(level))
    outputs = level @ net.actions.weight.T + net.actions.bias
    weight_rows = move_rows(POSITIONS, ASKED) if move_kinds else ASKED.values[:, None]
    expected = []
    for row in range(ROWS):
        asked = weight_rows[ASKED.offsets[row] : ASKED.offsets[row + 1]]
        values = outputs[row, torch.from_numpy(asked).long()].sum(1)
        if net.value is not None:
            values = values - values.max() + level[row] @ net.value.weight[0] + net.value.bias
        expected.append(values)
    for found in (net(POSITIONS, ASKED), torch.from_numpy(net.values(POSITIONS, ASKED))):
        torch.testing.assert_close(found, torch.cat(expected), rtol=1e-4, atol=1e-5)


SOME_ROWS = st.lists(st.integers(0, ROWS - 1), min_size=1, max_size=2 * BLOCK_ROWS + 3)


@settings(max_examples=60, deadline=None)
@given(rows=SOME_ROWS, dueling=st.booleans(), threads=st.integers(1, 3))
def test_a_row_has_the_same_values_in_any_batch(
    rows: list[int], dueling: bool, threads: int
) -> None:
    chosen = np.array(rows)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    found = NETS[dueling].values(POSITIONS[chosen], ASKED.take(chosen))
    torch.set_num_threads(before)
    places, _ = places_of_rows(ASKED.offsets, chosen)
    assert found.tobytes() == ALL[dueling][places].tobytes()


@pytest.mark.parametrize("dueling", [False, True])
def test_every_row_has_the_same_values_alone_and_at_any_place_of_a_block(dueling: bool) -> None:
    net = NETS[dueling]
    for row in range(0, ROWS, 7):
        own = ALL[dueling][ASKED.offsets[row] : ASKED.offsets[row + 1]]
        for count in (1, 2, 3, 8, BLOCK_ROWS, BLOCK_ROWS + 1):
            same = np.full(count, row)
            found = net.values(POSITIONS[same], ASKED.take(same))
            assert found.tobytes() == np.tile(own, count).tobytes()
