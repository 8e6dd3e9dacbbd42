/**
 * A base against what is ours, by ids: both are sorted scans of one store, read together. Where they agree nothing is kept. Triples
 * with blank nodes are set aside as terms. A triple term stands in no share; ours that hold one are counted, and no more.
 */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { type Quad, terms } from '../rdf/terms.js';
import { TAG } from '../storage/ids/layout.js';
import { compareIds, type RowBatch, readRows } from '../storage/seam/rows.js';
import { CURRENT, type IdColumn, type StorageSnapshot } from '../storage/seam/scan.js';
import type { GraphSet } from '../storage/seam/source.js';
import { TripleList } from './triple-list.js';

export const COMPARISON = 'the comparison with the share';
const TRIPLE = ['s', 'p', 'o'] as const;
const STEP_ROWS = 16_384;
const REPORT_MS = 100;

export interface LocalSets {
  /** Null = there is no base. */
  readonly base: GraphSet | null;
  readonly ours: GraphSet;
}

export interface IdDifference {
  /** Of triples without blank nodes. */
  readonly base: number;
  readonly ours: number;
  readonly both: number;
  readonly onlyBase: TripleList;
  readonly onlyOurs: TripleList;
  readonly blankBase: readonly Quad[];
  readonly blankOurs: readonly Quad[];
}

export async function differenceById(
  snapshot: StorageSnapshot,
  { base, ours }: LocalSets,
  control: Control,
): Promise<IdDifference> {
  const [baseRows, ourRows] = [new Rows(snapshot, base), new Rows(snapshot, ours)];
  const [onlyBase, onlyOurs] = [new TripleList(), new TripleList()];
  const [blankBase, blankOurs]: [Quad[], Quad[]] = [[], []];
  const counts = { base: 0, ours: 0, both: 0 };
  const begun = performance.now();
  let [seen, checked, reported] = [0, 0, begun];
  try {
    while (!baseRows.ended || !ourRows.ended) {
      const order = baseRows.ended ? 1 : ourRows.ended ? -1 : compareTriples(baseRows, ourRows);
      const at = order <= 0 ? baseRows : ourRows;
      const kind = at.kind();
      if (kind === 'blank') {
        if (order <= 0) blankBase.push(baseRows.quad());
        if (order >= 0) blankOurs.push(ourRows.quad());
      } else if (kind === 'triple') {
        if (order >= 0) counts.ours++;
      } else {
        if (order <= 0) counts.base++;
        if (order >= 0) counts.ours++;
        if (order === 0) counts.both++;
        else if (order < 0) onlyBase.push(baseRows.columns, baseRows.row);
        else if (base !== null) onlyOurs.push(ourRows.columns, ourRows.row);
      }
      if (order <= 0) baseRows.next();
      if (order >= 0) ourRows.next();
      if (++seen - checked < STEP_ROWS) continue;
      checked = seen;
      throwIfStopped(control, COMPARISON);
      const now = performance.now();
      if (now - reported < REPORT_MS) continue;
      reported = now;
      control.onProgress?.({ phase: 'compare', done: seen, elapsedMs: now - begun });
      await breathe();
    }
  } finally {
    baseRows.close();
    ourRows.close();
  }
  return { ...counts, onlyBase, onlyOurs, blankBase, blankOurs };
}

/** The triples of a set in the order of their ids. */
class Rows {
  ended = false;
  row = -1;
  columns: Readonly<Record<'s' | 'p' | 'o', IdColumn>> = NO_ROWS;
  readonly #batches: Iterator<RowBatch> | null;
  #rows = 0;

  constructor(
    private readonly snapshot: StorageSnapshot,
    graphs: GraphSet | null,
  ) {
    const request = { pattern: {}, order: 'SPOG', time: CURRENT, columns: TRIPLE } as const;
    this.#batches = graphs === null ? null : readRows(snapshot, { ...request, graphs });
    this.next();
  }

  next(): void {
    if (++this.row < this.#rows) return;
    const next = this.#batches?.next();
    if (next === undefined || next.done === true) {
      this.ended = true;
      return;
    }
    const batch = next.value;
    this.columns = { s: batch.column('s'), p: batch.column('p'), o: batch.column('o') };
    this.#rows = batch.rows;
    this.row = -1;
    this.next();
  }

  kind(): 'ground' | 'blank' | 'triple' {
    const { s, o } = this.columns;
    const at = 2 * this.row + 1;
    const tag = (o[at] as number) >>> 24;
    if (tag === TAG.triple) return 'triple';
    return tag === TAG.blank || (s[at] as number) >>> 24 === TAG.blank ? 'blank' : 'ground';
  }

  quad(): Quad {
    const [s, p, o] = TRIPLE.map((name) => {
      const at = 2 * this.row;
      return this.snapshot.decode(this.columns[name].slice(at, at + 2), 1)[0];
    });
    return terms.quad(s as Quad['subject'], p as Quad['predicate'], o as Quad['object']);
  }

  close(): void {
    this.#batches?.return?.();
  }
}

const NO_ROWS = { s: new Uint32Array(0), p: new Uint32Array(0), o: new Uint32Array(0) };

function compareTriples(one: Rows, other: Rows): number {
  const { s, p, o } = one.columns;
  const [at, otherAt] = [2 * one.row, 2 * other.row];
  const { s: otherS, p: otherP, o: otherO } = other.columns;
  // Mostly they are the same.
  if (
    o[at] === otherO[otherAt] &&
    s[at] === otherS[otherAt] &&
    p[at] === otherP[otherAt] &&
    o[at + 1] === otherO[otherAt + 1] &&
    s[at + 1] === otherS[otherAt + 1] &&
    p[at + 1] === otherP[otherAt + 1]
  ) {
    return 0;
  }
  for (const name of TRIPLE) {
    const order = compareIds(one.columns[name], one.row, other.columns[name], other.row);
    if (order !== 0) return order;
  }
  return 0;
}
