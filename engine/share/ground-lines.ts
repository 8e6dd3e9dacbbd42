/**
 * Rows of a snapshot as canonical lines, in the order of the rows: the writer of answers puts lines together from the stored
 * bytes of terms, so most never become texts. Rows that no line can be made of yet come apart, as terms: those with blank nodes,
 * whose labels depend on all of them, and those with triple terms, which a share can't hold.
 */

import { type Control, throwIfStopped } from '../base/control.js';
import { byteRows } from '../query/results/byte-rows.js';
import type { ResultBatch } from '../query/results/result.js';
import { plainBytes, sharedFormat } from '../query/results/term-format.js';
import { type Quad, terms } from '../rdf/terms.js';
import { TAG } from '../storage/ids/layout.js';
import { pickedRows, type RowBatch, readRows } from '../storage/seam/rows.js';
import { CURRENT, type GraphSet, type IdColumn, type ScanPattern, type StorageSnapshot } from '../storage/seam/scan.js';
import { canonicalTerm } from './canonical-lines.js';

export interface LineBatch {
  /** Whole lines, of ground triples. */
  readonly lines: Uint8Array;
  /** Triples that are no lines yet. */
  readonly others: readonly Quad[];
}

/** Of terms as `canonicalTerm` writes them, with the space behind. */
const WRITTEN = sharedFormat((term) => `${canonicalTerm(term)} `, plainBytes('"\\\x7f'), { lowersTags: true });
const LAYOUT = {
  head: '',
  formatOf: () => WRITTEN,
  rowStart: '',
  between: '',
  rowEnd: '.\n',
  tail: () => '',
} as const;

export const NO_LINES = new Uint8Array(0);

/** Current rows of some graphs: first the ground ones, all those of a subject one after the other, then the others. */
export async function* tripleLines(rows: GroundRows): AsyncGenerator<LineBatch> {
  for await (const lines of rows.lines()) yield { lines, others: [] };
  if (!rows.hasOthers) return;
  for (const others of rows.others()) yield { lines: NO_LINES, others };
}

/** Current rows of some graphs. */
export class GroundRows {
  /** Whether there are others than ground ones; known when the lines were read. */
  hasOthers = false;

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly graphs: GraphSet,
    private readonly pattern: ScanPattern = {},
  ) {}

  /** All lines of a subject come one after the other. */
  lines(control: Control = {}): AsyncGenerator<Uint8Array> {
    return byteRows(this.#answers(control), LAYOUT);
  }

  *others(): Generator<Quad[]> {
    for (const batch of this.#batches()) {
      const apart = rowsApart(batch);
      if (apart.length > 0) yield quadsAt(this.snapshot, batch, apart);
    }
  }

  async *#answers(control: Control): AsyncGenerator<ResultBatch> {
    for (const batch of this.#batches()) {
      throwIfStopped(control, 'reading the graph');
      const apart = rowsApart(batch);
      if (apart.length > 0) this.hasOthers = true;
      const rows = batch.rows - apart.length;
      if (rows === 0) continue;
      yield answerOf(this.snapshot, rows, apart.length === 0 ? columnsOf(batch) : withoutRows(batch, apart));
    }
  }

  #batches(): Generator<RowBatch> {
    const { graphs, pattern } = this;
    const request = { graphs, pattern, time: CURRENT, order: 'SPOG', columns: ['s', 'p', 'o'] } as const;
    return readRows(this.snapshot, request);
  }
}

/** Of an id, by the upper half: the term can not stand in a ground line. */
function isApart(high: number): boolean {
  const tag = high >>> 24;
  return tag === TAG.blank || tag === TAG.triple;
}

/** Whether a row of columns has neither blank nodes nor triple terms. */
export function isGround(s: IdColumn, o: IdColumn, row: number): boolean {
  return !isApart(s[2 * row + 1] as number) && !isApart(o[2 * row + 1] as number);
}

function rowsApart(batch: RowBatch): number[] {
  const [s, o] = [batch.column('s'), batch.column('o')];
  const apart: number[] = [];
  for (let row = 0; row < batch.rows; row++) {
    if (!isGround(s, o, row)) apart.push(row);
  }
  return apart;
}

function quadsAt(snapshot: StorageSnapshot, batch: RowBatch, rows: readonly number[]): Quad[] {
  const decoded = (name: 's' | 'p' | 'o') => snapshot.decode(pickedRows(batch.column(name), rows), rows.length);
  const [s, p, o] = [decoded('s'), decoded('p'), decoded('o')];
  return rows.map((_, at) => terms.quad(s[at] as Quad['subject'], p[at] as Quad['predicate'], o[at] as Quad['object']));
}

type Columns = readonly [IdColumn, IdColumn, IdColumn];

function columnsOf(batch: RowBatch): Columns {
  return [batch.column('s'), batch.column('p'), batch.column('o')];
}

function withoutRows(batch: RowBatch, apart: readonly number[]): Columns {
  const rows: number[] = [];
  let next = 0;
  for (let row = 0; row < batch.rows; row++) {
    if (apart[next] === row) next++;
    else rows.push(row);
  }
  const [s, p, o] = columnsOf(batch);
  return [pickedRows(s, rows), pickedRows(p, rows), pickedRows(o, rows)];
}

function answerOf(snapshot: StorageSnapshot, rows: number, columns: Columns): ResultBatch {
  return {
    rows,
    columns,
    terms: (column) => snapshot.decode(columns[column] as IdColumn, rows),
    decode: (ids, count) => snapshot.decode(ids, count),
    stored: (ids, count, take) => snapshot.stored(ids, count, take),
  };
}
