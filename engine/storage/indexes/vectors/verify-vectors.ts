/**
 * Checks the vectors of a store: every row, end, vector and code can be read; each current row is the one that its entity
 * points to, and nothing else is pointed to; segments follow each other and have each row once; each current vector is that
 * of the text that its entity has.
 */

import type { TermId } from '../../ids/layout.js';
import type { Findings } from '../../seam/findings.js';
import { CURRENT, type IndexStore, type IndexView } from '../../seam/scan.js';
import { textsOf } from './entity-text.js';
import { LoadedVectors } from './loaded-vectors.js';
import type { VectorState } from './stored-vectors.js';
import {
  BLOCK_ENDS,
  BLOCK_ROWS,
  DATABASE,
  decodeEnds,
  decodeNumber,
  endsKey,
  entityKey,
  entityPrefix,
  HEAD_KEY,
  readAnyHead,
  rowIn,
  rowsKey,
  unsealRows,
  valuesKey,
  valuesOfBlock,
  vectorBytesIn,
} from './vector-records.js';
import { keysUnder } from './vector-rows.js';

export const NAME = 'vectors';
/** Entities whose texts are made at once. */
const TEXTS = 256;

export async function verifyVectors(view: IndexView, findings: Findings): Promise<void> {
  const { store, transaction } = view;
  const head = readAnyHead(store, transaction);
  if (head.isDamaged === true) findings.add(NAME, 'a write has met damage, and what it should have ended is not known');
  const state: VectorState = { head, store, transaction };
  if (store.readCopy(DATABASE, HEAD_KEY, transaction) === undefined && hasKeys(store, transaction)) {
    findings.add(NAME, 'nothing tells of the vectors that are there');
  }
  if (head.dimension === null) return;
  const isEnded = await verifyEnds(state, findings);
  const current = await verifyRows(state, isEnded, findings);
  if (current.size !== head.embedded) {
    findings.add(NAME, `${current.size} entities have a current vector, ${head.embedded} are counted`);
  }
  await verifyPointers(state, current, findings);
  await verifyValues(state, isEnded, findings);
  await verifySegments(state, findings);
  await verifyTexts(view, current, findings);
}

function hasKeys(store: IndexStore, transaction: object | undefined): boolean {
  return keysUnder(store, '', transaction).next().done !== true;
}

async function verifyEnds({ head, store, transaction }: VectorState, findings: Findings): Promise<Uint8Array> {
  const isEnded = new Uint8Array(head.rows);
  for (let block = 0; block * BLOCK_ENDS < head.ends; block++) {
    await findings.check(NAME, () => {
      const count = Math.min(BLOCK_ENDS, head.ends - block * BLOCK_ENDS);
      const value = store.readCopy(DATABASE, endsKey(head.generation, block), transaction);
      for (const { row } of decodeEnds(value, block, count).slice(0, count)) {
        if (row >= head.rows) findings.add(NAME, `row ${row} was ended, and there are ${head.rows}`);
        else if (isEnded[row] === 1) findings.add(NAME, `row ${row} was ended twice`);
        else isEnded[row] = 1;
      }
    });
    findings.blocksChecked++;
    await findings.turn('verify vectors');
  }
  return isEnded;
}

/** Returns the row and the hash of the text of each entity that has a current one. */
async function verifyRows(
  { head, store, transaction }: VectorState,
  isEnded: Uint8Array,
  findings: Findings,
): Promise<Map<TermId, { readonly row: number; readonly textHash: bigint }>> {
  const current = new Map<TermId, { readonly row: number; readonly textHash: bigint }>();
  for (let block = 0; block * BLOCK_ROWS < head.rows; block++) {
    await findings.check(NAME, () => {
      const first = block * BLOCK_ROWS;
      const count = Math.min(BLOCK_ROWS, head.rows - first);
      const bytes = unsealRows(store.readCopy(DATABASE, rowsKey(head.generation, block), transaction), block, count);
      for (let at = 0; at < count; at++) {
        if (isEnded[first + at] === 1) continue;
        const { entity, textHash } = rowIn(bytes, at);
        if (current.has(entity)) findings.add(NAME, `an entity has two current vectors, ${first + at} is one`);
        current.set(entity, { row: first + at, textHash });
      }
    });
    findings.blocksChecked++;
    await findings.turn('verify vectors');
  }
  return current;
}

async function verifyPointers(
  { head, store, transaction }: VectorState,
  current: ReadonlyMap<TermId, { readonly row: number }>,
  findings: Findings,
): Promise<void> {
  const prefix = entityPrefix(head.generation);
  let pointers = 0;
  for (const _ of keysUnder(store, prefix, transaction)) {
    pointers++;
    await findings.turn('verify vectors');
  }
  for (const [entity, { row }] of current) {
    await findings.check(NAME, () => {
      const value = store.readCopy(DATABASE, entityKey(head.generation, entity), transaction);
      const found = value === undefined ? null : decodeNumber(value, 'the row of the vector of an entity');
      if (found !== row) findings.add(NAME, `row ${row} is current, and its entity points to ${found ?? 'none'}`);
    });
    await findings.turn('verify vectors');
  }
  if (pointers !== current.size) {
    findings.add(NAME, `${pointers} entities point to vectors, ${current.size} have a current one`);
  }
}

async function verifyValues(state: VectorState, isEnded: Uint8Array, findings: Findings): Promise<void> {
  const { head, store, transaction } = state;
  const dimension = head.dimension as number;
  const room = valuesOfBlock(dimension);
  for (let block = 0; block * room < head.rows; block++) {
    const value = store.readCopy(DATABASE, valuesKey(head.generation, block), transaction);
    for (let row = block * room; row < Math.min(head.rows, (block + 1) * room); row++) {
      await findings.check(NAME, () => {
        vectorBytesIn(value, dimension, row);
      });
    }
    findings.blocksChecked++;
    await findings.turn('verify vectors');
  }
  findings.rowsChecked += isEnded.length;
}

async function verifySegments(state: VectorState, findings: Findings): Promise<void> {
  const { head } = state;
  // In memory of its own, which goes with it.
  const loaded = new LoadedVectors(head);
  let next = 0;
  for (const segment of head.segments) {
    const { id, from, to } = segment;
    await findings.check(NAME, async () => {
      if (from !== next || to <= from || to > head.rows) {
        findings.add(NAME, `segment ${id} has rows ${from} to ${to}, and should begin at ${next} of ${head.rows}`);
      }
      const [codes] = loaded.segments({ ...state, head: { ...head, rows: to, segments: [segment] } });
      const seen = new Uint8Array(Math.max(0, to - from));
      for (let at = 0; codes !== undefined && at < codes.partCount; at++) {
        const { numbers, rows } = codes.part(at);
        for (const row of loaded.memory.wordsAt(numbers, rows)) seen[row - from] = 1;
        findings.blocksChecked++;
        await findings.turn('verify vectors');
      }
      if (seen.includes(0)) findings.add(NAME, `segment ${id} misses row ${from + seen.indexOf(0)}`);
    });
    next = to;
  }
}

async function verifyTexts(
  view: IndexView,
  current: ReadonlyMap<TermId, { readonly row: number; readonly textHash: bigint }>,
  findings: Findings,
): Promise<void> {
  const snapshot = view.snapshot();
  try {
    const entities = [...current.keys()];
    for (let at = 0; at < entities.length; at += TEXTS) {
      const some = entities.slice(at, at + TEXTS);
      await findings.check(NAME, () => {
        const hashes = new Map(textsOf(snapshot, some, CURRENT).map(({ entity, hash }) => [entity, hash]));
        for (const entity of some) {
          const { row, textHash } = current.get(entity) as { readonly row: number; readonly textHash: bigint };
          if (hashes.get(entity) !== textHash) {
            findings.add(NAME, `vector ${row} is current, and its entity has another text`);
          }
        }
      });
      await findings.turn('verify vectors');
    }
  } finally {
    snapshot.close();
  }
}
