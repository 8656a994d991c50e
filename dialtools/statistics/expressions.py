"""Expressions over a record's scores: `bleu > 50 and bertscore > 0.5`; parsed, never executed.

Numbers, + - * /, comparisons (also chained), and, or, not, abs(), min() and
max().  A name is a score's label; one that is no name is quoted, "bleu:order=2",
or stands in scores["…"].  A score that is missing from a record, or is null,
makes the expression Unknown, whatever stands beside it.  Values that rounding
alone keeps apart are equal: ROUGE of 1/5 is 0.2 or 0.19999999999999998.
"""

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from dialtools.statistics import moments
from dialtools.system.errors import OptionError, show

_ARITHMETIC: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: dict[type, Callable] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_SIGNS: dict[type, Callable] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_FUNCTIONS: dict[str, Callable] = {"abs": abs, "min": min, "max": max}

Scores = Mapping[str, float | None]


class Unknown(Exception):
    """The value of an expression cannot be told; says why."""


def condition(text: str) -> Callable[[Scores], bool]:
    """Return a true-or-false expression as a function of scores; OptionError if it is malformed.

    >>> scores = {"bleu": 60.0, "edit:unit=word": 1.0}
    >>> condition("bleu > 50 and not 'edit:unit=word' / 2 >= 1")(scores)
    True
    """
    return _compiled(text, True)


def number(text: str) -> Callable[[Scores], float]:
    """Return an expression that is a number as a function of scores; OptionError for what is none.

    >>> number("(bleu / 100 + scores['bertscore']) / 2")({"bleu": 60.0, "bertscore": 0.5})
    0.55
    """
    return _compiled(text, False)


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise OptionError(f"no expression: {show(text)} ({getattr(error, 'msg', error)})") from None


def _compiled(text: str, truth: bool) -> Callable[[Scores], Any]:
    tree = _parsed(text)
    try:
        _require_valid(tree, text, truth)
    except RecursionError:
        raise OptionError(f"too deeply nested: {show(text)}") from None

    def value(scores: Scores) -> Any:
        try:
            return _value(tree, scores)
        except ZeroDivisionError:
            raise Unknown("division by zero") from None
        except OverflowError:
            raise Unknown("a number too large") from None
        except RecursionError:
            raise OptionError(f"too deeply nested: {show(text)}") from None

    return value


def labels(text: str) -> list[str]:
    """Return the labels that an expression names, each once; OptionError if it is malformed.

    >>> labels("bleu > 50 and (scores['a b'] > bleu or 'x:y=z' > max(1, rouge1))")
    ['bleu', 'a b', 'x:y=z', 'rouge1']
    """

    def walk(node: ast.AST) -> Iterator[str]:
        label = _label(node)
        if label is not None:
            yield label
            return
        for child in node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node):
            yield from walk(child)

    return list(dict.fromkeys(walk(_parsed(text))))


def bounds(text: str) -> Iterator[tuple[str, float]]:
    """Yield each label that an expression compares with a number, with that number.

    >>> list(bounds("bleu > 50 and -1 < 'f1' and bleu / 2 > 10"))
    [('bleu', 50), ('f1', -1)]
    """
    for node in ast.walk(_parsed(text)):
        if isinstance(node, ast.Compare):
            for left, right in pairwise([node.left, *node.comparators]):
                for label, number in (
                    (_label(left), _number(right)),
                    (_label(right), _number(left)),
                ):
                    if label is not None and number is not None:
                        yield label, number


def _number(node: ast.AST) -> float | None:
    """Return the number that a node stands for, None where it is none."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _number(node.operand)
        return None if number is None else -number
    is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return node.value if is_number else None  # type: ignore[attr-defined]


def _label(node: ast.AST) -> str | None:
    """Return the label that a node stands for, None where it is none."""
    if isinstance(node, ast.Name):
        return node.id
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == "scores"
    ):
        node = node.slice
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _require_valid(node: ast.AST, text: str, truth: bool) -> None:
    """Raise OptionError for unknown syntax, and for a number in the place of a truth value."""
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    is_truth = is_not or isinstance(node, (ast.Compare, ast.BoolOp))
    if is_truth != truth:
        wanted = "true or false, as in bleu > 50" if truth else "a number"
        raise OptionError(f"{show(ast.unparse(node))} in {show(text)} is to be {wanted}")
    if _label(node) is not None or isinstance(node, ast.Constant) and _number(node) is not None:
        return
    if isinstance(node, ast.BoolOp):
        inner, inner_truth = node.values, True
    elif isinstance(node, ast.UnaryOp) and (type(node.op) in _SIGNS or is_truth):
        inner, inner_truth = [node.operand], is_truth
    elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        inner, inner_truth = [node.left, node.right], False
    elif isinstance(node, ast.Compare) and all(type(op) in _COMPARISONS for op in node.ops):
        inner, inner_truth = [node.left, *node.comparators], False
    elif isinstance(node, ast.Call) and _is_known(node):
        inner, inner_truth = node.args, False
    else:
        raise OptionError(
            f"{show(ast.unparse(node))} in {show(text)} is nothing that an "
            "expression can hold: scores, numbers, + - * /, comparisons, and, or, "
            "not, abs, min, max"
        )
    for part in inner:
        _require_valid(part, text, inner_truth)


def _is_known(call: ast.Call) -> bool:
    """Return whether a call is of a known function with enough arguments."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    enough = len(call.args) == 1 if name == "abs" else len(call.args) > 1
    return name in _FUNCTIONS and not call.keywords and enough


def _value(node: Any, scores: Scores) -> Any:
    """Return the value of a checked node."""
    label = _label(node)
    if label is not None:
        score = scores.get(label)
        if score is None:
            raise Unknown(f"no score {label}")
        return score
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.BoolOp):
        # all, as one that is unknown makes the whole unknown
        values = [_value(part, scores) for part in node.values]
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand, scores)
        return not value if isinstance(node.op, ast.Not) else _SIGNS[type(node.op)](value)
    if isinstance(node, ast.BinOp):
        return _ARITHMETIC[type(node.op)](_value(node.left, scores), _value(node.right, scores))
    if isinstance(node, ast.Call):
        function = _FUNCTIONS[node.func.id]  # type: ignore[attr-defined]
        return function(*(_value(part, scores) for part in node.args))
    values = [_value(part, scores) for part in (node.left, *node.comparators)]
    pairs = zip(node.ops, values, values[1:], strict=False)
    return all(_COMPARISONS[type(op)](moments.order(left, right), 0) for op, left, right in pairs)
