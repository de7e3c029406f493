"""GL-GNN for Python: learns several graphs of a table's rows, fuses them, and predicts."""

import os as _os

# Idle threads of GNU OpenMP spin for milliseconds unless told otherwise, which makes small problems
# on a busy machine many times slower. The library reads this once, when it is loaded; a user's own
# word stays.
if "OMP_WAIT_POLICY" not in _os.environ:
    _os.environ.setdefault("GOMP_SPINCOUNT", "500")

from ._classifier import GLGNNClassifier
from ._core import settings as list_settings
from ._core import version as __version__
from ._explanation import ExplainedEdge, ExplainedFeature, Explanation

__all__ = [
    "ExplainedEdge",
    "ExplainedFeature",
    "Explanation",
    "GLGNNClassifier",
    "__version__",
    "list_settings",
]
