/**
 * The names of the entities of ROOT, kept from one use to the next: their labels, and the last parts of the IRIs that are
 * subjects. Brought up to date by what later transactions opened; names that have ended stay until there are many of them.
 * Names that need more memory than `bytesMax` are not kept, but read from the store for every text, a part at a time.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { ROOT_ID, type TxId } from '../../storage/ids/layout.js';
import { type Batch, CURRENT, type IdColumn, type ScanRequest, type StorageSnapshot } from '../../storage/seam/scan.js';
import { RDFS_LABEL } from '../labels/labels.js';
import { NameTable } from './name-table.js';

const STEPS_MAX = 512;
const STALE_LEAST = 1000;
const STALE_SHARE = 1 / 4;
/** Of kept names, in each thread: two million of them. */
const BYTES_MAX = 256 * 2 ** 20;
/** Of names that are not kept, at a time: so much less. */
const PART = 1 / 4;

/** What stands behind the last `#`, `/` or `:`; the whole IRI where nothing does. */
export function localPart(iri: string): string {
  return /[^#/:]*$/.exec(iri)?.[0] || iri;
}

export class Names {
  #table: NameTable | null = null;
  #tx: TxId = 0;
  /** There were too many of them to be kept. */
  #isLarge = false;

  constructor(private readonly bytesMax: number = BYTES_MAX) {}

  /** At least those that a snapshot shows. */
  async *tables(snapshot: StorageSnapshot, control: Control): AsyncGenerator<NameTable> {
    const kept = this.#isLarge ? null : await this.#kept(snapshot, control);
    if (kept !== null) {
      yield kept;
      return;
    }
    let bytes = 0;
    for await (const table of tablesOf(snapshot, this.bytesMax * PART, control)) {
      yield table;
      bytes += table.bytes;
    }
    this.#isLarge = bytes > this.bytesMax;
  }

  /** Null where they are too many. */
  async #kept(snapshot: StorageSnapshot, control: Control): Promise<NameTable | null> {
    const { tx } = snapshot;
    let table = this.#table;
    if (table !== null && table.stale > STALE_LEAST && table.stale > table.rows * STALE_SHARE) table = null;
    if (table === null || tx - this.#tx > STEPS_MAX) {
      const parts = tablesOf(snapshot, this.bytesMax, control);
      const made: NameTable = (await parts.next()).value ?? new NameTable();
      table = made;
      await parts.return(undefined);
      if (this.#table !== null && this.#tx > tx) return table;
    } else {
      for (let next = this.#tx + 1; next <= tx; next++) follow(table, snapshot, next);
    }
    const { bytes } = table;
    this.#isLarge = bytes > this.bytesMax;
    this.#table = this.#isLarge ? null : table;
    this.#tx = Math.max(this.#tx, tx);
    return this.#table;
  }
}

function requestOf(time: ScanRequest['time'], columns: ScanRequest['columns']): ScanRequest {
  return { graphs: { kind: 'one', graph: ROOT_ID }, pattern: {}, order: 'SPOG', time, columns };
}

/** Tables of the names one after another, each of as many bytes or a little more. */
async function* tablesOf(snapshot: StorageSnapshot, bytes: number, control: Control): AsyncGenerator<NameTable> {
  let table = new NameTable();
  let adding = new Adding(table, snapshot);
  const cursor = snapshot.scan(requestOf(CURRENT, ['s', 'p', 'o']));
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      adding.add(batch, () => true);
      throwIfStopped(control, 'the search for names');
      await breathe();
      if (table.bytes <= bytes) continue;
      yield table;
      table = new NameTable();
      adding = new Adding(table, snapshot);
    }
  } finally {
    cursor.close();
  }
  if (table.rows > 0) yield table;
}

/** What is not in a run yet is in memory, and runs are passed over by their zone maps. */
function follow(table: NameTable, snapshot: StorageSnapshot, tx: TxId): void {
  const [low, high] = [tx % 2 ** 32, Math.floor(tx / 2 ** 32)];
  const adding = new Adding(table, snapshot);
  const cursor = snapshot.scan(requestOf({ kind: 'all', openedBy: tx }, ['s', 'p', 'o', 'txFrom']));
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const begins = batch.columns.txFrom as IdColumn;
      adding.add(batch, (row) => begins[2 * row] === low && begins[2 * row + 1] === high);
    }
  } finally {
    cursor.close();
  }
}

/** Adds names by rows that are sorted by their subjects. */
class Adding {
  readonly #labelLow: number;
  readonly #labelHigh: number;
  #low = -1;
  #high = -1;

  constructor(
    private readonly table: NameTable,
    private readonly snapshot: StorageSnapshot,
  ) {
    const label = snapshot.encode(RDFS_LABEL);
    this.#labelLow = label === null ? -1 : Number(label & 0xffffffffn);
    this.#labelHigh = label === null ? -1 : Number(label >> 32n);
  }

  add({ rows, selection, columns }: Batch, wanted: (row: number) => boolean): void {
    const [s, p, o] = [columns.s as IdColumn, columns.p as IdColumn, columns.o as IdColumn];
    const found: [number, number, number, number][] = [];
    const count = selection?.length ?? rows;
    for (let at = 0; at < count; at++) {
      const row = selection === null ? at : (selection[at] as number);
      if (!wanted(row)) continue;
      const [low, high] = [s[2 * row] as number, s[2 * row + 1] as number];
      if (low !== this.#low || high !== this.#high) found.push([low, high, 0, 0]);
      [this.#low, this.#high] = [low, high];
      if (p[2 * row] !== this.#labelLow || p[2 * row + 1] !== this.#labelHigh) continue;
      found.push([low, high, o[2 * row] as number, o[2 * row + 1] as number]);
    }
    // A local name is read from the IRI, a label from itself.
    const column = new Uint32Array(2 * found.length);
    for (const [at, [low, high, labelLow, labelHigh]] of found.entries()) {
      const isLocal = labelLow === 0 && labelHigh === 0;
      column[2 * at] = isLocal ? low : labelLow;
      column[2 * at + 1] = isLocal ? high : labelHigh;
    }
    for (const [at, term] of this.snapshot.decode(column, found.length).entries()) {
      const ids = found[at] as [number, number, number, number];
      if (term.termType === 'NamedNode' && ids[3] === 0) this.table.add(ids, localPart(term.value));
      else if (term.termType === 'Literal') this.table.add(ids, term.value);
    }
  }
}
