/** Where a fact stands, since when and from where: the row that an explanation goes by. */

import { compareCodePoints } from '../../base/text.js';
import { classOf, frozenIds } from '../../query/registry/graph-rows.js';
import { companionOf, isQuarantine, META_GRAPH_IRI, unlistedIds } from '../../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { FactIds } from '../../reason/explain/fact-reader.js';
import { ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import { decodeIds, patternOf, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type GraphSet, type StorageSnapshot } from '../../storage/seam/scan.js';
import { ruleOfSource } from './derivation.js';

import { OWL_SOURCE } from './transaction-sources.js';

export interface Standing {
  readonly graph: TermId;
  readonly tx: TxId;
  readonly source: string | null;
  /** The transaction that closed it; absent = it is current. */
  readonly closedTx?: TxId;
}

export type SourceOf = (tx: TxId) => string | null;

/** True for what neither a rule nor an ontology has derived. */
export function isBaseSource(source: string | null): boolean {
  return source === null || (ruleOfSource(source) === null && !source.startsWith(OWL_SOURCE));
}

/** How a fact stands in some graphs, the earlier first, as base fact rather than derived; null = it is not there. */
export function standingIn(
  snapshot: StorageSnapshot,
  fact: FactIds,
  graphs: readonly TermId[],
  sourceOf: SourceOf,
): Standing | null {
  for (const graph of graphs) {
    const found = currentRows(snapshot, fact, { kind: 'one', graph }, sourceOf);
    const base = found.find(({ source }) => isBaseSource(source));
    const standing = base ?? found[0];
    if (standing !== undefined) return standing;
  }
  return null;
}

/** The same for a fact that was current after a transaction and has been closed since. */
export function standingBefore(
  snapshot: StorageSnapshot,
  { fact, graphs, tx }: { readonly fact: FactIds; readonly graphs: readonly TermId[]; readonly tx: TxId },
  sourceOf: SourceOf,
): Standing | null {
  for (const graph of graphs) {
    const columns = ['txFrom', 'txTo'] as const;
    const request = {
      graphs: { kind: 'one', graph },
      pattern: patternOf(fact),
      time: { kind: 'all' },
      columns,
    } as const;
    for (const batch of readRows(snapshot, request)) {
      for (let row = 0; row < batch.rows; row++) {
        const [from, closedTx] = [batch.tx('txFrom', row) as TxId, batch.tx('txTo', row)];
        if (from <= tx && closedTx !== null && closedTx > tx)
          return { graph, tx: from, source: sourceOf(from), closedTx };
      }
    }
  }
  return null;
}

/** Where a fact stands: in ROOT, in its companion, or in the first by IRI of the committed graphs that are not frozen. */
export function standingAnywhere(snapshot: StorageSnapshot, fact: FactIds, sourceOf: SourceOf): Standing | null {
  const rows = currentRows(snapshot, fact, everyGraph(snapshot), sourceOf);
  const graphs = graphsToLookIn(snapshot, new Set(rows.map(({ graph }) => graph)));
  return standingIn(snapshot, fact, graphs, sourceOf);
}

/** The graphs that may hold facts that are explained, and perhaps others. */
export function everyGraph(snapshot: StorageSnapshot): GraphSet {
  return { kind: 'all', except: unlistedIds(snapshot) };
}

/** Of some graphs those that are looked into, in that order. */
export function graphsToLookIn(snapshot: StorageSnapshot, graphs: ReadonlySet<TermId>): TermId[] {
  const frozen = new Set(graphs.size === 0 ? [] : frozenIds(snapshot));
  const ids = [...graphs].filter((id) => !frozen.has(id) && classOf(snapshot, id) !== 'overlay');
  const decoded = decodeIds(snapshot, ids);
  const place = (iri: string): number => [ROOT_GRAPH_IRI, companionOf(ROOT_GRAPH_IRI), iri].indexOf(iri);
  return ids
    .map((id, at) => ({ id, iri: id === ROOT_ID ? ROOT_GRAPH_IRI : (decoded[at]?.value as string) }))
    .filter(({ iri }) => iri !== META_GRAPH_IRI && !isQuarantine(iri))
    .sort((a, b) => place(a.iri) - place(b.iri) || compareCodePoints(a.iri, b.iri))
    .map(({ id }) => id);
}

function currentRows(snapshot: StorageSnapshot, fact: FactIds, graphs: GraphSet, sourceOf: SourceOf): Standing[] {
  const found: Standing[] = [];
  const request = { graphs, pattern: patternOf(fact), time: CURRENT, columns: ['g', 'txFrom'] } as const;
  for (const batch of readRows(snapshot, request)) {
    for (let row = 0; row < batch.rows; row++) {
      const tx = batch.tx('txFrom', row) as TxId;
      found.push({ graph: batch.id('g', row), tx, source: sourceOf(tx) });
    }
  }
  return found.sort((a, b) => a.tx - b.tx);
}
