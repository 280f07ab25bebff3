"""Which states of a walk can come back to each other."""

from itertools import count, pairwise


def strong_components(offsets: list[int], successors: list[int]) -> list[list[int]]:
    """The strongly connected components of a graph, each before those it leads to.

    Node i leads to `successors[offsets[i]:offsets[i + 1]]`. The algorithm is Gabow's (2000), with a
    stack where the paper recurses.
    """
    nodes = len(offsets) - 1
    ways = [iter(successors[first:last]) for first, last in pairwise(offsets)]
    numbers = [0] * nodes  # in the order they are met; above `nodes` once their component is known
    next_number = count(1)
    found: list[list[int]] = []
    for root in range(nodes):
        trail, heads, waiting = list[int](), list[int](), list[int]()
        entered = None if numbers[root] else root
        while trail or entered is not None:
            if entered is not None:
                numbers[entered] = next(next_number)
                for stack in (trail, heads, waiting):
                    stack.append(entered)
            node = trail[-1]
            following = next(ways[node], None)
            entered = None
            if following is None:
                trail.pop()
                if heads[-1] == node:
                    heads.pop()
                    found.append(_close(node, waiting, numbers))
            elif not numbers[following]:
                entered = following
            else:  # back to the trail: all since then are one component
                while numbers[heads[-1]] > numbers[following]:
                    heads.pop()
    return found[::-1]


def _close(head: int, waiting: list[int], numbers: list[int]) -> list[int]:
    component = [waiting.pop()]
    while component[-1] != head:
        component.append(waiting.pop())
    for node in component:
        numbers[node] = len(numbers) + 1
    return component
