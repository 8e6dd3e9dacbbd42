/**
 * What one fork holds and another does not, by triples as they are now: a merge of two sorted scans that storage makes, twice over.
 * The differences are sorted by their texts, first what was added, on disk beyond the bound of the sorter; terms are made of a page
 * alone.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { sideOf } from '../../graphs/forks/forks.js';
import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { decodeIds, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { GraphSet } from '../../storage/seam/source.js';
import { LineSorter } from '../documents/line-sorter.js';
import { type PageOptions, windowOf } from './paging.js';

export interface ForkDiffOptions extends PageOptions, Control {}

export interface ForkChange {
  /** `added`: only the second has it. */
  readonly op: 'added' | 'removed';
  readonly subject: Term;
  readonly predicate: Term;
  readonly object: Term;
}

export interface ForkDiff {
  /** Triples that only the second has, and only the first. */
  readonly added: number;
  readonly removed: number;
  /** A page of them, by the texts of subject, predicate and object: what was added first. */
  readonly changes: readonly ForkChange[];
  /** True when there are more. */
  readonly truncated: boolean;
}

const WHAT = 'the comparison';
const TRIPLE = ['s', 'p', 'o'] as const;
const NOTHING: GraphSet = { kind: 'some', graphs: [], merged: true };
/** Sorted before each other as they are written. */
const MARKS = { added: '+', removed: '-' } as const;

export async function diffForks(
  snapshot: StorageSnapshot,
  { a, b }: { readonly a: string; readonly b: string },
  options: ForkDiffOptions,
): Promise<ForkDiff> {
  const { from, to } = windowOf(options);
  const [first, second] = [sideOf(snapshot, a), sideOf(snapshot, b)];
  throwIfStopped(options, WHAT);
  const sorter = new LineSorter(options);
  try {
    const added = await addLines(snapshot, 'added', without(second, first), sorter, options);
    const removed = await addLines(snapshot, 'removed', without(first, second), sorter, options);
    const changes: ForkChange[] = [];
    let passed = 0;
    for await (const batch of sorter.sorted()) {
      if (passed >= to) break;
      const page = batch.slice(Math.max(0, from - passed), to - passed);
      changes.push(...changesOf(snapshot, page));
      passed += batch.length;
    }
    return { added, removed, changes, truncated: added + removed > to };
  } finally {
    await sorter.close();
  }
}

function without(base: GraphSet, removals: GraphSet): GraphSet {
  return { kind: 'overlay', base, additions: NOTHING, removals };
}

/** A line for each triple of a set: its mark, its terms, and their ids, between tabs, which no term holds. */
async function addLines(
  snapshot: StorageSnapshot,
  op: ForkChange['op'],
  graphs: GraphSet,
  sorter: LineSorter,
  control: Control,
): Promise<number> {
  let found = 0;
  for (const batch of readRows(snapshot, { graphs, pattern: {}, time: CURRENT, order: 'SPOG', columns: TRIPLE })) {
    const terms = TRIPLE.map((name) => snapshot.decode(batch.column(name), batch.rows));
    const lines: string[] = [];
    for (let row = 0; row < batch.rows; row++) {
      const texts = terms.map((column) => termToString(column[row] as Term));
      lines.push([MARKS[op], ...texts, ...TRIPLE.map((name) => batch.id(name, row))].join('\t'));
    }
    found += lines.length;
    await sorter.add(lines);
    throwIfStopped(control, WHAT);
    await breathe();
  }
  return found;
}

function changesOf(snapshot: StorageSnapshot, lines: readonly string[]): ForkChange[] {
  const parts = lines.map((line) => line.split('\t'));
  const terms = decodeIds(
    snapshot,
    parts.flatMap((fields) => fields.slice(-TRIPLE.length).map(BigInt)),
  );
  return parts.map(([mark], at) => {
    const first = TRIPLE.length * at;
    const [subject, predicate, object] = terms.slice(first, first + TRIPLE.length) as [Term, Term, Term];
    return { op: mark === MARKS.added ? 'added' : 'removed', subject, predicate, object };
  });
}
