"""Client of svc, a knowledge-graph store, over HTTP. Nothing but the standard library."""

from .client import SvcClient
from .errors import SvcError
from .results import EpisodeResult, EpisodeRetractResult, KnotResult, RetractResult, SetResult

__all__ = ["EpisodeResult", "EpisodeRetractResult", "KnotResult", "RetractResult", "SetResult", "SvcClient", "SvcError"]
__version__ = "0.1.0"
