"""What writes answer: the common fields by name, and the whole body in `raw`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class _Result:
    tx_id: int
    """The transaction; 0 when there was nothing to write."""
    raw: dict[str, Any] = field(repr=False, kw_only=True)

    @classmethod
    def of(cls, body: dict[str, Any]) -> Self:
        names = (name for name in cls.__dataclass_fields__ if name != "raw")
        return cls(**{name: body[name] for name in names if name in body}, raw=body)


@dataclass(frozen=True, slots=True)
class KnotResult(_Result):
    count: int = 0
    """Triples of the payload, also those that were there already."""
    new_facts: int = 0
    conforms: bool = True
    valid_from: str | None = None
    """The valid time that was stored."""


@dataclass(frozen=True, slots=True)
class EpisodeResult(_Result):
    outcome: str = ""
    """`created`, `updated` or `unchanged`."""
    count: int = 0
    episode: str = ""


@dataclass(frozen=True, slots=True)
class SetResult(_Result):
    retracted: int = 0
    asserted: int = 0
    entity: str = ""
    predicate: str = ""
    valid_from: str | None = None
    note: str | None = None
    """What is easily taken for something else: a `valid_from` in the future, for one."""


@dataclass(frozen=True, slots=True)
class RetractResult(_Result):
    retracted: int = 0
    entity: str = ""


@dataclass(frozen=True, slots=True)
class EpisodeRetractResult(_Result):
    retracted: int = 0
    episode: str = ""
    identity_preserved: int = 0
    """Labels and types that stay, of entities that others mention."""
    identity_orphans: int = 0
    """Entities that lose, or would lose, their last label or type."""


@dataclass(frozen=True, slots=True)
class UpdateResult(_Result):
    inserted: int = 0
    deleted: int = 0
    graphs: tuple[str, ...] | list[str] = ()
    """IRIs of the graphs that changed."""


@dataclass(frozen=True, slots=True)
class GraphResult:
    tx_id: int
    """The transaction; 0 when nothing changed."""
    created: bool
    """The graph was not there before."""
