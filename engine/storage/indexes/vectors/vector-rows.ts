/** Rows of vectors as they are stored: looked up, appended, ended. */

import { getOrInsert } from '../../../base/maps.js';
import type { Instant, TermId, TxId } from '../../ids/layout.js';
import type { IndexStore, IndexWriter } from '../../seam/scan.js';
import { damagedVectors } from './damaged-vectors.js';
import {
  BLOCK_ENDS,
  BLOCK_ROWS,
  DATABASE,
  decodeEnds,
  decodeNumber,
  encodeEnds,
  encodeHead,
  encodeNumber,
  encodeRows,
  endsKey,
  entityKey,
  HEAD_KEY,
  readHead,
  rowIn,
  rowsIn,
  rowsKey,
  unsealRows,
  ValueBlock,
  type VectorEnd,
  type VectorHead,
  type VectorRow,
  valuesKey,
  valuesOfBlock,
} from './vector-records.js';

const KEYS_READ = 1024;

/** The keys that begin with a text, ascending, read some at a time; not the text itself. */
export function* keysUnder(store: IndexStore, prefix: string, transaction?: object): Generator<string> {
  for (let last = prefix; ; ) {
    const keys = store.keysAfter(DATABASE, last, KEYS_READ, transaction) as readonly string[];
    for (const key of keys) {
      if (!key.startsWith(prefix)) return;
      yield key;
    }
    if (keys.length === 0) return;
    last = keys[keys.length - 1] as string;
  }
}

/** A row by its number. */
export function readRow(store: IndexStore, head: VectorHead, row: number, transaction?: object): VectorRow {
  const block = Math.floor(row / BLOCK_ROWS);
  const at = row % BLOCK_ROWS;
  const value = store.readCopy(DATABASE, rowsKey(head.generation, block), transaction);
  return rowIn(unsealRows(value, block, at + 1), at);
}

export interface CurrentVector extends VectorRow {
  readonly row: number;
}

/** The current vector of an entity; null = it has none. */
export function currentVector(
  store: IndexStore,
  head: VectorHead,
  entity: TermId,
  transaction?: object,
): CurrentVector | null {
  const value = store.readCopy(DATABASE, entityKey(head.generation, entity), transaction);
  if (value === undefined) return null;
  const row = decodeNumber(value, 'the row of the vector of an entity');
  if (row >= head.rows) throw damagedVectors(`there is no row ${row} of vectors, of ${head.rows}`);
  const found = readRow(store, head, row, transaction);
  if (found.entity !== entity) throw damagedVectors(`row ${row} of vectors is that of another entity`);
  return { ...found, row };
}

/** The ends `[from, to)`. */
export function* readEnds(
  store: IndexStore,
  { generation }: VectorHead,
  from: number,
  to: number,
  transaction?: object,
): Generator<VectorEnd> {
  for (let block = Math.floor(from / BLOCK_ENDS); block * BLOCK_ENDS < to; block++) {
    const first = block * BLOCK_ENDS;
    const end = Math.min(BLOCK_ENDS, to - first);
    const ends = decodeEnds(store.readCopy(DATABASE, endsKey(generation, block), transaction), block, end);
    yield* ends.slice(Math.max(0, from - first), end);
  }
}

/** Changes vectors inside a write of the file; nothing of it is written before `write`. */
export class VectorChange {
  readonly #writer: IndexWriter;
  readonly #rows = new Map<number, VectorRow[]>();
  readonly #ends = new Map<number, VectorEnd[]>();
  readonly #values = new Map<number, ValueBlock>();
  readonly #current = new Map<TermId, number | null>();
  #head: VectorHead;

  constructor(writer: IndexWriter, head: VectorHead = readHead(writer)) {
    this.#writer = writer;
    this.#head = head;
  }

  get head(): VectorHead {
    return this.#head;
  }

  /** As this change leaves it. */
  current(entity: TermId): CurrentVector | null {
    const row = this.#current.get(entity);
    if (row === undefined) return currentVector(this.#writer, this.#head, entity);
    return row === null ? null : { ...this.#rowAt(row), row };
  }

  append(row: VectorRow, vector: Float32Array): void {
    const { rows } = this.#head;
    this.#rowsOf(Math.floor(rows / BLOCK_ROWS)).push(row);
    const dimension = vector.length;
    const room = valuesOfBlock(dimension);
    const block = Math.floor(rows / room);
    const values = getOrInsert(this.#values, block, () =>
      ValueBlock.of(this.#writer.readCopy(DATABASE, valuesKey(this.#head.generation, block)), dimension),
    );
    values.put(rows % room, vector);
    this.#current.set(row.entity, rows);
    this.#head = { ...this.#head, rows: rows + 1, embedded: this.#head.embedded + 1 };
  }

  /** Ends the current vector of an entity. */
  end({ entity, row }: CurrentVector, tx: TxId, validTo: Instant): void {
    const { ends } = this.#head;
    this.#endsOf(Math.floor(ends / BLOCK_ENDS)).push({ row, tx, validTo });
    this.#current.set(entity, null);
    this.#head = { ...this.#head, ends: ends + 1, embedded: this.#head.embedded - 1 };
  }

  write(): void {
    const { generation, dimension, rows } = this.#head;
    for (const [block, own] of this.#rows) this.#writer.put(DATABASE, rowsKey(generation, block), encodeRows(own));
    for (const [block, own] of this.#ends) this.#writer.put(DATABASE, endsKey(generation, block), encodeEnds(own));
    const room = valuesOfBlock(dimension ?? 1);
    for (const [block, values] of this.#values) {
      const bytes = values.bytes(Math.min(room, rows - block * room));
      this.#writer.put(DATABASE, valuesKey(generation, block), bytes);
    }
    for (const [entity, row] of this.#current) {
      const key = entityKey(generation, entity);
      if (row === null) this.#writer.remove(DATABASE, key);
      else this.#writer.put(DATABASE, key, encodeNumber(row));
    }
    this.#writer.put(DATABASE, HEAD_KEY, encodeHead(this.#head));
  }

  #rowAt(row: number): VectorRow {
    const open = this.#rows.get(Math.floor(row / BLOCK_ROWS))?.[row % BLOCK_ROWS];
    return open ?? readRow(this.#writer, this.#head, row);
  }

  /** The rows of a block; what stands behind the last row is left over from a write that failed, and dropped. */
  #rowsOf(block: number): VectorRow[] {
    return getOrInsert(this.#rows, block, () => {
      const count = this.#head.rows - block * BLOCK_ROWS;
      if (count <= 0) return [];
      const value = this.#writer.readCopy(DATABASE, rowsKey(this.#head.generation, block));
      return rowsIn(unsealRows(value, block, count)).slice(0, count);
    });
  }

  #endsOf(block: number): VectorEnd[] {
    return getOrInsert(this.#ends, block, () => {
      const count = this.#head.ends - block * BLOCK_ENDS;
      if (count <= 0) return [];
      const value = this.#writer.readCopy(DATABASE, endsKey(this.#head.generation, block));
      return decodeEnds(value, block, count).slice(0, count);
    });
  }
}
