"""Why a row is predicted as it is, in the caller's own words."""

from dataclasses import dataclass
from typing import Any, List


@dataclass(frozen=True)
class ExplainedEdge:
    """A learned edge that speaks for the prediction."""

    row: int  # the fitted row at the other end
    module: int  # whose graph the edge counts most in
    weight: float  # largest 1


@dataclass(frozen=True)
class ExplainedFeature:
    """A feature, or a column of the table, that speaks for the prediction."""

    name: str
    value: Any  # of this row: a number, or the text of a category, a date or "missing"
    weight: float  # largest 1


@dataclass(frozen=True)
class Explanation:
    """A small set of edges and features that keeps the prediction of a fitted row."""

    row: int
    label: Any
    probability: float
    edges: List[ExplainedEdge]
    features: List[ExplainedFeature]
    modules: List[float]  # each module's part in the prediction; they sum to 1
    fidelity_plus: float  # how much probability is lost without these edges and features
    fidelity_minus: float  # how much is lost with nothing else
    sparsity: float  # the part of edges and features that is left out

    @classmethod
    def of(cls, found, classes):
        """From the dict of the compiled part."""
        return cls(
            row=found["row"],
            label=classes[found["predicted"]],
            probability=found["probability"],
            edges=[ExplainedEdge(*edge) for edge in found["edges"]],
            features=[ExplainedFeature(*feature) for feature in found["features"]],
            modules=found["modules"],
            fidelity_plus=found["fidelity_plus"],
            fidelity_minus=found["fidelity_minus"],
            sparsity=found["sparsity"],
        )

    def __str__(self):
        features = ", ".join(f"{f.name} = {_text(f.value)} ({f.weight:.2f})" for f in self.features)
        edges = ", ".join(f"{e.row} ({e.weight:.2f})" for e in self.edges)
        return (
            f"row {self.row} is {self.label} ({self.probability:.1%})\n"
            f"  features: {features or 'none'}\n  rows: {edges or 'none'}"
        )


def _text(value):
    return value if isinstance(value, str) else f"{value:.4g}"
