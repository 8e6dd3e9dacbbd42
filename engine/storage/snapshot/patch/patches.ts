/**
 * Which composed sets are read as one graph with a patch (`patch.ts`): an overlay, or a graph and another one as layers, where
 * what lies above the graph is small. Patches are made when a snapshot first reads such a set, kept from one snapshot to
 * the next as long as nothing is written, and pinned by each that reads them.
 */

import { getOrInsert } from '../../../base/maps.js';
import type { TermId, TxId } from '../../ids/layout.js';
import { CURRENT, type GraphSet, type TimeSlice } from '../../seam/scan.js';
import type { StoredGraphs } from '../../seam/source.js';
import type { SnapshotContext } from '../context.js';
import { countRows } from '../scan/count.js';
import type { PatchedGraph, RunPatch, ScanView } from '../view.js';
import { Patch } from './patch.js';

/** Changes up to so many are looked up in the runs; more are merged while they are read. */
const CHANGES_MAX = 65_536;
/** Patches that a context keeps. */
const KEPT_MAX = 8;

interface KeptPatch {
  readonly version: number;
  readonly tx: TxId;
  /** Null where the changes are many, or can't be told from what was closed. */
  readonly patch: Patch | null;
}

/** A graph, and what is changed in it. */
interface Changes {
  readonly base: StoredGraphs & { readonly kind: 'one' };
  readonly additions: StoredGraphs;
  readonly removals: StoredGraphs;
}

/** Of a context: the newest patch of each set. */
class PatchCache {
  readonly #kept = new Map<string, KeptPatch>();

  /** Pinned for the caller; null where the changes can't be read as a patch. */
  of(view: ScanView, { base, additions, removals }: Changes): Patch | null {
    const key = [base, additions, removals].map(nameOf).join();
    const known = this.#kept.get(key);
    const { version } = view.manifest;
    if (known?.version === version && known.tx === view.tx) return known.patch?.pin() ?? null;
    const patch = isSmall(view, [additions, removals]) ? Patch.of(view, base.graph, additions, removals) : null;
    if (known?.version === version && known.patch !== null) patch?.learnFrom(known.patch);
    known?.patch?.unpin();
    this.#kept.delete(key);
    this.#kept.set(key, { version, tx: view.tx, patch });
    if (this.#kept.size > KEPT_MAX) this.#drop(this.#kept.keys().next().value as string);
    return patch?.pin() ?? null;
  }

  #drop(key: string): void {
    this.#kept.get(key)?.patch?.unpin();
    this.#kept.delete(key);
  }
}

/** They stand here, since a context knows nothing of the views over it. */
const caches = new WeakMap<SnapshotContext, PatchCache>();

/** Of a snapshot: the sets that it reads patched. */
export class ViewPatches {
  readonly #found = new Map<string, PatchedGraph | null>();
  readonly #pinned: Patch[] = [];
  readonly #bySet = new WeakMap<GraphSet, PatchedGraph | { readonly none: true }>();

  of(view: ScanView, graphs: GraphSet, time: TimeSlice): PatchedGraph | null {
    if (time.kind !== 'current' || view.stage !== null || view.patch !== undefined) return null;
    const known = this.#bySet.get(graphs);
    if (known !== undefined) return 'none' in known ? null : known;
    const found = this.#find(view, graphs);
    this.#bySet.set(graphs, found ?? { none: true });
    return found;
  }

  #find(view: ScanView, graphs: GraphSet): PatchedGraph | null {
    const changes = changesOf(graphs);
    if (changes === null) return null;
    const key = [changes.base, changes.additions, changes.removals].map(nameOf).join();
    let found = this.#found.get(key);
    if (found === undefined) {
      found = this.#make(view, changes);
      this.#found.set(key, found);
    }
    return found;
  }

  #make(view: ScanView, changes: Changes): PatchedGraph | null {
    const patch = getOrInsert(caches, view.context, () => new PatchCache()).of(view, changes);
    if (patch === null) return null;
    this.#pinned.push(patch);
    const { layer, none } = patch;
    const runs: RunPatch['runs'] = (of, order, shared) => patch.runs(view, of, order, shared);
    return {
      view: { ...view, patch: { layer, runs } },
      graphs: changes.base,
      below: { ...view, patch: { layer: { rows: none, tombstones: layer.tombstones }, runs } },
      additions: layer.rows,
      insertions: (run, order) => patch.insertions(view, run, order),
    };
  }

  close(): void {
    for (const patch of this.#pinned) patch.unpin();
    this.#pinned.length = 0;
  }
}

function isSmall(view: ScanView, changes: readonly StoredGraphs[]): boolean {
  const rows = changes.map((graphs) => countRows(view, { graphs, pattern: {}, time: CURRENT }));
  return rows.reduce<number>((sum, count) => sum + (count ?? Number.POSITIVE_INFINITY), 0) <= CHANGES_MAX;
}

function nameOf(graphs: StoredGraphs): string {
  return graphs.kind === 'one' ? String(graphs.graph satisfies TermId) : '';
}

const NOTHING: StoredGraphs = { kind: 'some', graphs: [], merged: true };

function changesOf(graphs: GraphSet): Changes | null {
  if (graphs.kind === 'overlay') {
    const { base, additions, removals } = graphs;
    const isSmall = isOneOrNone(additions) && isOneOrNone(removals);
    return base.kind === 'one' && isSmall ? { base, additions, removals } : null;
  }
  if (graphs.kind !== 'layers' || !graphs.merged || graphs.layers.length !== 2) return null;
  const [base, additions] = graphs.layers as readonly [GraphSet, GraphSet];
  return base.kind === 'one' && isOneOrNone(additions) ? { base, additions, removals: NOTHING } : null;
}

function isOneOrNone(graphs: GraphSet): graphs is StoredGraphs {
  return graphs.kind === 'one' || (graphs.kind === 'some' && graphs.graphs.length === 0);
}
