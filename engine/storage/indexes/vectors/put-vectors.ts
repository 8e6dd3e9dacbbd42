/**
 * Puts vectors into a store, outside of transactions: they were made of texts that its facts give, by whoever has the model.
 *
 * 1. The model is written down, or compared with the one that is. From then on transactions leave notes (`writer-state.ts`).
 * 2. A snapshot, which shows all transactions that left none, says what the texts are now, and which transaction made them so.
 * 3. In a write of the file each vector whose text is still the same is appended, and its entity points to it.
 */

import { breathe, type Control, throwIfStopped } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import { getOrInsert } from '../../../base/maps.js';
import type { Instant, TxId } from '../../ids/layout.js';
import type { StorageEngine } from '../../seam/engine.js';
import type { IndexWriter, StorageSnapshot } from '../../seam/scan.js';
import { changing } from './changing.js';
import { factsOf, hashOfText, lastTextChange, textOf } from './entity-text.js';
import { foldVectors, isFoldDue } from './fold-vectors.js';
import type { NewVector } from './vector-reader.js';
import {
  DATABASE,
  DIMENSION_MAX,
  encodeHead,
  generationPrefix,
  HEAD_KEY,
  NO_VECTORS,
  readAnyHead,
  readHead,
  type VectorHead,
} from './vector-records.js';
import { keysUnder, VectorChange } from './vector-rows.js';
import { type WriterState, writerState } from './writer-state.js';

/** Vectors of one write of the file. */
const WRITE_VECTORS = 1024;
/** Entities whose facts are read before the event loop has a turn. */
const READ_ENTITIES = 128;
/** Keys that one write of the file removes. */
const REMOVED_KEYS = 10_000;

const WHAT = 'the writing of vectors';

export interface PutReport {
  /** Vectors that are current now. */
  readonly put: number;
  /** Dropped: their entities have another text by now, or none. */
  readonly stale: number;
  /** Dropped: their entities have a vector of the same text already. */
  readonly present: number;
}

/** A vector whose text was the entity's as of a snapshot. */
interface Judged extends NewVector {
  /** That last changed the text. */
  readonly tx: TxId;
  readonly validFrom: Instant;
}

/**
 * Throws `invalid_request` for a model or a dimension other than that of the vectors that are there, and for vectors of
 * another length or with numbers that are not finite; then none is put. Stopped, those of writes that are through stay.
 */
export async function putVectors(
  engine: StorageEngine,
  model: string,
  dimension: number,
  vectors: readonly NewVector[],
  control: Control = {},
): Promise<PutReport> {
  checkVectors(dimension, vectors);
  const { head, state, end } = await begin(engine, model, dimension, vectors);
  let report: PutReport = { put: 0, stale: 0, present: 0 };
  try {
    for (let at = 0; at < vectors.length; at += WRITE_VECTORS) {
      throwIfStopped(control, WHAT);
      const some = vectors.slice(at, at + WRITE_VECTORS);
      const done = await putSome(engine, head, state, some, control);
      report = { put: report.put + done.put, stale: report.stale + done.stale, present: report.present + done.present };
    }
  } finally {
    end();
  }
  if (isFoldDue(engine)) await foldVectors(engine, control);
  return report;
}

function checkVectors(dimension: number, vectors: readonly NewVector[]): void {
  if (!(Number.isInteger(dimension) && dimension >= 1 && dimension <= DIMENSION_MAX)) {
    throw new SvcError('invalid_request', `vectors of ${dimension} numbers: at least 1 and at most ${DIMENSION_MAX}`);
  }
  for (const [at, { vector }] of vectors.entries()) {
    if (vector.length !== dimension) {
      throw new SvcError('invalid_request', `vector ${at} has ${vector.length} numbers instead of ${dimension}`);
    }
    if (!hasFiniteNumbers(vector)) {
      throw new SvcError('invalid_request', `vector ${at} has a number that is not finite`);
    }
  }
}

/** A loop, since a call for each number takes a tenth of the time that putting takes. */
function hasFiniteNumbers(vector: Float32Array): boolean {
  // A number less itself is 0 unless it is infinite or none.
  let differences = 0;
  for (let at = 0; at < vector.length; at++) differences += (vector[at] as number) - (vector[at] as number);
  return differences === 0;
}

interface Begun {
  readonly head: VectorHead;
  readonly state: WriterState;
  end(): void;
}

function begin(engine: StorageEngine, model: string, dimension: number, vectors: readonly NewVector[]): Promise<Begun> {
  return changing(engine, (writer) => {
    let head = readHead(writer);
    if (head.model !== null && (head.model !== model || head.dimension !== dimension)) {
      throw otherModel(head, model, dimension);
    }
    if (head.model === null) {
      head = { ...head, model, dimension };
      writer.put(DATABASE, HEAD_KEY, encodeHead(head));
    }
    const state = writerState(writer);
    return { head, state, end: state.begin(vectors.map(({ entity }) => entity)) };
  });
}

function otherModel(head: VectorHead, model: string, dimension: number): SvcError {
  const [is, asked] = [`${head.model} (${head.dimension} numbers)`, `${model} (${dimension} numbers)`];
  return new SvcError('invalid_request', `the vectors of this store are those of the model ${is}, not ${asked}`, {
    hint: 'ask with the model of the vectors, or drop all vectors and make them anew with the other one',
  });
}

async function putSome(
  engine: StorageEngine,
  begun: VectorHead,
  state: WriterState,
  vectors: readonly NewVector[],
  control: Control,
): Promise<PutReport> {
  const snapshot = engine.snapshot();
  const { tx } = snapshot;
  let judged: readonly Judged[];
  try {
    judged = await judge(engine, snapshot, vectors, control);
  } finally {
    snapshot.close();
  }
  return changing(engine, (writer) => {
    const head = readHead(writer);
    if (head.generation !== begun.generation || head.model !== begun.model) {
      throw new SvcError('state_conflict', 'the vectors were dropped while others were put', { hint: 'try again' });
    }
    const change = new VectorChange(writer, head);
    let [put, present] = [0, 0];
    for (const vector of judged) {
      const { entity, textHash, validFrom } = vector;
      if (!state.isStill(entity, textHash, tx)) continue;
      const known = change.current(entity);
      if (known?.textHash === textHash) {
        present++;
        continue;
      }
      if (known !== null) change.end(known, vector.tx, validFrom);
      change.append({ entity, textHash, tx: vector.tx, validFrom }, vector.vector);
      put++;
    }
    if (put > 0) change.write();
    return { put, present, stale: vectors.length - put - present };
  });
}

/** Those whose text is the entity's; of several of one entity the first. */
async function judge(
  engine: StorageEngine,
  snapshot: StorageSnapshot,
  vectors: readonly NewVector[],
  control: Control,
): Promise<Judged[]> {
  const judged: Judged[] = [];
  const timestamps = new Map<TxId, Instant>();
  const timestampOf = (tx: TxId): Instant =>
    getOrInsert(timestamps, tx, () => engine.transactions({ since: tx - 1, limit: 1 })[0]?.timestamp ?? 0);
  for (let at = 0; at < vectors.length; at += READ_ENTITIES) {
    const some = vectors.slice(at, at + READ_ENTITIES);
    const ids = some.map(({ entity }) => entity);
    const facts = factsOf(snapshot, ids, { kind: 'all' });
    for (const vector of some) {
      const own = facts.get(vector.entity) ?? [];
      const text = textOf(own.filter(({ to }) => to === null));
      if (text === '' || hashOfText(text) !== vector.textHash) continue;
      const tx = lastTextChange(own, text);
      judged.push({ ...vector, tx, validFrom: timestampOf(tx) });
    }
    await breathe();
    throwIfStopped(control, WHAT);
  }
  return judged;
}

/**
 * Drops all vectors, and what is known of their model, so that those of another model can come. Returns how many entities had
 * one. At once nobody sees them any more; their room is given back little by little.
 */
export async function dropVectors(engine: StorageEngine, control: Control = {}): Promise<number> {
  const dropped = await changing(engine, (writer) => {
    const { generation, embedded } = readAnyHead(writer);
    writer.put(DATABASE, HEAD_KEY, encodeHead({ ...NO_VECTORS, generation: generation + 1 }));
    return embedded;
  });
  await removeOld(engine, control);
  return dropped;
}

/** Removes what earlier generations have left. */
export async function removeOld(engine: StorageEngine, control: Control = {}): Promise<void> {
  while (await changing(engine, removeSome)) {
    throwIfStopped(control, 'the removal of vectors');
    await breathe();
  }
}

function removeSome(writer: IndexWriter): boolean {
  const current = generationPrefix(readHead(writer).generation);
  let removed = 0;
  const doomed: string[] = [];
  for (const key of keysUnder(writer, '')) {
    if (key === HEAD_KEY || key.startsWith(current)) continue;
    doomed.push(key);
    removed++;
    if (removed === REMOVED_KEYS) break;
  }
  for (const key of doomed) writer.remove(DATABASE, key);
  return removed === REMOVED_KEYS;
}
