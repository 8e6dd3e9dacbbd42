/** Datasets, which are named lists of graphs, as rows of the registry graph: `<urn:svc:dataset:NAME> svc:dataset "JSON"`. */

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
