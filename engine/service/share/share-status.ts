/**
 * How a share stands to this store, and what a merge of it would do (semantics text 6.10). The merge is put on a stage that
 * is never written, so that conflicts are found as the merge finds them; works on a store that is open for reading.
 */

import type { Control } from '../../base/control.js';
import { CompiledSets } from '../../graphs/shapes/compiled-sets.js';
import { type Quad, ROOT_GRAPH_IRI, terms } from '../../rdf/terms.js';
import { canonicalTriple, compareCodePoints } from '../../share/canonical-lines.js';
import { addedRows, addedTerms, compareShare, type ShareComparison } from '../../share/compare-share.js';
import type { Conflict } from '../../share/decisions.js';
import { stageMerge } from '../../share/stage-merge.js';
import { type Differences, differencesOf, type Relation, relationOf } from '../../share/three-way.js';
import { verifyBundle } from '../../share/verify-bundle.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { pickedRows, withSnapshot } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';
import { unfitValue } from '../options/check-options.js';
import { NarrowedEngine, needsEveryGraph } from '../reads/narrowed-engine.js';
import { type BundleInput, toBundle } from './bundle-input.js';
import { bundleOf } from './bundle-of.js';
import { conflictsOn, toConflict } from './merge-conflicts.js';

export interface ShareStatusOptions extends Control {
  /** Most triples that are listed; default 100. */
  readonly limit?: number | undefined;
}

export interface ShareChange {
  readonly op: 'assert' | 'retract';
  /** Canonical N-Triples, without the full stop. */
  readonly triple: string;
}

export interface ShareStatus extends Differences {
  readonly shareId: string;
  /** Share id of the base; null = no ancestor is known. */
  readonly base: string | null;
  readonly graph: string;
  readonly relation: Relation;
  readonly conflicts: readonly Conflict[];
  /** What a merge would do where nothing is in conflict: the first of its triples, those that it asserts before the others. */
  readonly changes: readonly ShareChange[];
  /** True when there are more. */
  readonly truncated: boolean;
}

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 10_000;

export async function statusOf(
  engine: StorageEngine,
  input: string | BundleInput,
  { limit = LIMIT_DEFAULT, ...control }: ShareStatusOptions,
): Promise<ShareStatus> {
  if (!Number.isSafeInteger(limit) || limit < 0 || limit > LIMIT_MAX) {
    throw unfitValue('limit', `an integer from 0 to ${LIMIT_MAX}`, limit);
  }
  if (engine instanceof NarrowedEngine) {
    needsEveryGraph(engine.principal, 'how a share stands to the store is told by graphs that nobody lists');
  }
  const { document, ...texts } = await toBundle(input, control);
  const share = await verifyBundle(await bundleOf(texts, [document]), control);
  const stage = engine.suppose({ source: `merge:${share.shareId}` });
  try {
    return await withSnapshot(stage.before(), async (before) => {
      const comparison = await compareShare(share, { snapshot: before, store: engine.packs.storeId() }, control);
      const { base, graph, counts } = comparison;
      const differences = differencesOf(counts);
      const changes = firstChanges(before, comparison, limit);
      if (differences.would.assert > 0) await stageMerge(stage, comparison, control);
      const conflicts =
        differences.would.assert === 0 ? [] : await conflictsOn(stage, before, comparison, new CompiledSets(), control);
      return {
        shareId: share.shareId,
        base: base?.shareId ?? null,
        graph: graph ?? ROOT_GRAPH_IRI,
        relation: relationOf(counts, base !== null),
        ...differences,
        conflicts: conflicts.map(toConflict),
        changes,
        truncated: changes.length < differences.would.assert + differences.would.retract,
      };
    });
  } finally {
    stage.discard();
  }
}

function firstChanges(snapshot: StorageSnapshot, comparison: ShareComparison, limit: number): ShareChange[] {
  const { ground, blank } = comparison;
  const rows = addedRows(comparison).slice(0, limit);
  const { s, p, o } = ground.added.known;
  const asserted = [
    ...triplesOf(snapshot, pickedRows(s, rows), pickedRows(p, rows), pickedRows(o, rows)),
    ...addedTerms(comparison).slice(0, limit),
  ].slice(0, limit);
  const left = limit - asserted.length;
  const few = Math.min(left, ground.retracted.rows);
  const retracted = ground.retracted.columns;
  const first = (name: 's' | 'p' | 'o'): IdColumn => retracted[name].subarray(0, 2 * few);
  const closed = [
    ...(few === 0 ? [] : triplesOf(snapshot, first('s'), first('p'), first('o'))),
    ...blank.retracted,
  ].slice(0, left);
  return [...toChanges('assert', asserted), ...toChanges('retract', closed)];
}

function triplesOf(snapshot: StorageSnapshot, s: IdColumn, p: IdColumn, o: IdColumn): Quad[] {
  const rows = s.length / 2;
  const [subjects, predicates, objects] = [s, p, o].map((column) => snapshot.decode(column, rows));
  return Array.from({ length: rows }, (_, row) =>
    terms.quad(
      subjects?.[row] as Quad['subject'],
      predicates?.[row] as Quad['predicate'],
      objects?.[row] as Quad['object'],
    ),
  );
}

function toChanges(op: ShareChange['op'], triples: readonly Quad[]): ShareChange[] {
  const lines = triples.map((triple) => canonicalTriple(triple).slice(0, -2)).sort(compareCodePoints);
  return lines.map((triple) => ({ op, triple }));
}
