/**
 * Functional properties at a write: of each subject and graph, which values it has asserted and which stand. One distinct
 * new value takes the place of the others; several are a contradiction.
 */

import type { TermId } from '../../storage/ids/layout.js';
import type { QuadColumns } from '../../storage/seam/engine.js';
import { columnOf, idIn, patternOf, readIds } from '../../storage/seam/rows.js';
import { type ChangedRows, CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { Ontology } from './ontology.js';
import { TermIndexes } from './term-indexes.js';

/** What a write has asserted of one functional property of a subject in a graph. */
export interface AssertedValues {
  readonly graph: TermId;
  readonly subject: TermId;
  readonly predicate: TermId;
  readonly property: number;
  /** Distinct values that were not there before. */
  readonly values: ReadonlySet<TermId>;
}

export function assertedValues(
  ontology: Ontology,
  snapshot: StorageSnapshot,
  changes: Iterable<ChangedRows>,
): AssertedValues[] {
  if (ontology.functional.size === 0) return [];
  const indexes = new TermIndexes(ontology, snapshot);
  const found = new Map<string, AssertedValues & { readonly values: Set<TermId> }>();
  for (const { op, rows, columns } of changes) {
    if (op !== 'assert') continue;
    const { s, p, o, g } = columns;
    for (let row = 0; row < rows; row++) {
      const property = indexes.property(p[2 * row] as number, p[2 * row + 1] as number);
      if (property < 0 || !ontology.isFunctional(property)) continue;
      const [graph, subject] = [idIn(g, row), idIn(s, row)];
      const key = `${graph} ${subject} ${property}`;
      const known = found.get(key) ?? { graph, subject, predicate: idIn(p, row), property, values: new Set() };
      known.values.add(idIn(o, row));
      found.set(key, known);
    }
  }
  return [...found.values()];
}

/** The current values of a subject's property in a graph. */
export function currentValues(
  snapshot: StorageSnapshot,
  { graph, subject, predicate }: Pick<AssertedValues, 'graph' | 'subject' | 'predicate'>,
): Set<TermId> {
  const pattern = patternOf({ s: subject, p: predicate });
  return new Set(readIds(snapshot, { graphs: { kind: 'one', graph }, pattern, time: CURRENT }, 'o'));
}

/** The values that new ones take the place of. */
export function supersededValues(snapshot: StorageSnapshot, asserted: readonly AssertedValues[]): QuadColumns {
  const quads: [s: TermId, p: TermId, o: TermId, g: TermId][] = [];
  for (const one of asserted) {
    if (one.values.size !== 1) continue;
    for (const value of currentValues(snapshot, one)) {
      if (!one.values.has(value)) quads.push([one.subject, one.predicate, value, one.graph]);
    }
  }
  const column = (at: 0 | 1 | 2 | 3) => columnOf(quads.map((quad) => quad[at]));
  return { rows: quads.length, s: column(0), p: column(1), o: column(2), g: column(3) };
}
