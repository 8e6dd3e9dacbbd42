/** Datasets, which are named lists of graphs, as rows of the registry graph: `<urn:svc:dataset:NAME> svc:dataset "JSON"`. */

import { SvcError } from '../../base/errors.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { NamedRows } from './named-rows.js';

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
