/**
 * A full run (semantics of reasoning, 2.3): what the axioms entail of the current facts of ROOT, to a fixpoint over all
 * families, against what stands there as derived.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import { ROOT_ONLY } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { closeFacts, FACTS_MAX, implyTypes } from './close-facts.js';
import { type Difference, differenceOf } from './difference.js';
import { FactTables } from './fact-tables.js';
import type { Ontology } from './ontology.js';

export interface RunOn {
  /** The facts. */
  readonly snapshot: StorageSnapshot;
  /** Whether a transaction is one that has written derived facts. */
  isDerived(tx: number): boolean;
  /** Most facts of linked properties; default `FACTS_MAX`. */
  readonly factsMax?: number;
}

export function materialize(
  ontology: Ontology,
  { snapshot, isDerived, factsMax = FACTS_MAX }: RunOn,
  control: Control,
): Difference {
  const tables = new FactTables(ontology, snapshot);
  const request = { graphs: ROOT_ONLY, pattern: {}, time: CURRENT, order: 'SPOG' } as const;
  const cursor = snapshot.scan({ ...request, columns: ['s', 'p', 'o', 'txFrom'] });
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      throwIfStopped(control, 'the materialization');
      tables.take(batch, isDerived);
    }
  } finally {
    cursor.close();
  }
  closeFacts(tables, ontology, factsMax, control);
  implyTypes(tables, ontology);
  return differenceOf(tables, ontology);
}
