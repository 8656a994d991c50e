"""The best tree of a sentence: a maximum spanning tree with one root, by Chu-Liu-Edmonds.

scores[d][h] is the score of the arc from head h to word d (from 0); head 0 is
the root, and word d as a head is d + 1.

Source: McDonald et al. 2005, https://aclanthology.org/H05-1066.  A penalty on
arcs from the root, larger than all other scores can outweigh, leaves one of them.
"""

Scores = list[list[float]]
Arcs = dict[int, dict[int, float]]  # node -> {head: score}


def best(scores: Scores) -> list[int]:
    """Return the head of each word, 0 for one; [] for no words.

    The first choice of each word below is the other; the second word fits the root better:

    >>> best([[1.0, 0.0, 5.0], [3.0, 6.0, 0.0]])
    [2, 0]
    """
    if not scores:
        return []
    graph = {
        word: {head: score for head, score in enumerate(row) if head != word}
        for word, row in enumerate(scores, 1)
    }
    greedy = [max(arcs, key=arcs.__getitem__) for arcs in graph.values()]
    if greedy.count(0) == 1 and not _circle([-1, *greedy]):
        return greedy
    values = [score for arcs in graph.values() for score in arcs.values()]
    penalty = (max(values) - min(values) + 1) * len(scores)
    for arcs in graph.values():
        arcs[0] -= penalty
    heads = _spanning(graph)
    return [heads[word] for word in range(1, len(scores) + 1)]


def _spanning(graph: Arcs) -> dict[int, int]:
    """Return {node: head} of the best tree of a graph of all nodes but the root 0."""
    heads = {node: max(arcs, key=arcs.__getitem__) for node, arcs in graph.items()}
    circle = _circle([heads.get(node, -1) for node in range(max(graph) + 1)])
    if not circle:
        return heads
    new = max(graph) + 1
    smaller, inward, outward = _contracted(graph, heads, set(circle), new)
    spanning = _spanning(smaller)
    entered, head = inward[spanning.pop(new)]
    heads = {node: heads[node] for node in circle} | {entered: head}
    return heads | {node: outward[node] if head == new else head for node, head in spanning.items()}


def _contracted(
    graph: Arcs, heads: dict[int, int], circle: set[int], new: int
) -> tuple[Arcs, dict[int, tuple[int, int]], dict[int, int]]:
    """Return the graph with a circle as one node, and what arcs into and out of it stand for."""
    inward: dict[int, tuple[int, int]] = {}
    gains: dict[int, float] = {}
    for node in sorted(circle):  # the cost of breaking the circle here
        for head, score in graph[node].items():
            gain = score - graph[node][heads[node]]
            if head not in circle and (head not in gains or gain > gains[head]):
                gains[head], inward[head] = gain, (node, head)
    smaller, outward = {new: gains}, {}
    for node in graph.keys() - circle:
        arcs = {head: score for head, score in graph[node].items() if head not in circle}
        inside = {head: score for head, score in graph[node].items() if head in circle}
        if inside:
            outward[node] = max(inside, key=inside.__getitem__)
            arcs[new] = inside[outward[node]]
        smaller[node] = arcs
    return smaller, inward, outward


def _circle(heads: list[int]) -> list[int]:
    """Return the nodes of a circle, or []; a head of -1 is none."""
    safe = [head < 0 for head in heads]
    for start in range(len(heads)):
        path: list[int] = []
        on_path = set()
        node = start
        while not safe[node] and node not in on_path:
            path.append(node)
            on_path.add(node)
            node = heads[node]
        if node in on_path:
            return path[path.index(node) :]
        for passed in path:
            safe[passed] = True
    return []
