/**
 * What the thread that writes a store knows of its vectors, so that a transaction costs next to nothing in a store without
 * any, and little where its subjects have none.
 *
 * 1. Entities that may have a vector are marked, before their first vector is accepted; the marks are never taken back.
 * 2. While vectors are being put, each transaction leaves a note of what the texts of its marked subjects are after it: a
 *    vector is judged by a snapshot, and by the notes of transactions that the snapshot does not show.
 */

import { addTo } from '../../../base/maps.js';
import { payloadOf, type TermId, type TxId } from '../../ids/layout.js';
import type { IndexStore } from '../../seam/scan.js';
import { BLOCK_ROWS, DATABASE, entityIn, readHead, rowsKey, unsealRows, type VectorHead } from './vector-records.js';

const PAGE_BITS = 32_768n;

/** Ids whose term number is among some numbers. */
class MarkedIds {
  readonly #pages = new Map<bigint, Uint8Array>();

  add(id: TermId): void {
    const number = payloadOf(id);
    const at = number / PAGE_BITS;
    let page = this.#pages.get(at);
    if (page === undefined) {
      page = new Uint8Array(Number(PAGE_BITS) / 8);
      this.#pages.set(at, page);
    }
    const bit = Number(number % PAGE_BITS);
    page[bit >>> 3] = (page[bit >>> 3] as number) | (1 << (bit & 7));
  }

  has(id: TermId): boolean {
    const number = payloadOf(id);
    const bit = Number(number % PAGE_BITS);
    return (((this.#pages.get(number / PAGE_BITS)?.[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) === 1;
  }
}

/** What a transaction left: the hash of the text, null = none. */
interface Note {
  readonly tx: TxId;
  readonly hash: bigint | null;
}

export class WriterState {
  /** Null = the store has no vectors. */
  #marked: MarkedIds | null;
  #pending = 0;
  readonly #notes = new Map<TermId, Note[]>();
  /** True while segments are made. */
  folding = false;

  constructor(store: IndexStore) {
    const head = readHead(store);
    this.#marked = head.model === null ? null : markedIn(store, head);
  }

  /** False: no transaction need be looked at. */
  get hasVectors(): boolean {
    return this.#marked !== null;
  }

  mayHaveVector(entity: TermId): boolean {
    return this.#marked?.has(entity) === true;
  }

  /** From now until the returned function is called vectors of some entities are put. */
  begin(entities: Iterable<TermId>): () => void {
    this.#marked ??= new MarkedIds();
    for (const entity of entities) this.#marked.add(entity);
    this.#pending++;
    let pending = true;
    return () => {
      if (!pending) return;
      pending = false;
      this.#pending--;
      if (this.#pending === 0) this.#notes.clear();
    };
  }

  note(entity: TermId, tx: TxId, hash: bigint | null): void {
    if (this.#pending > 0) addTo(this.#notes, entity, { tx, hash });
  }

  /** Whether every transaction after this one left an entity with this text. */
  isStill(entity: TermId, hash: bigint, tx: TxId): boolean {
    return this.#notes.get(entity)?.every((note) => note.tx <= tx || note.hash === hash) !== false;
  }
}

function markedIn(store: IndexStore, { generation, rows }: VectorHead): MarkedIds {
  const marked = new MarkedIds();
  for (let block = 0; block * BLOCK_ROWS < rows; block++) {
    const count = Math.min(BLOCK_ROWS, rows - block * BLOCK_ROWS);
    const bytes = unsealRows(store.readCopy(DATABASE, rowsKey(generation, block)), block, count);
    for (let at = 0; at < count; at++) marked.add(entityIn(bytes, at));
  }
  return marked;
}

const states = new WeakMap<object, WriterState>();

/** That of a store that this thread writes. */
export function writerState(store: IndexStore): WriterState {
  let state = states.get(store);
  if (state === undefined) {
    state = new WriterState(store);
    states.set(store, state);
  }
  return state;
}
