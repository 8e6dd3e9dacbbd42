/**
 * The base of a merge (semantics text 6.10): the nearest ancestor of a share that this store's facts have been made of, the
 * share itself included. That is a share which the store gave away, promoted or merged. One that was imported and never
 * promoted is no such ancestor, since nothing of it has reached the facts; the way goes on through it to its parent.
 *
 * The triples of a base are read from where they are: a scope as of the transaction of its share (ruling R49), the graphs
 * of an import, the difference that a merge has kept.
 */

import { SvcError } from '../base/errors.js';
import { homeOf } from '../query/registry/freeze-rows.js';
import { terms } from '../rdf/terms.js';
import { ROOT_ID } from '../storage/ids/layout.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import type { GraphSet } from '../storage/seam/source.js';
import { type ExportedShare, exportedShare, rowNameOf } from './exported-shares.js';
import { IMPORT_EVIDENCE, importedShare, importedTriples } from './imported-shares.js';
import type { ShareManifest, ShareScope } from './manifest.js';
import { MERGED_SHARES, mergedTriples } from './merged-shares.js';

export interface KnownBase {
  readonly shareId: string;
  /** What a share that follows it is a state of: the graph that it was of here, where that is known to be one. */
  readonly scope: ShareScope;
  readonly graphs: GraphSet;
  /** Of how many differences its triples are put together. */
  readonly depth: number;
}

/** Null where no ancestor is known. */
export function findBase(snapshot: StorageSnapshot, { lineage }: ShareManifest, shareId: string): KnownBase | null {
  const seen = new Set<string>();
  let [at, parent]: [string | null, string | null] = [shareId, lineage.parent_share];
  while (at !== null && !seen.has(at)) {
    seen.add(at);
    const base = knownBase(snapshot, at);
    if (base !== null) return base;
    const imported = importedShare(snapshot, at);
    if (imported !== null) parent = imported.parent;
    else if (at !== shareId) return null;
    at = parent;
  }
  return null;
}

function knownBase(snapshot: StorageSnapshot, shareId: string): KnownBase | null {
  const exported = exportedShare(snapshot, shareId);
  if (exported !== null)
    return { shareId, scope: exported.scope, graphs: exportedTriples(snapshot, exported), depth: 0 };
  const imported = importedShare(snapshot, shareId);
  if (imported?.state === 'promoted') {
    return { shareId, scope: ROOT_SCOPE, graphs: importedTriples(snapshot, imported), depth: 0 };
  }
  const merged = MERGED_SHARES.one(snapshot, rowNameOf(shareId));
  if (merged === null) return null;
  const base = merged.base === null ? null : knownBase(snapshot, merged.base);
  if (merged.base !== null && base === null) {
    throw new SvcError('store_corrupt', `the share ${merged.base}, which a merge was based on, is not known any more`);
  }
  const { graph, depth } = merged;
  const scope = graph === null ? ROOT_SCOPE : ({ kind: 'graph', value: graph } as const);
  return { shareId, scope, graphs: mergedTriples(snapshot, merged, base?.graphs ?? null), depth };
}

export const ROOT_SCOPE: ShareScope = { kind: 'root', value: null };

function exportedTriples(snapshot: StorageSnapshot, { scope, tx }: ExportedShare): GraphSet {
  return { kind: 'timed', graphs: graphsOf(snapshot, scope), time: { kind: 'asOf', tx } };
}

/** Current triples of a scope that is one graph. */
export function graphsOf(snapshot: StorageSnapshot, scope: ShareScope): GraphSet {
  const iri = graphIriOf(scope);
  const id = iri === null ? ROOT_ID : snapshot.encode(terms.namedNode(iri));
  return id === null ? { kind: 'some', graphs: [], merged: true } : homeOf(snapshot, id);
}

/** IRI of the graph that a scope is; null = ROOT. */
export function graphIriOf({ kind, value }: ShareScope): string | null {
  if (kind === 'root') return null;
  if (kind === 'graph') return value;
  throw new SvcError('unsupported', `a share of scope ${kind} can not be merged: what it was made of is no graph`, {
    hint: 'share ROOT or a graph, or import the share and promote it',
  });
}

/** Names that an import of the share, or of an ancestor, has rewritten: from foreign to local IRI. */
export function importedNames(snapshot: StorageSnapshot, shareIds: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const shareId of shareIds) {
    const evidence = IMPORT_EVIDENCE.one(snapshot, rowNameOf(shareId));
    const { rewritten = [] } = evidence === null ? {} : (JSON.parse(evidence.report) as ImportReport);
    for (const { from, to } of rewritten) names.set(from, to);
  }
  return names;
}

interface ImportReport {
  readonly rewritten?: readonly { readonly from: string; readonly to: string }[];
}
