/**
 * Some values of a variable of one pattern, and how many rows each has in another: what samples of a join's rows
 * are made of (index-based join sampling: Leis et al., CIDR 2017).
 */

import { idOfHalves } from '../../../storage/ids/halves.js';
import { makeId, OPEN, PAYLOAD_MASK, type TermId, tagOf } from '../../../storage/ids/layout.js';
import {
  BATCH_ROWS,
  type Batch,
  type IdColumn,
  type KeyPosition,
  type ScanCursor,
  type StorageSnapshot,
  type TimeSlice,
} from '../../../storage/seam/scan.js';
import { POSITIONS } from '../../physical/scan.js';
import { ordersFor, type PatternLeaf, probeParts, scanPattern } from '../access/pattern-leaf.js';

/** Patterns of so few rows are read whole, to choose from. */
const READ_MAX = 4 * BATCH_ROWS;
/** Places at which larger ones are read. */
const STRIPES = 16;
/** In characters of an expression. */
const SAMPLE_WORK = 10_000;

/** Reads samples of patterns. */
export class Sampler {
  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly time: TimeSlice,
    /** Told, in characters of an expression, what reading takes. */
    private readonly spend: (work: number) => void,
  ) {}

  /**
   * At most `most` values, ascending, each once; from all over the rows, since ids that lie together are often of one
   * kind. Null where no order has the variable behind the constants.
   */
  values(leaf: PatternLeaf, variable: string, most: number): IdColumn | null {
    const position = leaf.positions.get(variable) as KeyPosition;
    const order = ordersFor(leaf, new Set(leaf.constants.keys()))[0];
    if (order === undefined || POSITIONS[order][leaf.constants.size] !== position) return null;
    this.spend(SAMPLE_WORK);
    const cursor = this.snapshot.scan({
      graphs: leaf.graphs,
      pattern: scanPattern(leaf),
      order,
      time: this.time,
      columns: [position],
    });
    const sample = new SampledColumn(position, most);
    try {
      if (leaf.rows <= READ_MAX) sample.readAll(cursor, leaf.rows);
      else {
        const before = POSITIONS[order].slice(0, leaf.constants.size).map((at) => leaf.constants.get(at) as TermId);
        sample.readStripes(cursor, before, (from) => this.rowsFrom(leaf, position, from));
      }
    } finally {
      cursor.close();
    }
    return sample.column();
  }

  /** How many rows of the pattern each of the values has; null when it can't be looked up by them. */
  counts(leaf: PatternLeaf, variable: string, values: IdColumn): Uint32Array | null {
    const probe = probeParts(leaf, [variable]);
    const position = leaf.positions.get(variable);
    if (probe === null || position === undefined || position === 'g') return null;
    this.spend(SAMPLE_WORK);
    const counts = new Uint32Array(values.length / 2);
    const cursor = this.snapshot.probe({
      graphs: leaf.graphs,
      pattern: scanPattern(leaf),
      order: probe.order,
      time: this.time,
      keys: [position],
      columns: [],
      counted: true,
    });
    try {
      cursor.begin([values], counts.length);
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
        for (let row = 0; row < batch.rows; row++) {
          counts[batch.keys[row] as number] = (batch.counts as Uint32Array)[row] as number;
        }
      }
    } finally {
      cursor.close();
    }
    return counts;
  }

  /** Rows whose value is at least `from`. */
  private rowsFrom(leaf: PatternLeaf, position: KeyPosition, from: TermId): number {
    const pattern = { ...scanPattern(leaf), [position]: { kind: 'ranges', ranges: [{ from, to: OPEN }] } as const };
    return this.snapshot.estimate({ graphs: leaf.graphs, pattern, time: this.time }).rows;
  }
}

class SampledColumn {
  private readonly ids: IdColumn;
  private end = 0;

  constructor(
    private readonly position: KeyPosition,
    most: number,
  ) {
    this.ids = new Uint32Array(2 * most);
  }

  column(): IdColumn {
    return this.ids.subarray(0, this.end);
  }

  /** Rows at even distances. */
  readAll(cursor: ScanCursor, rows: number): void {
    const step = Math.max(1, (2 * rows) / this.ids.length);
    let next = 0;
    for (let before = 0; this.end < this.ids.length; ) {
      const batch = cursor.next();
      if (batch === null) return;
      const length = lengthOf(batch);
      for (; next < before + length && this.end < this.ids.length; next += step) {
        this.take(batch, Math.floor(next) - before);
      }
      before += length;
    }
  }

  /** Batches that begin at ids of even distances: as many rows of each as it stands for. */
  readStripes(cursor: ScanCursor, before: readonly TermId[], rowsAbove: (from: TermId) => number): void {
    let batch = cursor.next();
    if (batch === null) return;
    let first = this.idAt(batch, 0);
    // Of two kinds of ids, which lie far apart, the one that most rows have.
    const beyond = makeId(tagOf(first), 0, PAYLOAD_MASK);
    const rows = rowsAbove(first);
    const left = rowsAbove(beyond);
    if (left > rows / 2) {
      cursor.seek([...before, beyond]);
      batch = cursor.next();
      if (batch === null) return;
      first = this.idAt(batch, 0);
    }
    const last = lastId(first, left > rows / 2 ? 0 : left, rowsAbove);
    const each = Math.floor(this.ids.length / 2 / STRIPES);
    for (let stripe = 0; stripe < STRIPES; ) {
      if (batch === null) return;
      const length = lengthOf(batch);
      const reached = this.idAt(batch, length - 1);
      let next = stripe + 1;
      while (next < STRIPES && placeOf(next, first, last) <= reached) next++;
      const wanted = Math.min(length, (next - stripe) * each);
      for (let at = 0; at < wanted; at++) this.take(batch, Math.floor((at * length) / wanted));
      stripe = next;
      if (stripe === STRIPES) return;
      cursor.seek([...before, placeOf(stripe, first, last)]);
      batch = cursor.next();
    }
  }

  /** The value of a row, unless it is that of the row before. */
  private take(batch: Batch, at: number): void {
    const column = batch.columns[this.position] as IdColumn;
    const row = batch.selection === null ? at : (batch.selection[at] as number);
    const [low, high] = [column[2 * row] as number, column[2 * row + 1] as number];
    if (this.end > 0 && this.ids[this.end - 2] === low && this.ids[this.end - 1] === high) return;
    this.ids[this.end++] = low;
    this.ids[this.end++] = high;
  }

  private idAt(batch: Batch, at: number): TermId {
    const column = batch.columns[this.position] as IdColumn;
    const row = batch.selection === null ? at : (batch.selection[at] as number);
    return idOfHalves(column[2 * row] as number, column[2 * row + 1] as number);
  }
}

const lengthOf = (batch: Batch): number => batch.selection?.length ?? batch.rows;

function placeOf(stripe: number, first: TermId, last: TermId): TermId {
  return (first + ((last - first) * BigInt(stripe)) / BigInt(STRIPES)) as TermId;
}

/** The last id of the kind of the first: `beyond` rows have ids of kinds behind it. */
function lastId(first: TermId, beyond: number, rowsAbove: (from: TermId) => number): TermId {
  const most = makeId(tagOf(first), 0, PAYLOAD_MASK);
  return lastWhere(first, most, (id) => rowsAbove(id as TermId) > beyond) as TermId;
}

/** The last number for which the test holds, which it does for `from`: in steps that double, and back by halves. */
export function lastWhere(from: bigint, to: bigint, holds: (at: bigint) => boolean): bigint {
  let step = 1n;
  while (from + step < to && holds(from + step)) step *= 2n;
  let [low, high] = [from + step / 2n, from + step];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
