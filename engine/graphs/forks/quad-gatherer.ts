/** Rows that come one by one, on their way into a graph of a stage: a batch at a time, each with the start of its validity. */

import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { QuadColumns, Stage } from '../../storage/seam/engine.js';
import { mapQuads, quadColumns, type RowBatch } from '../../storage/seam/rows.js';
import type { IdColumn } from '../../storage/seam/scan.js';

/** A stage sorts what it holds once for each batch. */
const BATCH_QUADS = 131_072;
const TRIPLE = ['s', 'p', 'o'] as const;

export class QuadGatherer {
  readonly #quads: QuadColumns = quadColumns(BATCH_QUADS);
  readonly #validFrom: IdColumn = new Uint32Array(2 * BATCH_QUADS);
  readonly #take: (quads: QuadColumns, validFrom: IdColumn) => number;
  #rows = 0;
  #taken = 0;

  constructor(graph: TermId, take: (quads: QuadColumns, validFrom: IdColumn) => number) {
    const { g } = this.#quads;
    for (let row = 0; row < BATCH_QUADS; row++) {
      g[2 * row] = lowOf(graph);
      g[2 * row + 1] = highOf(graph);
    }
    this.#take = take;
  }

  static asserting(stage: Stage, graph: TermId): QuadGatherer {
    return new QuadGatherer(graph, (quads, validFrom) => stage.assertIds(quads, validFrom));
  }

  static retracting(stage: Stage, graph: TermId): QuadGatherer {
    return new QuadGatherer(graph, (quads) => stage.retractIds(quads));
  }

  /** How many quads the stage has opened or closed by what was handed to it. */
  get taken(): number {
    return this.#taken;
  }

  /** Takes the triples of a batch in the order of a scan, as `add` takes each. */
  addAll(batch: RowBatch): void {
    if (repeatsTriples(batch)) {
      for (let row = 0; row < batch.rows; row++) this.add(batch, row);
      return;
    }
    if (batch.rows === 0) return;
    this.add(batch, 0);
    for (let from = 1; from < batch.rows; ) {
      if (this.#rows === BATCH_QUADS) this.flush();
      const to = Math.min(batch.rows, from + BATCH_QUADS - this.#rows);
      for (const name of TRIPLE) this.#quads[name].set(batch.column(name).subarray(2 * from, 2 * to), 2 * this.#rows);
      this.#validFrom.set(batch.column('validFrom').subarray(2 * from, 2 * to), 2 * this.#rows);
      this.#rows += to - from;
      from = to;
    }
  }

  /** Takes the triple of a row. A triple that comes again at once is taken once, and holds from the earliest of its beginnings. */
  add(batch: RowBatch, row: number): void {
    const begin = batch.column('validFrom');
    if (this.#rows > 0 && this.#repeats(batch, row)) {
      const last = 2 * (this.#rows - 1);
      const [low, high] = [begin[2 * row] as number, begin[2 * row + 1] as number];
      const [lastLow, lastHigh] = [this.#validFrom[last] as number, this.#validFrom[last + 1] as number];
      if (high > lastHigh || (high === lastHigh && low >= lastLow)) return;
      this.#validFrom.set([low, high], last);
      return;
    }
    // Only when another triple comes is the last one known to be complete.
    if (this.#rows === BATCH_QUADS) this.flush();
    const at = 2 * this.#rows++;
    for (const name of TRIPLE) put(this.#quads[name], at, batch.column(name), row);
    put(this.#validFrom, at, begin, row);
  }

  /** Hands over what has been gathered. */
  flush(): void {
    if (this.#rows === 0) return;
    const rows = this.#rows;
    const cut = (column: IdColumn): IdColumn => column.subarray(0, 2 * rows);
    this.#rows = 0;
    this.#taken += this.#take(mapQuads(this.#quads, rows, cut), cut(this.#validFrom));
  }

  #repeats(batch: RowBatch, row: number): boolean {
    const last = 2 * (this.#rows - 1);
    return TRIPLE.every((name) => {
      const [ours, theirs] = [this.#quads[name], batch.column(name)];
      return ours[last] === theirs[2 * row] && ours[last + 1] === theirs[2 * row + 1];
    });
  }
}

/** True when rows that follow each other have one triple. */
function repeatsTriples(batch: RowBatch): boolean {
  const [s, p, o] = TRIPLE.map((name) => batch.column(name)) as [IdColumn, IdColumn, IdColumn];
  for (let at = 2; at < 2 * batch.rows; at += 2) {
    if (o[at] !== o[at - 2] || o[at + 1] !== o[at - 1] || s[at] !== s[at - 2] || s[at + 1] !== s[at - 1]) continue;
    if (p[at] === p[at - 2] && p[at + 1] === p[at - 1]) return true;
  }
  return false;
}

function put(column: IdColumn, at: number, from: IdColumn, row: number): void {
  column[at] = from[2 * row] as number;
  column[at + 1] = from[2 * row + 1] as number;
}
