/**
 * A staged share into ROOT (semantics text 6.9): its triples are asserted but for those that ROOT has had and has lost again,
 * since a replayed snapshot must not bring back what was removed here. Nothing is ever retracted.
 *
 * 1. The triples of the staging graph are read in their order, many at a time.
 * 2. Those that are open in ROOT are duplicates. Of the others those with any row in ROOT are withheld: its last row is then a
 *    retraction. One probe finds them.
 * 3. The others are asserted.
 */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { type Term, terms } from '../rdf/terms.js';
import { ROOT_ID } from '../storage/ids/layout.js';
import type { QuadColumns, Stage } from '../storage/seam/engine.js';
import { compareIds, pickedQuads, ROOT_ONLY, readRows, withSnapshot } from '../storage/seam/rows.js';
import { CURRENT, type ProbeCursor, type StorageSnapshot } from '../storage/seam/scan.js';
import { inGraph } from './split-share.js';

/** Withheld triples that are told one by one. */
export const SAMPLE_MAX = 20;
const WHAT = 'the promotion of a share';
const POSITIONS = ['s', 'p', 'o'] as const;

export interface WithheldTriple {
  readonly subject: Term;
  readonly predicate: Term;
  readonly object: Term;
}

export interface PromotedTriples {
  /** Of the staging graph, those that are withheld left out. */
  readonly triples: number;
  readonly suppressed: number;
  /** That ROOT did not have. */
  readonly added: number;
  readonly sample: readonly WithheldTriple[];
}

export async function promoteTriples(stage: Stage, staging: string, control: Control): Promise<PromotedTriples> {
  return withSnapshot(stage.before(), async (before) => {
    const graph = before.encode(terms.namedNode(staging));
    if (graph === null) return { triples: 0, suppressed: 0, added: 0, sample: [] };
    let [triples, suppressed, added] = [0, 0, 0];
    const sample: WithheldTriple[] = [];
    const history = before.probe({
      graphs: ROOT_ONLY,
      pattern: {},
      order: 'SPOG',
      time: { kind: 'all' },
      keys: POSITIONS,
      columns: [],
      counted: true,
    });
    try {
      const request = { graphs: { kind: 'one', graph }, pattern: {}, order: 'SPOG', time: CURRENT } as const;
      for (const batch of readRows(before, { ...request, columns: ['s', 'p', 'o', 'g'] })) {
        throwIfStopped(control, WHAT);
        const quads = inGraph(batch.quads(), ROOT_ID);
        const fresh = withoutOpen(quads, stage.openQuads(quads));
        const withheld = withHistory(history, fresh);
        const rows = Array.from({ length: fresh.rows }, (_, row) => row).filter((row) => !withheld.has(row));
        added += stage.assertIds(pickedQuads(fresh, rows));
        triples += quads.rows - withheld.size;
        suppressed += withheld.size;
        if (withheld.size > 0) addSample(sample, before, pickedQuads(fresh, [...withheld]));
        await breathe();
      }
    } finally {
      history.close();
    }
    return { triples, suppressed, added, sample };
  });
}

/** Both are in the order of s, p, o, and the second is a part of the first. */
function withoutOpen(quads: QuadColumns, open: QuadColumns): QuadColumns {
  if (open.rows === 0) return quads;
  const rows: number[] = [];
  let at = 0;
  for (let row = 0; row < quads.rows; row++) {
    if (at < open.rows && isSameTriple(quads, row, open, at)) at++;
    else rows.push(row);
  }
  return pickedQuads(quads, rows);
}

function isSameTriple(one: QuadColumns, row: number, other: QuadColumns, otherRow: number): boolean {
  return POSITIONS.every((name) => compareIds(one[name], row, other[name], otherRow) === 0);
}

/** Which of some triples have any row in ROOT. */
function withHistory(probe: ProbeCursor, { s, p, o, rows }: QuadColumns): Set<number> {
  const found = new Set<number>();
  if (rows === 0) return found;
  probe.begin([s, p, o], rows);
  for (let batch = probe.next(); batch !== null; batch = probe.next()) {
    for (let row = 0; row < batch.rows; row++) found.add(batch.keys[row] as number);
  }
  return found;
}

function addSample(sample: WithheldTriple[], snapshot: StorageSnapshot, { s, p, o, rows }: QuadColumns): void {
  const wanted = Math.min(rows, SAMPLE_MAX - sample.length);
  if (wanted <= 0) return;
  const [subjects, predicates, objects] = [s, p, o].map((column) => snapshot.decode(column, wanted));
  for (let row = 0; row < wanted; row++) {
    const [subject, predicate, object] = [subjects?.[row], predicates?.[row], objects?.[row]] as Term[];
    sample.push({ subject, predicate, object } as WithheldTriple);
  }
}
