/**
 * Overlays: graphs of changes over a parent, which they never touch (semantics of graphs, 5.1). An overlay is bound to its
 * parent once, by its row of the registry; what it asserts stands in its own graph, what it takes away in the graph of its
 * tombstones. A triple stands in one of the two at most: the last write of it decides.
 */

import { SvcError } from '../base/errors.js';
import { findGraph, type GraphRow } from '../query/registry/graph-rows.js';
import type { GraphRegistration } from '../query/registry/registration.js';
import { tombstonesOf } from '../query/registry/system-graphs.js';
import { checkTarget } from '../query/update/targets.js';
import { type Quad, terms } from '../rdf/terms.js';
import type { Stage } from '../storage/seam/engine.js';
import { lookInto } from '../storage/seam/rows.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { graphNumber } from './create-graph.js';

export const OVERLAY_OPS = ['assert', 'tombstone', 'retract'] as const;
/** `tombstone` hides a triple of the parent; `retract` takes back what the overlay itself says of a triple. */
export type OverlayOp = (typeof OVERLAY_OPS)[number];

/** The source that the registry names for overlays. */
const SOURCE = 'overlay_create';

export interface Overlay {
  readonly iri: string;
  readonly parent: string;
}

export interface CreatedOverlay {
  /** Numbers of the graphs in this store; 0 is ROOT. */
  readonly number: number;
  readonly parentNumber: number;
  readonly created: boolean;
}

export type Triple = Pick<Quad, 'subject' | 'predicate' | 'object'>;

/** Binds a new overlay to a parent; one that is bound to it already stays as it is. */
export function createOverlay(stage: Stage, registry: GraphRegistration, { iri, parent }: Overlay): CreatedOverlay {
  checkTarget(iri);
  return lookInto(stage.snapshot(), (snapshot) => {
    const known = findGraph(snapshot, iri);
    if (known === null) {
      checkUnused(snapshot, iri);
      checkParent(snapshot, iri, parent);
      registry.create(snapshot, iri, { class: 'overlay', parent, source: SOURCE });
    } else checkBound(known, parent);
    const number = (graph: string): number => graphNumber(stage.intern(terms.namedNode(graph)));
    return { number: number(iri), parentNumber: number(parent), created: known === null };
  });
}

/** Writes one triple into an overlay. The parent is neither read nor written. */
export function writeOverlay(stage: Stage, registry: GraphRegistration, write: OverlayWrite): void {
  const { overlay, op, triple } = write;
  lookInto(stage.snapshot(), (snapshot) => findOverlay(snapshot, overlay));
  registry.writesOverlay(overlay);
  const [asserted, taken] = [overlay, tombstonesOf(overlay)].map((graph) => quadIn(triple, graph)) as [Quad, Quad];
  if (op !== 'assert') stage.retract([asserted]);
  if (op !== 'tombstone') stage.retract([taken]);
  if (op !== 'retract') stage.assert([op === 'assert' ? asserted : taken]);
}

export interface OverlayWrite {
  readonly overlay: string;
  readonly op: OverlayOp;
  readonly triple: Triple;
}

function quadIn({ subject, predicate, object }: Triple, graph: string): Quad {
  return terms.quad(subject, predicate, object, terms.namedNode(graph));
}

/** An overlay by its IRI. */
export function findOverlay(snapshot: StorageSnapshot, iri: string): Overlay {
  const row = findGraph(snapshot, iri);
  if (row?.class === 'overlay' && row.parent !== null) return { iri, parent: row.parent };
  const what = row === null ? `there is no overlay <${iri}>` : `the graph <${iri}> is no overlay`;
  throw new SvcError('invalid_request', what, { hint: 'make one by overlay_create (POST /overlay/create)' });
}

/** Refuses a graph whose class is another, and an overlay of another parent. */
function checkBound(known: GraphRow, parent: string): void {
  const { iri } = known;
  if (known.class !== 'overlay') {
    throw new SvcError('invalid_request', `<${iri}> can not become an overlay: it is a committed graph`, {
      hint: 'the class of a graph is fixed when it is made; take another IRI for the overlay',
    });
  }
  if (known.parent === parent) return;
  throw new SvcError('invalid_request', `the overlay <${iri}> is bound to <${known.parent}>, and not to <${parent}>`, {
    hint: 'an overlay is bound once; take another IRI for an overlay of another parent',
  });
}

/** A graph that was dropped left its history under its IRI, which goes on when it comes back: as a committed graph. */
function checkUnused(snapshot: StorageSnapshot, iri: string): void {
  const graph = snapshot.encode(terms.namedNode(iri));
  if (graph === null) return;
  if (snapshot.count({ graphs: { kind: 'one', graph }, pattern: {}, time: { kind: 'all' } }) === 0) return;
  throw new SvcError(
    'invalid_request',
    `<${iri}> can not become an overlay: it was a committed graph, and has a history`,
    {
      hint: 'take another IRI for the overlay',
    },
  );
}

function checkParent(snapshot: StorageSnapshot, overlay: string, parent: string): void {
  if (parent === overlay) {
    throw new SvcError('invalid_request', `the overlay <${overlay}> can not lie over itself`, {
      hint: 'name another graph as parent_branch, or none for ROOT',
    });
  }
  const row = findGraph(snapshot, parent);
  if (row === null) {
    throw new SvcError('not_found_in_store', `unknown graph: ${parent}`, {
      hint: 'the parent of an overlay is a registered graph; create it first via graph_create',
    });
  }
  if (row.class === 'overlay') {
    throw new SvcError('invalid_request', `<${parent}> can not be a parent: it is an overlay itself`, {
      hint: `overlays don't stack; bind to its parent, <${row.parent}>`,
    });
  }
  if (row.lifecycle === 'frozen') {
    throw new SvcError('state_conflict', `<${parent}> can not be a parent: it is frozen`, {
      hint: 'thaw it first (POST /graph/thaw)',
    });
  }
}
