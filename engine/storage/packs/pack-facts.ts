/** The facts of a pack as quads with their times, whatever store wrote it: its own terms are read, no ids of another store. */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { type Quad, type Term, terms } from '../../rdf/terms.js';
import { termOf } from '../dictionary/stored-term.js';
import { idOfHalves, payloadOfHalves } from '../ids/halves.js';
import { inlineTerm } from '../ids/inline.js';
import { isDictionaryTag } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { PackFact } from '../seam/pack.js';
import { type RowBatch, readRows } from '../seam/rows.js';
import { COLUMNS, type IdColumn } from '../seam/scan.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import type { Pack } from './pack-reader.js';

const POSITIONS = ['s', 'p', 'o'] as const;

/** In batches, sorted by subject; each row once. */
export async function* factsOfPack(pack: Pack, control: Control): AsyncGenerator<readonly PackFact[]> {
  const { graph, manifest } = pack;
  if (graph === null) return;
  const snapshot = new LmdbSnapshot(pack.context, () => undefined);
  const transaction = pack.file.beginRead();
  const name = terms.namedNode(manifest.graph);
  const request = {
    graphs: { kind: 'one', graph },
    pattern: {},
    time: { kind: 'all' },
    order: 'SPOG',
    columns: COLUMNS,
  };
  try {
    for (const batch of readRows(snapshot, request as Parameters<typeof readRows>[1])) {
      const [s, p, o] = POSITIONS.map((position) => termsOf(pack, transaction, batch.column(position), batch.rows));
      yield Array.from({ length: batch.rows }, (_, row) => {
        const quad = terms.quad(
          (s as Term[])[row] as Quad['subject'],
          (p as Term[])[row] as Quad['predicate'],
          (o as Term[])[row] as Quad['object'],
          name,
        );
        return { quad, ...timesOf(batch, row) };
      });
      await breathe();
      throwIfStopped(control, 'reading the pack');
    }
  } finally {
    pack.file.release(transaction);
    snapshot.close();
  }
}

function timesOf(batch: RowBatch, row: number): Omit<PackFact, 'quad'> {
  return {
    txFrom: batch.tx('txFrom', row) as number,
    txTo: batch.tx('txTo', row),
    validFrom: batch.instant('validFrom', row) as number,
    validTo: batch.instant('validTo', row),
  };
}

function termsOf(pack: Pack, transaction: ReadTransaction, column: IdColumn, rows: number): Term[] {
  const found = new Map<number, Term>();
  for (let row = 0; row < rows; row++) {
    const high = column[2 * row + 1] as number;
    if (isDictionaryTag(high >>> 24)) found.set(payloadOfHalves(column[2 * row] as number, high), NO_TERM);
  }
  const numbers = [...found.keys()].sort((a, b) => a - b);
  pack.terms.decode(transaction, numbers, numbers.length, (index, bytes, from, to) => {
    found.set(numbers[index] as number, termOf(bytes, from, to));
  });
  return Array.from({ length: rows }, (_, row) => {
    const [low, high] = [column[2 * row] as number, column[2 * row + 1] as number];
    return isDictionaryTag(high >>> 24)
      ? (found.get(payloadOfHalves(low, high)) as Term)
      : inlineTerm(idOfHalves(low, high));
  });
}

const NO_TERM = terms.defaultGraph();
