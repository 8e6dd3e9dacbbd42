/**
 * Pages of the current triples of ROOT that match a pattern, in the order of their N-Triples lines. The total
 * comes from the index. Subjects are taken in order and passed over by their counts; only those on the page
 * are read.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import { compareCodePoints } from '../../base/text.js';
import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { patternOf, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { orderedSubjects, type Subject } from '../facts/ordered-subjects.js';
import { subjectIds } from '../facts/subject-ids.js';
import type { TriplePattern } from './fragment-pattern.js';

export interface Triple {
  readonly subject: Term;
  readonly predicate: Term;
  readonly object: Term;
}

export interface Fragment {
  readonly triples: readonly Triple[];
  /** Of all pages. */
  readonly total: number;
}

interface PatternIds {
  readonly s?: TermId | undefined;
  readonly p?: TermId | undefined;
  readonly o?: TermId | undefined;
}

export async function readFragment(
  snapshot: StorageSnapshot,
  pattern: TriplePattern,
  from: number,
  limit: number,
  control: Control,
): Promise<Fragment> {
  const ids = idsOf(snapshot, pattern);
  if (ids === null) return { triples: [], total: 0 };
  const total = snapshot.count({ graphs: ROOT_ONLY, pattern: patternOf(ids), time: CURRENT });
  const to = Math.min(total, from + limit);
  const triples: Triple[] = [];
  if (from >= to) return { triples, total };
  let passed = 0;
  for await (const subjects of subjectsOf(snapshot, pattern, ids, total, control)) {
    for (const subject of subjects) {
      if (passed >= to) return { triples, total };
      const first = Math.max(0, from - passed);
      if (first < subject.rows) {
        triples.push(...triplesOf(snapshot, subject, ids, control).slice(first, to - passed));
      }
      passed += subject.rows;
    }
  }
  return { triples, total };
}

/** Null when the store does not know a term of the pattern. */
function idsOf(snapshot: StorageSnapshot, { subject, predicate, object }: TriplePattern): PatternIds | null {
  const ids = [subject, predicate, object].map((term) => (term === null ? undefined : snapshot.encode(term)));
  if (ids.includes(null)) return null;
  const [s, p, o] = ids as (TermId | undefined)[];
  return { s, p, o };
}

async function* subjectsOf(
  snapshot: StorageSnapshot,
  { subject }: TriplePattern,
  ids: PatternIds,
  total: number,
  control: Control,
): AsyncGenerator<readonly Subject[]> {
  if (subject !== null) yield [{ id: ids.s as TermId, term: subject, key: '', rows: total }];
  else yield* orderedSubjects(snapshot, await subjectIds(snapshot, ids, control), 'ntriples', control);
}

function triplesOf(snapshot: StorageSnapshot, { id, term }: Subject, ids: PatternIds, control: Control): Triple[] {
  const found: (Triple & { readonly text: string })[] = [];
  const pattern = patternOf({ ...ids, s: id });
  for (const batch of readRows(snapshot, { graphs: ROOT_ONLY, pattern, time: CURRENT, columns: ['p', 'o'] })) {
    const predicates = snapshot.decode(batch.column('p'), batch.rows);
    const objects = snapshot.decode(batch.column('o'), batch.rows);
    for (let row = 0; row < batch.rows; row++) {
      const [predicate, object] = [predicates[row] as Term, objects[row] as Term];
      found.push({ subject: term, predicate, object, text: `${termToString(predicate)} ${termToString(object)} .` });
    }
    throwIfStopped(control, 'the listing');
  }
  found.sort((a, b) => compareCodePoints(a.text, b.text));
  return found.map(({ text: _, ...triple }) => triple);
}
