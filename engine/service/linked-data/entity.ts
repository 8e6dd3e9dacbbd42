/** One entity of ROOT, with its facts at a moment and some of the entities that name it. Reads a few blocks. */

import { type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { compareCodePoints, localPart } from '../../base/text.js';
import { type BlankNode, type Literal, type NamedNode, RDF_NS, RDFS, type Term } from '../../rdf/terms.js';
import { LABEL_PREDICATES } from '../../search/labels/label-predicates.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import { exactly, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { entityText, toEntity } from '../facts/entity.js';
import { type Fact, readFacts } from '../facts/entity-facts.js';

export const RDF_TYPE = `${RDF_NS}type`;
const LABEL = `${RDFS}label`;
const COMMENT = `${RDFS}comment`;

export interface Entity {
  readonly id: TermId;
  readonly term: NamedNode | BlankNode;
  /** By predicate and value. */
  readonly facts: readonly Fact[];
  /** True when it has more. */
  readonly cut: boolean;
}

/** A fact that has the entity as its value. */
export interface Reference {
  readonly subject: Term;
  readonly predicate: Term;
}

/** Throws `not_found` when the entity is in no fact of the moment, neither as subject nor as value. */
export function readEntity(
  snapshot: StorageSnapshot,
  iri: string,
  time: TimeSlice,
  factsMax = Number.POSITIVE_INFINITY,
  control: Control = {},
): Entity {
  const term = toEntity(iri, 'iri');
  const subject = snapshot.encode(term);
  if (subject !== null) {
    const { facts, cut } = readFacts(snapshot, { graph: ROOT_ID, subject, time }, factsMax, control);
    if (facts.length > 0 || isNamed(snapshot, subject, time)) return { id: subject, term, facts, cut };
  }
  throw new SvcError('not_found', `entity not found: ${entityText(term)}`);
}

function isNamed(snapshot: StorageSnapshot, entity: TermId, time: TimeSlice): boolean {
  const cursor = snapshot.scan({ graphs: ROOT_ONLY, pattern: { o: exactly(entity) }, time, columns: [] });
  try {
    return cursor.next() !== null;
  } finally {
    cursor.close();
  }
}

/** By predicate and subject; at most so many, taken by id. */
export function readReferences(
  snapshot: StorageSnapshot,
  entity: TermId,
  time: TimeSlice,
  referencesMax: number,
  control: Control = {},
): { readonly references: readonly Reference[]; readonly cut: boolean } {
  const references: Reference[] = [];
  const request = { graphs: ROOT_ONLY, pattern: { o: exactly(entity) }, time, columns: ['s', 'p'] } as const;
  let cut = false;
  for (const batch of readRows(snapshot, request)) {
    throwIfStopped(control, 'the reading of an entity');
    const rows = Math.min(batch.rows, referencesMax - references.length);
    const subjects = snapshot.decode(batch.column('s'), rows);
    const predicates = snapshot.decode(batch.column('p'), rows);
    for (let row = 0; row < rows; row++) {
      references.push({ subject: subjects[row] as Term, predicate: predicates[row] as Term });
    }
    cut = rows < batch.rows;
    if (cut) break;
  }
  references.sort(
    (a, b) =>
      compareCodePoints(a.predicate.value, b.predicate.value) ||
      compareCodePoints(entityText(a.subject), entityText(b.subject)),
  );
  return { references, cut };
}

export function labelOf({ term, facts }: Entity): string {
  const own = LABEL_PREDICATES.map((predicate) => textOf(facts, predicate)).find((text) => text !== null);
  return own ?? (term.termType === 'BlankNode' ? entityText(term) : localPart(term.value));
}

export function descriptionOf({ facts }: Entity): string | null {
  return textOf(facts, COMMENT);
}

export function typesOf({ facts }: Entity): readonly string[] {
  const types = facts.filter(({ predicate, value }) => predicate.value === RDF_TYPE && value.termType === 'NamedNode');
  return types.map(({ value }) => value.value);
}

/** Facts that neither label nor type nor description shows already. */
export function propertiesOf({ facts }: Entity): readonly Fact[] {
  return facts.filter(({ predicate }) => ![RDF_TYPE, LABEL, COMMENT].includes(predicate.value));
}

/** A text of a predicate: one without a language before an English one, before any other. */
function textOf(facts: readonly Fact[], predicate: string): string | null {
  const literals = facts
    .filter((fact) => fact.predicate.value === predicate && fact.value.termType === 'Literal')
    .map(({ value }) => value as Literal);
  const rank = ({ language }: Literal): number => (language === '' ? 0 : /^en\b/.test(language) ? 1 : 2);
  return [...literals].sort((a, b) => rank(a) - rank(b))[0]?.value ?? null;
}
