/**
 * The text of an entity, of which its vector is made. It is made of the facts of ROOT: the newest `rdfs:label`, the newest
 * `rdfs:comment`, `type: ` and the local names of its types in the order of their IRIs, then the other literals by
 * predicate and lexical form; joined with `. `. Of labels, and of comments, that one transaction wrote, the first by lexical
 * form and language counts. Facts whose object is an IRI add nothing. An activity has no text.
 */

import { hash } from 'node:crypto';
import { compareCodePoints } from '../../../base/text.js';
import { RDF_NS, RDFS, type Term, terms } from '../../../rdf/terms.js';
import { compareHalves, tagOfHigh } from '../../ids/halves.js';
import { isInlinedTag, OPEN_HALVES, TAG, type TermId, type TxId } from '../../ids/layout.js';
import { columnOf, idIn, ROOT_ONLY, txIn } from '../../seam/rows.js';
import type { IdColumn, StorageSnapshot, TimeSlice } from '../../seam/scan.js';

const TYPE = terms.namedNode(`${RDF_NS}type`);
const LABEL = terms.namedNode(`${RDFS}label`);
const COMMENT = terms.namedNode(`${RDFS}comment`);
const ACTIVITY = 'http://www.w3.org/ns/prov#Activity';
const SEPARATOR = '. ';

export interface EntityText {
  readonly entity: TermId;
  readonly text: string;
  /** The first 64 bits of its SHA-256. */
  readonly hash: bigint;
}

/** A fact that enters the text. */
export interface TextFact {
  readonly predicate: string;
  readonly object: Term;
  readonly from: TxId;
  /** Null = open. */
  readonly to: TxId | null;
}

export function hashOfText(text: string): bigint {
  return hash('sha256', text, 'buffer').readBigUInt64LE(0);
}

/**
 * The texts of some entities, each of them once, those that have one, in the order of their ids. A text of no letters
 * counts as none.
 */
export function textsOf(snapshot: StorageSnapshot, entities: readonly TermId[], time: TimeSlice): EntityText[] {
  const found: EntityText[] = [];
  for (const [entity, facts] of factsOf(snapshot, entities, time)) {
    const text = textOf(facts);
    if (text !== '') found.push({ entity, text, hash: hashOfText(text) });
  }
  return found;
}

/** The facts of some entities that enter their texts, or keep them from having one; by the order of their ids. */
export function factsOf(
  snapshot: StorageSnapshot,
  entities: readonly TermId[],
  time: TimeSlice,
): Map<TermId, TextFact[]> {
  const sorted = [...new Set(entities)].sort((a, b) => (a < b ? -1 : 1));
  const facts = new Map<TermId, TextFact[]>();
  if (sorted.length === 0) return facts;
  const type = snapshot.encode(TYPE);
  const rows = rowsOf(snapshot, sorted, time, type);
  const predicates = snapshot.decode(columnOf(rows.map(({ p }) => p)), rows.length);
  const objects = snapshot.decode(columnOf(rows.map(({ o }) => o)), rows.length);
  for (const [at, { key, from, to }] of rows.entries()) {
    const entity = sorted[key] as TermId;
    const own = facts.get(entity) ?? [];
    if (own.length === 0) facts.set(entity, own);
    own.push({ predicate: (predicates[at] as Term).value, object: objects[at] as Term, from, to });
  }
  return facts;
}

interface FactRow {
  readonly key: number;
  readonly p: TermId;
  readonly o: TermId;
  readonly from: TxId;
  readonly to: TxId | null;
}

/** Literals, and types. */
function rowsOf(
  snapshot: StorageSnapshot,
  sorted: readonly TermId[],
  time: TimeSlice,
  type: TermId | null,
): readonly FactRow[] {
  const rows: FactRow[] = [];
  const probe = snapshot.probe({
    graphs: ROOT_ONLY,
    pattern: {},
    order: 'SPOG',
    time,
    keys: ['s'],
    columns: ['p', 'o', 'txFrom', 'txTo'],
  });
  try {
    probe.begin([columnOf(sorted)], sorted.length);
    for (let batch = probe.next(); batch !== null; batch = probe.next()) {
      const { p, o, txFrom, txTo } = batch.columns as Readonly<Record<'p' | 'o' | 'txFrom' | 'txTo', IdColumn>>;
      for (let row = 0; row < batch.rows; row++) {
        const predicate = idIn(p, row);
        if (!isLiteral(o[2 * row + 1] as number) && predicate !== type) continue;
        const isOpen = txTo[2 * row] === OPEN_HALVES && txTo[2 * row + 1] === OPEN_HALVES;
        const [from, to] = [txIn(txFrom, row), isOpen ? null : txIn(txTo, row)];
        rows.push({ key: batch.keys[row] as number, p: predicate, o: idIn(o, row), from, to });
      }
    }
  } finally {
    probe.close();
  }
  return rows;
}

function isLiteral(high: number): boolean {
  const tag = tagOfHigh(high);
  return isInlinedTag(tag) || (tag !== TAG.blank && tag !== TAG.iri && tag !== TAG.triple);
}

/** The text of facts that hold at once. */
export function textOf(facts: readonly TextFact[]): string {
  const types = new Set<string>();
  const others: TextFact[] = [];
  let [label, comment]: (TextFact | null)[] = [null, null];
  for (const fact of facts) {
    const { predicate, object } = fact;
    if (predicate === TYPE.value && object.termType !== 'Literal') {
      if (object.termType === 'NamedNode') types.add(object.value);
    } else if (object.termType !== 'Literal') continue;
    else if (predicate === LABEL.value) label = newer(label, fact);
    else if (predicate === COMMENT.value) comment = newer(comment, fact);
    else others.push(fact);
  }
  if (types.has(ACTIVITY)) return '';
  const seen = new Set<string>();
  const distinct = others.filter((fact) => seen.size < seen.add(termKey(fact)).size);
  const parts = [label, comment].flatMap((fact) => (fact === null ? [] : [fact.object.value]));
  const names = [...types].sort(compareCodePoints).map(localName);
  if (names.length > 0) parts.push(`type: ${names.join(', ')}`);
  distinct.sort(
    (a, b) => compareCodePoints(a.predicate, b.predicate) || compareCodePoints(a.object.value, b.object.value),
  );
  for (const { object } of distinct) parts.push(object.value);
  return parts.join(SEPARATOR);
}

function newer(known: TextFact | null, fact: TextFact): TextFact {
  if (known === null || fact.from > known.from) return fact;
  if (fact.from < known.from) return known;
  return compareCodePoints(wordsOf(fact), wordsOf(known)) < 0 ? fact : known;
}

const wordsOf = ({ object }: TextFact): string =>
  `${object.value}\u0000${object.termType === 'Literal' ? object.language : ''}`;

/** A fact that holds through several rows is one. */
const termKey = (fact: TextFact): string =>
  `${fact.predicate}\u0000${wordsOf(fact)}\u0000${fact.object.termType === 'Literal' ? fact.object.datatype.value : ''}`;

export function localName(iri: string): string {
  const at = Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/'), iri.lastIndexOf(':'));
  return iri.slice(at + 1) || iri;
}

/** The transaction that last changed the text that facts make now, which is `now`. `facts`: those of all times. */
export function lastTextChange(facts: readonly TextFact[], now: string): TxId {
  const changes = [...new Set(facts.flatMap(({ from, to }) => (to === null ? [from] : [from, to])))];
  const [first] = changes;
  // Mostly one transaction wrote all, and before it there was no text.
  if (changes.length === 1) return now === '' ? 0 : (first as TxId);
  const asOf = (tx: TxId): string => textOf(facts.filter(({ from, to }) => from <= tx && (to === null || to > tx)));
  changes.sort((a, b) => b - a);
  return changes.find((tx) => asOf(tx - 1) !== now) ?? 0;
}

/** Each of some ids once, ascending, from a column. */
export function distinctIds(column: IdColumn, rows: number, into: Set<TermId>): void {
  for (let row = 0; row < rows; row++) {
    const isRepeated =
      row > 0 &&
      compareHalves(
        column[2 * row] as number,
        column[2 * row + 1] as number,
        column[2 * row - 2] as number,
        column[2 * row - 1] as number,
      ) === 0;
    if (!isRepeated) into.add(idIn(column, row));
  }
}
