/**
 * Makes the vectors of a store anew, as a generation of its own, of what can be read: rows whose vectors are sound and that
 * have ended, or are of the text that their entity has. Others are lost, and come again with the next backfill. Codes and
 * lists are made of the vectors.
 */

import type { TermId } from '../../ids/layout.js';
import { Findings, unlessDamaged } from '../../seam/findings.js';
import { CURRENT, type IndexView, type IndexWriter } from '../../seam/scan.js';
import type { IndexRebuild } from '../secondary-index.js';
import { textsOf } from './entity-text.js';
import { foldRows } from './fold-vectors.js';
import type { VectorState } from './stored-vectors.js';
import {
  BLOCK_ENDS,
  BLOCK_ROWS,
  DATABASE,
  decodeEnds,
  encodeHead,
  endsKey,
  floatsOf,
  generationPrefix,
  HEAD_KEY,
  NO_VECTORS,
  readAnyHead,
  readHead,
  rowIn,
  rowsKey,
  unsealRows,
  type VectorEnd,
  type VectorHead,
  type VectorRow,
  valuesKey,
  valuesOfBlock,
  vectorBytesIn,
} from './vector-records.js';
import { keysUnder, VectorChange } from './vector-rows.js';
import { verifyVectors } from './verify-vectors.js';

/** Rows that are read and written at once. */
const STEP_BLOCKS = 16;

interface KeptRow {
  readonly row: VectorRow;
  readonly vector: Float32Array;
  /** Null = current. */
  readonly end: VectorEnd | null;
}

export async function rebuildVectors(rebuild: IndexRebuild<IndexView>): Promise<void> {
  const { control, rebuilt, lost, reading, write } = rebuild;
  const findings = new Findings(control);
  const before = await reading(async (view) => {
    await findings.check('', () => verifyVectors(view, findings));
    const isThere = view.store.readCopy(DATABASE, HEAD_KEY, view.transaction) !== undefined;
    return isThere ? unlessDamaged(() => readAnyHead(view.store, view.transaction)) : null;
  });
  if (findings.problems.length === 0) return;
  const generation = (before?.generation ?? 0) + 1;
  const { model = null, dimension = null } = before ?? {};
  // Which generation was current is not known then, and its keys would be taken for those of the new one.
  if (before === null) write((writer) => removeAll(writer, () => true));
  write((writer) => writer.put(DATABASE, HEAD_KEY, encodeHead({ ...NO_VECTORS, generation, model, dimension })));
  const kept = before === null ? 0 : await copyRows(rebuild, before);
  write((writer) => {
    const own = generationPrefix(generation);
    removeAll(writer, (key) => key !== HEAD_KEY && !key.startsWith(own));
  });
  const host = {
    reading: <Result>(work: (state: VectorState) => Result) => reading((view) => work(stateOf(view))),
    write,
  };
  await foldRows(host, control);
  rebuilt.push('the vectors');
  const missing = (before?.rows ?? 0) - kept;
  if (before === null)
    lost.push({ what: 'all vectors: what tells of their model is damaged or gone', transactions: [] });
  else if (missing > 0) lost.push({ what: `vectors, which a backfill makes again: ${missing}`, transactions: [] });
}

function removeAll(writer: IndexWriter, isDoomed: (key: string) => boolean): void {
  for (const key of [...keysUnder(writer, '')]) {
    if (isDoomed(key)) writer.remove(DATABASE, key);
  }
}

function stateOf({ store, transaction }: IndexView): VectorState {
  return { head: readHead(store, transaction), store, transaction };
}

/** Copies the rows of a generation to the one that is; returns how many. */
async function copyRows({ reading, write }: IndexRebuild<IndexView>, before: VectorHead): Promise<number> {
  const { ends, latest } = await reading((view) => {
    const state = { ...stateOf(view), head: before };
    return { ends: readableEnds(state), latest: latestRows(state) };
  });
  let copied = 0;
  const step = STEP_BLOCKS * BLOCK_ROWS;
  for (let from = 0; from < before.rows; from += step) {
    const to = Math.min(before.rows, from + step);
    const some = await reading((view) => keptRows(view, before, { from, to }, ends, latest));
    if (some.length === 0) continue;
    write((writer) => {
      const change = new VectorChange(writer);
      for (const { row, vector, end } of some) {
        change.append(row, vector);
        const appended = end === null ? null : change.current(row.entity);
        if (end !== null && appended !== null) change.end(appended, end.tx, end.validTo);
      }
      change.write();
    });
    copied += some.length;
  }
  return copied;
}

function readableEnds({ head, store, transaction }: VectorState): ReadonlyMap<number, VectorEnd> {
  const ends = new Map<number, VectorEnd>();
  for (let block = 0; block * BLOCK_ENDS < head.ends; block++) {
    const count = Math.min(BLOCK_ENDS, head.ends - block * BLOCK_ENDS);
    const value = store.readCopy(DATABASE, endsKey(head.generation, block), transaction);
    for (const end of unlessDamaged(() => decodeEnds(value, block, count))?.slice(0, count) ?? [])
      ends.set(end.row, end);
  }
  return ends;
}

/** The last row of each entity. */
function latestRows(state: VectorState): ReadonlyMap<TermId, number> {
  const latest = new Map<TermId, number>();
  for (const { at, row } of readableRows(state, 0, state.head.rows)) latest.set(row.entity, at);
  return latest;
}

function* readableRows(
  { head, store, transaction }: VectorState,
  from: number,
  to: number,
): Generator<{ readonly at: number; readonly row: VectorRow }> {
  for (let block = Math.floor(from / BLOCK_ROWS); block * BLOCK_ROWS < to; block++) {
    const first = block * BLOCK_ROWS;
    const count = Math.min(BLOCK_ROWS, to - first);
    const value = store.readCopy(DATABASE, rowsKey(head.generation, block), transaction);
    const bytes = unlessDamaged(() => unsealRows(value, block, count));
    if (bytes === null) continue;
    for (let at = 0; at < count; at++) yield { at: first + at, row: rowIn(bytes, at) };
  }
}

function keptRows(
  view: IndexView,
  before: VectorHead,
  { from, to }: { readonly from: number; readonly to: number },
  ends: ReadonlyMap<number, VectorEnd>,
  latest: ReadonlyMap<TermId, number>,
): KeptRow[] {
  const state = { ...stateOf(view), head: before };
  const rows = [...readableRows(state, from, to)];
  const open = rows.filter(({ at, row }) => !ends.has(at) && latest.get(row.entity) === at);
  const snapshot = view.snapshot();
  let texts: ReadonlyMap<TermId, bigint>;
  try {
    const entities = open.map(({ row }) => row.entity);
    texts = new Map(textsOf(snapshot, entities, CURRENT).map(({ entity, hash }) => [entity, hash]));
  } finally {
    snapshot.close();
  }
  const isCurrent = new Set(open.filter(({ row }) => texts.get(row.entity) === row.textHash).map(({ at }) => at));
  return rows.flatMap(({ at, row }) => {
    const end = ends.get(at) ?? null;
    if (end === null && !isCurrent.has(at)) return [];
    const vector = unlessDamaged(() => vectorAt(state, at));
    return vector === null ? [] : [{ row, vector, end }];
  });
}

function vectorAt({ head, store, transaction }: VectorState, row: number): Float32Array {
  const dimension = head.dimension as number;
  const block = Math.floor(row / valuesOfBlock(dimension));
  const value = store.readCopy(DATABASE, valuesKey(head.generation, block), transaction);
  return floatsOf(vectorBytesIn(value, dimension, row));
}
