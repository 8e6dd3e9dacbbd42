/**
 * Which subjects of a share are set aside (semantics text 6.8 H), and their triples on the way to another graph.
 *
 * 1. A subject with a triple off the vocabulary, or with a violation, is set aside with all its triples.
 * 2. A blank node shares the lot of what refers to it, in both directions: where it is at fault, so are those that refer to
 *    it, and what a subject refers to by blank nodes goes with it. A node that is at fault and is no subject of the share counts
 *    against those that refer to it.
 */

import { getOrInsert } from '../base/maps.js';
import { highOf, lowOf } from '../storage/ids/halves.js';
import { TAG, type TermId, tagOf } from '../storage/ids/layout.js';
import type { QuadColumns, Stage } from '../storage/seam/engine.js';
import { exactly, pickedQuads, readRows } from '../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';

const BLANK_HIGH = TAG.blank << 24;
const BLANK_MASK = 0xff000000;

/** All subjects of the graph that are set aside. */
export function subjectsAside(snapshot: StorageSnapshot, graph: TermId, faulty: ReadonlySet<TermId>): Set<TermId> {
  if (faulty.size === 0) return new Set();
  const graphs = { kind: 'one', graph } as const;
  const strangers = new Set(
    [...faulty].filter((id) => snapshot.count({ graphs, pattern: { s: exactly(id) }, time: CURRENT }) === 0),
  );
  const referrers = new Map<TermId, TermId[]>();
  const referred = new Map<TermId, TermId[]>();
  for (const batch of readRows(snapshot, { graphs, pattern: {}, order: 'SPOG', time: CURRENT, columns: ['s', 'o'] })) {
    const objects = batch.column('o');
    for (let row = 0; row < batch.rows; row++) {
      const isBlank = ((objects[2 * row + 1] as number) & BLANK_MASK) === BLANK_HIGH;
      if (!isBlank && strangers.size === 0) continue;
      const o = batch.id('o', row);
      if (!isBlank && !strangers.has(o)) continue;
      const s = batch.id('s', row);
      getOrInsert(referrers, o, () => []).push(s);
      if (isBlank) getOrInsert(referred, s, () => []).push(o);
    }
  }
  const up = [...faulty];
  const aside = new Set<TermId>(faulty);
  for (let id = up.pop(); id !== undefined; id = up.pop()) {
    if (!isBlankId(id) && !strangers.has(id)) continue;
    for (const referrer of referrers.get(id) ?? []) {
      if (aside.has(referrer)) continue;
      aside.add(referrer);
      up.push(referrer);
    }
  }
  const down = [...aside];
  for (let id = down.pop(); id !== undefined; id = down.pop()) {
    for (const blank of referred.get(id) ?? []) {
      if (aside.has(blank)) continue;
      aside.add(blank);
      down.push(blank);
    }
  }
  return aside;
}

function isBlankId(id: TermId): boolean {
  return tagOf(id) === TAG.blank;
}

/** The triples of some subjects, taken out of the graph of the stage that they were put into; for another graph. */
export function takeAside(
  stage: Stage,
  snapshot: StorageSnapshot,
  graph: TermId,
  aside: ReadonlySet<TermId>,
): QuadColumns[] {
  const taken: QuadColumns[] = [];
  const request = { graphs: { kind: 'one', graph }, pattern: {}, order: 'SPOG', time: CURRENT } as const;
  for (const batch of readRows(snapshot, { ...request, columns: ['s', 'p', 'o', 'g'] })) {
    const rows: number[] = [];
    let isAside = false;
    for (let row = 0; row < batch.rows; row++) {
      if (batch.changes('s', row)) isAside = aside.has(batch.id('s', row));
      if (isAside) rows.push(row);
    }
    if (rows.length > 0) taken.push(pickedQuads(batch.quads(), rows));
  }
  for (const quads of taken) stage.retractIds(quads);
  return taken;
}

/** The same quads in another graph. */
export function inGraph(quads: QuadColumns, graph: TermId): QuadColumns {
  const g = new Uint32Array(2 * quads.rows);
  for (let row = 0; row < quads.rows; row++) {
    g[2 * row] = lowOf(graph);
    g[2 * row + 1] = highOf(graph);
  }
  return { ...quads, g };
}
