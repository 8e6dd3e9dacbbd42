/** The facts of subjects: of one in a graph by a scan, of many in any set of graphs by one probe. A few blocks are read. */

import { type Control, throwIfStopped } from '../../base/control.js';
import { compareCodePoints } from '../../base/text.js';
import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { columnOf, exactly, readRows } from '../../storage/seam/rows.js';
import type { GraphSet, IdColumn, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';

export interface Fact {
  readonly predicate: Term;
  readonly value: Term;
}

export interface FactScope {
  readonly graph: TermId;
  readonly subject: TermId;
  readonly time: TimeSlice;
}

export interface SubjectFacts {
  /** By predicate and value. */
  readonly facts: readonly Fact[];
  /** True when there are more. */
  readonly cut: boolean;
}

/** By predicate and value, each once; at most so many, taken by id. */
export function readFacts(
  snapshot: StorageSnapshot,
  { graph, subject, time }: FactScope,
  factsMax = Number.POSITIVE_INFINITY,
  control: Control = {},
): { readonly facts: Fact[]; readonly cut: boolean } {
  const facts: TextFact[] = [];
  const graphs = { kind: 'one', graph } as const;
  const pattern = { s: exactly(subject) };
  let cut = false;
  for (const batch of readRows(snapshot, { graphs, pattern, time, columns: ['p', 'o'] })) {
    throwIfStopped(control, 'the reading of an entity');
    const rows = Math.min(batch.rows, factsMax - facts.length);
    facts.push(...decodeFacts(snapshot, batch.column('p'), batch.column('o'), rows));
    cut = rows < batch.rows;
    if (cut) break;
  }
  return { facts: inOrder(facts), cut };
}

interface TextFact extends Fact {
  readonly text: string;
}

function decodeFacts(snapshot: StorageSnapshot, p: IdColumn, o: IdColumn, rows: number): TextFact[] {
  const [predicates, values] = [snapshot.decode(p, rows), snapshot.decode(o, rows)];
  return predicates.map((predicate, row) => {
    const value = values[row] as Term;
    return { predicate, value, text: termToString(value) };
  });
}

function inOrder(facts: TextFact[]): Fact[] {
  facts.sort((a, b) => compareCodePoints(a.predicate.value, b.predicate.value) || compareCodePoints(a.text, b.text));
  return facts.map(({ predicate, value }) => ({ predicate, value }));
}

/** The same for many subjects, each named once; in their order. The set of graphs is one graph, or merged. */
export function readFactsOfEach(
  snapshot: StorageSnapshot,
  { graphs, time }: { readonly graphs: GraphSet; readonly time: TimeSlice },
  subjects: readonly TermId[],
  factsMax = Number.POSITIVE_INFINITY,
): SubjectFacts[] {
  const ascending = subjects
    .map((_, at) => at)
    .sort((a, b) => ((subjects[a] as TermId) < (subjects[b] as TermId) ? -1 : 1));
  const keys = columnOf(ascending.map((at) => subjects[at] as TermId));
  const found = subjects.map(() => ({ facts: [] as TextFact[], cut: false }));
  const probe = snapshot.probe({
    graphs,
    pattern: {},
    order: 'SPOG',
    time,
    keys: ['s'],
    columns: ['p', 'o'],
  });
  try {
    // A subject with more facts than are wanted is left: the probe begins again behind it.
    for (let first = 0; first < subjects.length; ) {
      probe.begin([keys.subarray(2 * first)], subjects.length - first);
      let left: number | null = null;
      for (let batch = probe.next(); batch !== null && left === null; batch = probe.next()) {
        const facts = decodeFacts(snapshot, batch.columns.p as IdColumn, batch.columns.o as IdColumn, batch.rows);
        for (let row = 0; row < batch.rows && left === null; row++) {
          const key = first + (batch.keys[row] as number);
          const of = found[ascending[key] as number] as { facts: TextFact[]; cut: boolean };
          of.cut = of.facts.length >= factsMax;
          if (of.cut) left = key;
          else of.facts.push(facts[row] as TextFact);
        }
      }
      first = left === null ? subjects.length : left + 1;
    }
  } finally {
    probe.close();
  }
  return found.map(({ facts, cut }) => ({ facts: inOrder(facts), cut }));
}
