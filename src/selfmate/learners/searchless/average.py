"""The mean of a net's weights over the latest cycles."""

from copy import deepcopy

import numpy as np

from selfmate.nets.transformer import Transformer


class AverageNet:
    """The mean of the learning net's weights after the latest cycles: the net that plays. Two sides
    of one net that learn against each other go round in circles, and the middle is better than
    where they are."""

    def __init__(self, net: Transformer, horizon: int) -> None:
        """Older cycles count less and less: by a factor of 1 - 1 / `horizon` for every cycle."""
        self.net = deepcopy(net) if horizon > 1 else net
        self.horizon, self.cycles = horizon, 0

    def add(self, net: Transformer) -> None:
        self.cycles += 1
        if self.net is not net:
            weight = 1 / min(self.cycles, self.horizon)
            means = self.net.arrays()
            for name, array in net.arrays().items():
                means[name] += np.float32(weight) * (array - means[name])
