/**
 * Distinct subjects and predicates of ROOT's current rows, exact. They are not counted anew for every state:
 *
 * 1. The manifest has those of the runs (`root`), as of the transaction up to which they are folded. Folds, loads and large
 *    transactions put them there; merges change no fact, and leave them.
 * 2. From figures of one state to those of a later one: the changes of the transactions between name the subjects and
 *    predicates that may have come or gone. Of each the rows are counted, by keys; less its net change they are what it had
 *    before. The work is that of what was written, whatever the store holds. Terms that are new since the first state had
 *    nothing then, and are not looked up.
 * 3. Where so much was written that a pass over the subjects is cheaper, or nothing is known, that is what is done.
 *
 * Every step of a generator is short.
 */

import { ROOT_ID, type TermId, type TxId } from '../ids/layout.js';
import {
  type ChangedRows,
  CURRENT,
  type GraphSet,
  type IdColumn,
  type RootFigures,
  type StorageSnapshot,
} from '../seam/scan.js';

const ROOT: GraphSet = { kind: 'one', graph: ROOT_ID };
const [ROOT_LOW, ROOT_HIGH] = [Number(ROOT_ID & 0xffffffffn), Number(ROOT_ID >> 32n)];
/** Changes up to so many are followed in any store; more of them, where they are a small share of its rows. */
const CHANGES_MIN = 1024;
/** A row of a pass costs so much less than a change that is followed: 5 to 10 ns against 5 to 15 µs. */
const CHANGE_ROWS = 1000;
/** New terms up to so many are followed: more than a fold of small transactions finds, and some 40 MB of them. */
const NEW_MAX = 262_144;
/** Terms that are looked up in a step. */
const TERMS_AT_ONCE = 64;

/** Net changes of rows by term. */
interface Net {
  readonly known: Map<TermId, number>;
  /** Of terms that are new, by their numbers. */
  readonly fresh: Map<number, number>;
}

/**
 * Figures of the newest state of a snapshot; `known` those of an earlier one, and `newFrom` the number from which on terms
 * are new since then.
 */
export function* rootFigures(
  snapshot: StorageSnapshot,
  known: RootFigures | null,
  newFrom = Number.POSITIVE_INFINITY,
): Generator<void, RootFigures> {
  const { tx } = snapshot;
  if (known?.tx === tx) return known;
  const changed = known === null || known.tx > tx ? null : yield* changesSince(snapshot, known.tx, newFrom);
  if (known === null || changed === null) {
    const subjects = yield* countSubjects(snapshot, ROOT);
    return { tx, subjects, predicates: predicatesOf(snapshot, ROOT).length };
  }
  const subjects = known.subjects + (yield* came(snapshot, 's', changed.subjects));
  const predicates = known.predicates + (yield* came(snapshot, 'p', changed.predicates));
  return { tx, subjects, predicates };
}

interface Changed {
  readonly subjects: Net;
  readonly predicates: Net;
}

const noChange = (): Net => ({ known: new Map(), fresh: new Map() });

/** Null when there are so many that a pass is cheaper. */
function* changesSince(snapshot: StorageSnapshot, since: TxId, newFrom: number): Generator<void, Changed | null> {
  if (snapshot.changes === undefined) return null;
  const rows = snapshot.count({ graphs: ROOT, pattern: {}, time: CURRENT });
  const most = Math.max(CHANGES_MIN, rows / CHANGE_ROWS);
  const changed: Changed = { subjects: noChange(), predicates: noChange() };
  for (let tx = since + 1; tx <= snapshot.tx; tx++) {
    for (const batch of snapshot.changes(tx, ROOT_ID)) {
      note(changed, batch, newFrom);
      const { known, fresh } = changed.subjects;
      if (known.size > most || fresh.size > NEW_MAX) return null;
    }
    if (tx % TERMS_AT_ONCE === 0) yield;
  }
  return changed;
}

function note(
  { subjects, predicates }: Changed,
  { op, rows, columns: { s, p, g } }: ChangedRows,
  newFrom: number,
): void {
  const sign = op === 'assert' ? 1 : -1;
  for (let row = 0; row < rows; row++) {
    if (g[2 * row] !== ROOT_LOW || g[2 * row + 1] !== ROOT_HIGH) continue;
    add(subjects, s, row, newFrom, sign);
    add(predicates, p, row, newFrom, sign);
  }
}

/** Subjects and predicates are terms of the dictionary: new ones are known by their numbers, so that no BigInt is made. */
function add({ known, fresh }: Net, column: IdColumn, row: number, newFrom: number, sign: number): void {
  const [low, high] = [column[2 * row] as number, column[2 * row + 1] as number];
  const number = (high & 0xffff) * 2 ** 32 + low;
  if (number >= newFrom) fresh.set(number, (fresh.get(number) ?? 0) + sign);
  else {
    const id = idAt(column, row);
    known.set(id, (known.get(id) ?? 0) + sign);
  }
}

function idAt(column: IdColumn, row: number): TermId {
  return ((BigInt(column[2 * row + 1] as number) << 32n) | BigInt(column[2 * row] as number)) as TermId;
}

/** How many more terms have rows now than before their changes. */
function* came(snapshot: StorageSnapshot, position: 's' | 'p', { known, fresh }: Net): Generator<void, number> {
  let [more, done] = [0, 0];
  for (const change of fresh.values()) more += Number(change > 0);
  for (const [id, change] of known) {
    // Rows that were closed and opened again: whatever it had, it has as much now.
    if (change !== 0) {
      const now = snapshot.count({ graphs: ROOT, pattern: { [position]: { kind: 'id', id } }, time: CURRENT });
      more += Number(now > 0) - Number(now - change > 0);
    }
    if (++done % TERMS_AT_ONCE === 0) yield;
  }
  return more;
}

/** By a pass over the column of subjects. */
export function* countSubjects(snapshot: StorageSnapshot, graphs: GraphSet): Generator<void, number> {
  const cursor = snapshot.scan({ graphs, pattern: {}, order: 'SPOG', time: CURRENT, columns: ['s'] });
  let [subjects, low, high] = [0, 0, 0];
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const { selection } = batch;
      const ids = batch.columns.s as Uint32Array;
      const rows = selection?.length ?? batch.rows;
      for (let at = 0; at < rows; at++) {
        const row = selection === null ? at : (selection[at] as number);
        // No id has both halves 0.
        if (ids[2 * row] === low && ids[2 * row + 1] === high) continue;
        [low, high] = [ids[2 * row] as number, ids[2 * row + 1] as number];
        subjects++;
      }
      yield;
    }
  } finally {
    cursor.close();
  }
  return subjects;
}

/** Predicates with current rows; the planner's figures may name some that have none any more. */
export function predicatesOf(snapshot: StorageSnapshot, graphs: GraphSet): TermId[] {
  return snapshot
    .predicates(graphs)
    .map(({ predicate }) => predicate as TermId)
    .filter((id) => hasRow(snapshot, graphs, id));
}

/** A count would read all rows of a large stage. */
function hasRow(snapshot: StorageSnapshot, graphs: GraphSet, id: TermId): boolean {
  const cursor = snapshot.scan({ graphs, pattern: { p: { kind: 'id', id } }, time: CURRENT, columns: [] });
  try {
    return cursor.next() !== null;
  } finally {
    cursor.close();
  }
}
