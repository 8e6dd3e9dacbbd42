/**
 * The index of vectors: what `put-vectors.ts` has put into it, ended by whatever changes the texts that they were made of, in
 * the same commit. See `vector-records.ts` for what stands in the file, `nearest.ts` for how it is searched.
 */

import { ROOT_ID, type TermId } from '../../ids/layout.js';
import { unlessDamaged } from '../../seam/findings.js';
import { lookInto } from '../../seam/rows.js';
import { CURRENT, type IndexView, type IndexWriter } from '../../seam/scan.js';
import type { IndexChange, IndexedTransaction, SecondaryIndex } from '../secondary-index.js';
import { distinctIds, textsOf } from './entity-text.js';
import { nearestIn, vectorsIn } from './nearest.js';
import { rebuildVectors } from './rebuild-vectors.js';
import type { VectorReader } from './vector-reader.js';
import { DATABASE, encodeHead, HEAD_KEY, readAnyHead, readHead } from './vector-records.js';
import { currentVector, VectorChange } from './vector-rows.js';
import { NAME, verifyVectors } from './verify-vectors.js';
import { writerState } from './writer-state.js';

export const VECTORS: SecondaryIndex<VectorReader> = {
  name: NAME,
  databases: [DATABASE],
  committed: endVectors,
  at: readerAt,
  verify: verifyVectors,
  rebuild: rebuildVectors,
};

function readerAt(view: IndexView): VectorReader {
  const { store, transaction } = view;
  const head = readHead(store, transaction);
  const state = { head, store, transaction };
  return {
    model: head.model,
    dimension: head.dimension,
    embedded: head.embedded,
    nearest: async (request, control) => nearestIn(view, state, request, control),
    vectorsOf: async (request) => vectorsIn(state, request),
    textHashOf: (entity) => currentVector(store, head, entity, transaction)?.textHash ?? null,
  };
}

/**
 * Ends the vectors of entities whose text a transaction has changed. A transaction does not fail with vectors that are damaged:
 * it notes that they are, and they are not read before a repair, since what it should have ended is not known.
 */
function endVectors(transaction: IndexedTransaction): IndexChange | null {
  const state = unlessDamaged(() => writerState(transaction.store));
  if (state === null) return noteDamage;
  if (!state.hasVectors) return null;
  const subjects = new Set<TermId>();
  for (const { columns, rows } of transaction.changes().rows(ROOT_ID)) distinctIds(columns.s, rows, subjects);
  const changed = [...subjects].filter((subject) => state.mayHaveVector(subject));
  if (changed.length === 0) return null;
  const { tx, timestamp } = transaction;
  const texts = lookInto(transaction.snapshot(), (snapshot) => textsOf(snapshot, changed, CURRENT));
  const hashes = new Map(texts.map(({ entity, hash }) => [entity, hash]));
  for (const entity of changed) state.note(entity, tx, hashes.get(entity) ?? null);
  return (writer) => {
    // Nothing is written before all of it has been read.
    const change = unlessDamaged(() => {
      const ending = new VectorChange(writer);
      const ended = changed.filter((entity) => {
        const vector = ending.current(entity);
        if (vector === null || vector.textHash === hashes.get(entity)) return false;
        ending.end(vector, tx, timestamp);
        return true;
      });
      return { ending, isNeeded: ended.length > 0 };
    });
    if (change === null) noteDamage(writer);
    else if (change.isNeeded) change.ending.write();
  };
}

/** A head that can't be read says by itself that there is damage. */
function noteDamage(writer: IndexWriter): void {
  const head = unlessDamaged(() => readAnyHead(writer));
  if (head === null || head.isDamaged === true) return;
  writer.put(DATABASE, HEAD_KEY, encodeHead({ ...head, isDamaged: true }));
}
