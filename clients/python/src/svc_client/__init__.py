"""Client of svc, a knowledge-graph store, over HTTP. Nothing but the standard library."""

from .aio import AsyncSvcClient
from .client import SvcClient
from .errors import SvcError
from .results import (
    EpisodeResult,
    EpisodeRetractResult,
    GraphResult,
    KnotResult,
    RetractResult,
    SetResult,
    UpdateResult,
)
from .values import Value

__all__ = [
    "AsyncSvcClient",
    "EpisodeResult",
    "EpisodeRetractResult",
    "GraphResult",
    "KnotResult",
    "RetractResult",
    "SetResult",
    "SvcClient",
    "SvcError",
    "UpdateResult",
    "Value",
]
__version__ = "0.1.0"
