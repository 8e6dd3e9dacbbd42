/** Datasets, which are named lists of graphs, as rows of the registry graph: `<urn:svc:dataset:NAME> svc:dataset "JSON"`. */

import { SvcError } from '../../base/errors.js';
import { terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { exactly, readIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { NamedRows } from './named-rows.js';
import { META_GRAPH_IRI, SVC_NS } from './system-graphs.js';

export interface DatasetMember {
  readonly graph: string;
  /** Null = unranked. It says in which order members are shown, and nothing else. */
  readonly ord: number | null;
}

export interface DatasetRow {
  /** An IRI. */
  readonly name: string;
  readonly members: readonly DatasetMember[];
}

/** The dataset of the graphs that are frozen; it has no row. */
export const FROZEN_DATASET = 'urn:svc:dataset:frozen';

export const DATASETS = new NamedRows<DatasetRow>('dataset', 'dataset', (json) => {
  const { name, members } = json as DatasetRow;
  return typeof name === 'string' && Array.isArray(members) ? { name, members } : null;
});

/** What the meta graph says of a dataset for each member, in the transaction that writes the row. */
export const INCLUDES_GRAPH = terms.namedNode(`${SVC_NS}includesGraph`);

/** The graphs that the meta graph says a dataset includes, ascending: the members of the row, as ids. */
export function includedGraphs(snapshot: StorageSnapshot, name: string, time: TimeSlice): TermId[] {
  const [graph, s, p] = [META_GRAPH_IRI, name, INCLUDES_GRAPH.value].map((iri) =>
    snapshot.encode(terms.namedNode(iri), true),
  );
  if (graph == null || s == null || p == null) return [];
  const pattern = { s: exactly(s), p: exactly(p) };
  return [...readIds(snapshot, { graphs: { kind: 'one', graph }, pattern, time, order: 'SPOG' }, 'o')];
}

/** Refuses a graph under the name of a dataset. */
export function checkNoDataset(snapshot: StorageSnapshot, iri: string): void {
  if (!DATASETS.has(snapshot, iri)) return;
  throw new SvcError(
    'invalid_request',
    `the graph <${iri}> can not be written: it is the name of a dataset, not of a graph`,
    {
      hint: 'name one of its members',
    },
  );
}
