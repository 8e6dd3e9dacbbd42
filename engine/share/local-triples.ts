/**
 * The triples of a base and of ours against those of theirs, by ids: both are sorted scans of the store, read together, and
 * theirs are looked up in memory. So the work is that of two scans, however many differences there are. Triples with blank
 * nodes are set aside as terms.
 */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { type Quad, terms } from '../rdf/terms.js';
import { TAG } from '../storage/ids/layout.js';
import type { QuadColumns } from '../storage/seam/engine.js';
import { compareIds, type RowBatch, readRows } from '../storage/seam/rows.js';
import { CURRENT, type IdColumn, type StorageSnapshot } from '../storage/seam/scan.js';
import type { GraphSet } from '../storage/seam/source.js';
import { IdList } from '../validate/data/id-columns.js';
import type { TheirTriples } from './their-triples.js';
import type { SetCounts } from './three-way.js';

const WHAT = 'the comparison with the share';
const TRIPLE = ['s', 'p', 'o'] as const;
const REPORT_MS = 100;

/** Bits of the marks of their triples. */
export const IN_BASE = 1;
export const IN_OURS = 2;

/** Triples of one graph, by ids. */
export class TripleList {
  readonly s = new IdList(16);
  readonly p = new IdList(16);
  readonly o = new IdList(16);

  get rows(): number {
    return this.s.count;
  }

  push({ s, p, o }: Readonly<Record<'s' | 'p' | 'o', IdColumn>>, row: number): void {
    const at = 2 * row;
    this.s.push(s[at] as number, s[at + 1] as number);
    this.p.push(p[at] as number, p[at + 1] as number);
    this.o.push(o[at] as number, o[at + 1] as number);
  }

  /** As quads of a graph, that has this id. */
  quads(graph: readonly [low: number, high: number]): QuadColumns {
    const { rows } = this;
    const g = new Uint32Array(2 * rows);
    for (let row = 0; row < rows; row++) g.set(graph, 2 * row);
    const column = (list: IdList): IdColumn => list.ids.slice(0, 2 * rows);
    return { rows, s: column(this.s), p: column(this.p), o: column(this.o), g };
  }
}

export interface LocalSets {
  /** Null = there is no base. */
  readonly base: GraphSet | null;
  readonly ours: GraphSet;
}

export interface Compared {
  /** Of ground triples. */
  readonly counts: SetCounts;
  /** Of the base, and not theirs: those that are ours, and those that are not. */
  readonly retracted: TripleList;
  readonly removedByBoth: TripleList;
  readonly blankBase: readonly Quad[];
  readonly blankOurs: readonly Quad[];
}

/** Marks what of their triples stands in the base, and what is ours. */
export async function compareLocal(
  snapshot: StorageSnapshot,
  { base, ours }: LocalSets,
  { known, fresh }: TheirTriples,
  control: Control,
): Promise<Compared> {
  const [baseRows, ourRows] = [new Rows(snapshot, base), new Rows(snapshot, ours)];
  const [retracted, removedByBoth] = [new TripleList(), new TripleList()];
  const [blankBase, blankOurs]: [Quad[], Quad[]] = [[], []];
  let [inBase, inOurs, baseOurs, baseTheirs, oursTheirs, all] = [0, 0, 0, 0, 0, 0];
  const begun = performance.now();
  let [seen, reported] = [0, begun];
  try {
    while (!baseRows.ended || !ourRows.ended) {
      const order = baseRows.ended ? 1 : ourRows.ended ? -1 : compareTriples(baseRows, ourRows);
      const at = order <= 0 ? baseRows : ourRows;
      if (at.isBlank) {
        if (order <= 0) blankBase.push(baseRows.quad());
        if (order >= 0) blankOurs.push(ourRows.quad());
      } else {
        const { s, p, o } = at.columns;
        const row = known.find(s, p, o, at.row);
        const isTheirs = row !== -1;
        if (order <= 0) {
          inBase++;
          if (isTheirs) {
            baseTheirs++;
            known.marks[row] = (known.marks[row] as number) | IN_BASE;
          } else (order === 0 ? retracted : removedByBoth).push(at.columns, at.row);
        }
        if (order >= 0) {
          inOurs++;
          if (isTheirs) {
            oursTheirs++;
            known.marks[row] = (known.marks[row] as number) | IN_OURS;
          }
        }
        if (order === 0) {
          baseOurs++;
          if (isTheirs) all++;
        }
      }
      if (order <= 0) baseRows.next();
      if (order >= 0) ourRows.next();
      if (++seen % 16_384 !== 0) continue;
      throwIfStopped(control, WHAT);
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
  const theirs = known.rows + fresh.length;
  const counts = { base: inBase, ours: inOurs, theirs, baseOurs, baseTheirs, oursTheirs, all };
  return { counts, retracted, removedByBoth, blankBase, blankOurs };
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

  /** Has blank nodes, and may stand in a share, which a triple term can not. */
  get isBlank(): boolean {
    const { s, o } = this.columns;
    const at = 2 * this.row + 1;
    const tag = (o[at] as number) >>> 24;
    return tag === TAG.blank || ((s[at] as number) >>> 24 === TAG.blank && tag !== TAG.triple);
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
  for (const name of TRIPLE) {
    const order = compareIds(one.columns[name], one.row, other.columns[name], other.row);
    if (order !== 0) return order;
  }
  return 0;
}
