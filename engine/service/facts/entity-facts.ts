/** The facts of one subject in one graph: a few blocks are read. */

import { compareCodePoints } from '../../base/text.js';
import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/scan.js';
import { exactly } from './entity.js';
import { readRows } from './rows.js';

export interface Fact {
  readonly predicate: Term;
  readonly value: Term;
}

export interface FactScope {
  readonly graph: TermId;
  readonly subject: TermId;
  readonly time: TimeSlice;
}

/** By predicate and value, each once; at most so many, taken by id. */
export function readFacts(
  snapshot: StorageSnapshot,
  { graph, subject, time }: FactScope,
  factsMax = Number.POSITIVE_INFINITY,
): { readonly facts: Fact[]; readonly cut: boolean } {
  const facts: (Fact & { readonly text: string })[] = [];
  const graphs = { kind: 'one', graph } as const;
  const pattern = { s: exactly(subject) };
  let cut = false;
  for (const batch of readRows(snapshot, { graphs, pattern, time, columns: ['p', 'o'] })) {
    const rows = Math.min(batch.rows, factsMax - facts.length);
    const predicates = snapshot.decode(batch.column('p'), rows);
    const values = snapshot.decode(batch.column('o'), rows);
    for (let row = 0; row < rows; row++) {
      const value = values[row] as Term;
      facts.push({ predicate: predicates[row] as Term, value, text: termToString(value) });
    }
    cut = rows < batch.rows;
    if (cut) break;
  }
  facts.sort((a, b) => compareCodePoints(a.predicate.value, b.predicate.value) || compareCodePoints(a.text, b.text));
  return { facts: facts.map(({ predicate, value }) => ({ predicate, value })), cut };
}
