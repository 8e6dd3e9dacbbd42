"""What people decide about the schema and about entities, and the ways that work took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from .sender import Sender
from .values import moment


class Curation(Sender):
    """Proposals to change the schema, alignment of graphs, trajectories and the work items beside one."""

    def propose(
        self,
        kind: str,
        target: str,
        diff: str,
        proposer: str,
        *,
        rationale: str | None = None,
        trigger_ref: str | None = None,
        timestamp: str | datetime | None = None,
    ) -> dict[str, Any]:
        """Proposes a change of the schema: `proposal_id`. kind: shape (diff is SHACL), ontology, class or property."""
        fields = {"kind": kind, "target": target, "diff": diff, "proposer": proposer, "rationale": rationale}
        return self._write("/propose", **fields, trigger_ref=trigger_ref, timestamp=moment(timestamp))

    def proposals(
        self, status: str | None = None, *, limit: int | None = None, offset: int | None = None
    ) -> dict[str, Any]:
        """The proposals, the newest first; status: pending, accepted or rejected."""
        return self._ask("/proposals", status=status, limit=limit, offset=offset)

    def proposal_accept(
        self,
        id: int,
        *,
        decided_by: str | None = None,
        note: str | None = None,
        timestamp: str | datetime | None = None,
    ) -> dict[str, Any]:
        """Accepts a proposal; the shapes of one are loaded with the decision."""
        return self._write("/proposal/accept", id=id, decided_by=decided_by, note=note, timestamp=moment(timestamp))

    def proposal_reject(
        self, id: int, note: str, *, decided_by: str | None = None, timestamp: str | datetime | None = None
    ) -> dict[str, Any]:
        """Rejects a proposal; the note says why."""
        return self._write("/proposal/reject", id=id, note=note, decided_by=decided_by, timestamp=moment(timestamp))

    def align_propose(
        self,
        left: str,
        right: str,
        *,
        threshold: float | None = None,
        top_k: int | None = None,
        entity_type: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """Which entities of two graphs may be the same: `mappings`, and the `expected_version` to decide on."""
        scope = {"threshold": threshold, "top_k": top_k, "entity_type": entity_type}
        return self._ask("/align/propose", left=left, right=right, **scope, limit=limit, offset=offset)

    def align_decide(
        self, left: str, right: str, expected_version: str, decisions: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Binds decisions to a state, and stores nothing: `decided`, how many were `accepted` and `negated`, a version.

        decisions: each left, right, verdict (accept or negate), perhaps a note.
        """
        return self._ask(
            "/align/decide", left=left, right=right, expected_version=expected_version, decisions=decisions
        )

    def align_apply(
        self,
        left: str,
        right: str,
        expected_version: str,
        decided: Sequence[Mapping[str, Any]],
        *,
        timestamp: str | datetime | None = None,
        actor: str | None = None,
    ) -> dict[str, Any]:
        """Writes `decided` of `align_decide` with its `expected_version`; 409 when something was written since."""
        fields = {"left": left, "right": right, "expected_version": expected_version, "decided": decided}
        return self._write("/align/apply", **fields, timestamp=moment(timestamp), actor=actor)

    def path_cone(
        self, trajectory: str, *, via: Sequence[str] | None = None, hops: int | None = None, base_ns: str | None = None
    ) -> dict[str, Any]:
        """Which steps of a trajectory its verification rests on."""
        return self._ask("/path/cone", trajectory=trajectory, via=via, hops=hops, base_ns=base_ns)

    def path_backtest(
        self, exemplar: str, *, omit: Sequence[str] | None = None, base_ns: str | None = None
    ) -> dict[str, Any]:
        """How others fared that went the way of a trajectory, without the steps of `omit`."""
        return self._ask("/path/backtest", exemplar=exemplar, omit=omit, base_ns=base_ns)

    def cooccurrence(
        self,
        work_item: str,
        *,
        valid_at: str | datetime | None = None,
        tx: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """Work items whose commits touch what those of a work item touch, most shared entities first."""
        page = {"limit": limit, "offset": offset}
        return self._ask("/cooccurrence", work_item=work_item, valid_at=moment(valid_at), tx=tx, **page)

    def policy_check(
        self,
        target: str,
        *,
        policy: str | None = None,
        claim: str | None = None,
        predicate_id: str | None = None,
        evidence_probe: str | None = None,
        valid_at: str | datetime | None = None,
        tx: int | None = None,
    ) -> dict[str, Any]:
        """What a policy of the store, or a claim (an ASK about $target), says about an entity: `outcome`."""
        fields = {"policy": policy, "claim": claim, "predicate_id": predicate_id, "evidence_probe": evidence_probe}
        return self._ask("/policy/check", target=target, **fields, valid_at=moment(valid_at), tx=tx)

    def verifier_authorized(self, verifier: str, predicate: str) -> dict[str, Any]:
        """Whether a verifier is registered to attest a predicate: `authorized`."""
        return self._ask("/verifier/authorized", verifier=verifier, predicate=predicate)

    def verdict_verify(
        self,
        predicate_id: str,
        target_ref: str,
        outcome: str,
        evidence_hash: str,
        verifier: str,
        signature: str,
        *,
        tier: str | None = None,
    ) -> dict[str, Any]:
        """What a signed verdict is worth; rely on `trusted` alone."""
        fields = {"predicate_id": predicate_id, "target_ref": target_ref, "outcome": outcome}
        return self._ask(
            "/verdict/verify",
            **fields,
            evidence_hash=evidence_hash,
            verifier=verifier,
            signature=signature,
            tier=tier,
        )
