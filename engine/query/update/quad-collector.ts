/**
 * Gathers quads of many batches before the stage judges them: it sorts them and compares them with what
 * it holds, which costs less a quad the more there are at once.
 */

import type { QuadColumns } from '../../storage/seam/engine.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import { newColumn } from '../runtime/batch.js';

/** About a tenth of a second of work for the stage; 4 MB. */
const QUADS_AT_ONCE = 131_072;
const NAMES = ['s', 'p', 'o', 'g'] as const;

type Columns = Record<(typeof NAMES)[number], IdColumn>;

export class QuadCollector {
  private columns = newColumns(0);
  private capacity = 0;
  private rows = 0;

  constructor(private readonly take: (quads: QuadColumns) => void) {}

  add(quads: QuadColumns): void {
    if (this.rows + quads.rows > QUADS_AT_ONCE) this.flush();
    this.reserve(this.rows + quads.rows);
    for (const name of NAMES) this.columns[name].set(quads[name].subarray(0, 2 * quads.rows), 2 * this.rows);
    this.rows += quads.rows;
  }

  /** Hands on what is left; to be called at the end. */
  flush(): void {
    if (this.rows === 0) return;
    const rows = this.rows;
    this.rows = 0;
    this.take({ rows, ...this.columns });
  }

  private reserve(rows: number): void {
    if (rows <= this.capacity) return;
    let capacity = Math.max(this.capacity, BATCH_ROWS);
    while (capacity < rows) capacity *= 2;
    const grown = newColumns(capacity);
    for (const name of NAMES) grown[name].set(this.columns[name].subarray(0, 2 * this.rows));
    this.columns = grown;
    this.capacity = capacity;
  }
}

function newColumns(rows: number): Columns {
  return { s: newColumn(rows), p: newColumn(rows), o: newColumn(rows), g: newColumn(rows) };
}
