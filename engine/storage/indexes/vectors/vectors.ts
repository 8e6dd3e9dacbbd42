/**
 * The index of vectors: what `put-vectors.ts` has put into it, ended by whatever changes the texts that they were made of, in
 * the same commit. See `vector-records.ts` for what stands in the file, `nearest.ts` for how it is searched.
 */

import { ROOT_ID, type TermId } from '../../ids/layout.js';
import { lookInto } from '../../seam/rows.js';
import { CURRENT, type IndexView } from '../../seam/scan.js';
import type { IndexChange, IndexedTransaction, SecondaryIndex } from '../secondary-index.js';
import { distinctIds, textsOf } from './entity-text.js';
import { nearestIn } from './nearest.js';
import { rebuildVectors } from './rebuild-vectors.js';
import type { VectorReader } from './vector-reader.js';
import { DATABASE, readHead } from './vector-records.js';
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
    textHashOf: (entity) => currentVector(store, head, entity, transaction)?.textHash ?? null,
  };
}

/** Ends the vectors of entities whose text a transaction has changed. */
function endVectors(transaction: IndexedTransaction): IndexChange | null {
  const state = writerState(transaction.store);
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
    const change = new VectorChange(writer);
    let ended = false;
    for (const entity of changed) {
      const vector = change.current(entity);
      if (vector === null || vector.textHash === hashes.get(entity)) continue;
      change.end(vector, tx, timestamp);
      ended = true;
    }
    if (ended) change.write();
  };
}
