/**
 * The triples with which a secondary index answers, as a view of a store that has nothing else: they are the rows of a
 * delta above no runs. Scans, probes, counts and estimates read it as any view. The rows stand in ROOT and hold at every
 * time.
 */

import { Delta } from '../delta/delta.js';
import { DeltaTerms } from '../delta/delta-terms.js';
import { Memtable } from '../delta/memtable.js';
import { OPEN, ROOT_ID } from '../ids/layout.js';
import { COLUMNS } from '../seam/scan.js';
import type { IndexedTriples } from './context.js';
import type { ScanView } from './view.js';

/** Of the columns of a row, those that are the same in all. */
const CONSTANT: Readonly<Record<string, bigint>> = {
  g: ROOT_ID,
  txFrom: 0n,
  txTo: OPEN,
  validFrom: 0n,
  validTo: OPEN,
};

/** The delta belongs to whoever asked, who unpins it. */
export function indexView(view: ScanView, triples: IndexedTriples): ScanView & { readonly delta: Delta } {
  const { memory } = view.context;
  const rows = new Memtable(memory, Math.max(1, triples.rows));
  const columns = rows.reserve(triples.rows);
  for (const [at, name] of COLUMNS.entries()) {
    const address = columns.addresses[at] as number;
    if (name === 's' || name === 'p' || name === 'o') {
      memory.wordsAt(address, 2 * triples.rows).set(triples[name].subarray(0, 2 * triples.rows));
    } else memory.bigsAt(address, triples.rows).fill(CONSTANT[name] as bigint);
  }
  rows.grow(triples.rows);
  const parts = { rows, tombstones: new Memtable(memory, 1), terms: new DeltaTerms(view.manifest.nextTermNumber) };
  const delta = new Delta(memory, view.tx, view.manifest.nextTermNumber, parts);
  return { ...view, manifest: { ...view.manifest, partitions: [] }, delta, stage: null, disjoint: false };
}
