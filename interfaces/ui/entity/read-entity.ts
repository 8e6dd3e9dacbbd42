/**
 * What the store says of an entity, by queries, a page at a time, for the time and the graph that are looked at.
 *
 * 1. Predicates and the number of their values, in one query for each direction.
 * 2. The first values of all predicates that are shown, in one query, whatever their number; more of one predicate on demand.
 * 3. A long literal is cut by the server (`VALUE_CHARACTERS`), with its length and a digest by which the rest is asked for, so
 *    that the tab never holds it whole.
 * A blank node has no name in queries: what is known of it comes as JSON-LD, from ROOT.
 */

import type { Row, Term } from '../../../clients/typescript/src/index.js';
import { iriRef, stringLiteral } from '../parts/turtle.js';
import type { ScopeFields } from '../wire/scope.js';
import type { Server } from '../wire/server.js';

export const VALUES_FIRST = 10;
/** For each "more". */
export const VALUES_MORE = 50;
/** Predicates in one view. An entity with more says so. */
export const PREDICATES_MAX = 500;
/** Predicates of a query: what is asked together has to stay a query of moderate length. */
const PREDICATES_AT_ONCE = 60;
/** Of a literal that come at first; a longer one comes piece by piece. */
export const VALUE_CHARACTERS = 5_000;

export type Direction = 'out' | 'in';

export interface Reading {
  readonly server: Server;
  readonly iri: string;
  readonly fields: ScopeFields;
  readonly signal: AbortSignal;
}

/** The rest of a literal that the server has cut. */
export interface CutOff {
  /** In code points, of the whole. */
  readonly characters: number;
  readonly digest: string;
}

export interface Value {
  /** The value; of an incoming fact its subject. Of a literal that was cut, its beginning. */
  readonly term: Term;
  readonly cutOff: CutOff | null;
}

export interface Property {
  readonly predicate: string;
  /** Of all its values. */
  readonly count: number;
  /** Those that are here, from the first on. */
  readonly values: readonly Value[];
}

export interface Properties {
  readonly properties: readonly Property[];
  /** There are more than `PREDICATES_MAX` predicates. */
  readonly isCut: boolean;
}

export function isBlank(iri: string): boolean {
  return iri.startsWith('_:');
}

async function rowsOf(query: string, { server, fields, signal }: Reading): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of server.client.rows(query, fields, { signal })) rows.push(row);
  return rows;
}

function pattern({ iri }: Reading, direction: Direction, predicate: string, value: string): string {
  return direction === 'out' ? `${iriRef(iri)} ${predicate} ${value}` : `${value} ${predicate} ${iriRef(iri)}`;
}

/** Every predicate, each with its first values. */
export async function readProperties(reading: Reading, direction: Direction): Promise<Properties> {
  if (isBlank(reading.iri)) return direction === 'out' ? readBlank(reading) : { properties: [], isCut: false };
  const where = pattern(reading, direction, '?p', '?v');
  const counted = await rowsOf(
    `SELECT ?p (COUNT(*) AS ?n) WHERE { ${where} } GROUP BY ?p ORDER BY ?p LIMIT ${PREDICATES_MAX + 1}`,
    reading,
  );
  const predicates = counted
    .slice(0, PREDICATES_MAX)
    .flatMap(({ p, n }) =>
      p?.type === 'uri' && n?.type === 'literal' ? [{ predicate: p.value, count: Number(n.value) }] : [],
    );
  const values = new Map<string, Value[]>();
  for (let from = 0; from < predicates.length; from += PREDICATES_AT_ONCE) {
    await readFirst(reading, direction, predicates.slice(from, from + PREDICATES_AT_ONCE), values);
  }
  const properties = predicates.map(({ predicate, count }) => ({
    predicate,
    count,
    values: values.get(predicate) ?? [],
  }));
  return { properties, isCut: counted.length > PREDICATES_MAX };
}

async function readFirst(
  reading: Reading,
  direction: Direction,
  predicates: readonly { readonly predicate: string; readonly count: number }[],
  values: Map<string, Value[]>,
): Promise<void> {
  const small = predicates.filter(({ count }) => count <= VALUES_FIRST).map(({ predicate }) => iriRef(predicate));
  const where = pattern(reading, direction, '?p', '?v');
  const parts = [
    ...(small.length === 0 ? [] : [`{ VALUES ?p { ${small.join(' ')} } ${where} }`]),
    ...predicates
      .filter(({ count }) => count > VALUES_FIRST)
      .map(({ predicate }) => page(reading, direction, predicate, 0, VALUES_FIRST)),
  ];
  for (const row of await rowsOf(withCut(parts.join(' UNION ')), reading)) {
    if (row.p?.type !== 'uri') continue;
    const known = values.get(row.p.value);
    const value = toValue(row);
    if (known === undefined) values.set(row.p.value, [value]);
    else known.push(value);
  }
}

/** The values of a predicate from the one numbered `offset` on. */
export async function readMore(
  reading: Reading,
  direction: Direction,
  predicate: string,
  offset: number,
): Promise<Value[]> {
  const rows = await rowsOf(withCut(page(reading, direction, predicate, offset, VALUES_MORE)), reading);
  return rows.map(toValue);
}

function page(reading: Reading, direction: Direction, predicate: string, offset: number, limit: number): string {
  const where = pattern(reading, direction, '?p', '?v');
  return `{ SELECT ?p ?v WHERE { VALUES ?p { ${iriRef(predicate)} } ${where} } ORDER BY ?v LIMIT ${limit} OFFSET ${offset} }`;
}

function withCut(where: string): string {
  return `SELECT ?p ?o ?size ?digest ?language ?type WHERE { ${where}
  BIND(IF(ISLITERAL(?v), STRLEN(STR(?v)), 0) AS ?size)
  BIND(?size > ${VALUE_CHARACTERS} AS ?long)
  BIND(IF(?long, SUBSTR(STR(?v), 1, ${VALUE_CHARACTERS}), ?v) AS ?o)
  BIND(IF(?long, SHA256(STR(?v)), ?none) AS ?digest)
  BIND(IF(?long, LANG(?v), ?none) AS ?language)
  BIND(IF(?long, DATATYPE(?v), ?none) AS ?type)
}`;
}

function toValue({ o, size, digest, language, type }: Row): Value {
  if (o === undefined) throw new Error('the server left a value out');
  if (digest === undefined || o.type !== 'literal') return { term: o, cutOff: null };
  const tag = textOf(language);
  const term: Term = {
    type: 'literal',
    value: o.value,
    ...(tag === '' ? { datatype: textOf(type) } : { 'xml:lang': tag }),
  };
  return { term, cutOff: { characters: Number(textOf(size)), digest: textOf(digest) } };
}

function textOf(term: Term | undefined): string {
  return term === undefined || term.type === 'triple' ? '' : term.value;
}

/** `length` characters of a long literal, from the one numbered `from` (the first: 1) on. */
export async function readPiece(
  reading: Reading,
  predicate: string,
  { digest }: CutOff,
  { from, length }: { readonly from: number; readonly length: number },
): Promise<string> {
  const rows = await rowsOf(
    `SELECT (SUBSTR(STR(?v), ${from}, ${length}) AS ?piece) WHERE { ${pattern(reading, 'out', iriRef(predicate), '?v')}
  FILTER(ISLITERAL(?v) && STRLEN(STR(?v)) > ${VALUE_CHARACTERS} && SHA256(STR(?v)) = ${stringLiteral(digest)}) } LIMIT 1`,
    reading,
  );
  const piece = rows[0]?.piece;
  if (piece?.type !== 'literal') throw new Error('This value is not there any more: load the page again.');
  return piece.value;
}

/** Values of expanded JSON-LD. */
interface JsonLdValue {
  readonly '@id'?: string;
  readonly '@value'?: unknown;
  readonly '@type'?: string;
  readonly '@language'?: string;
}

const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

async function readBlank({ server, iri, fields, signal }: Reading): Promise<Properties> {
  if (fields.graph !== undefined) {
    throw new Error(
      'A blank node can be looked at in the graph root alone: choose root above, or a node that leads to it.',
    );
  }
  const parameters = new URLSearchParams({ expanded: 'true' });
  if (fields.valid_at !== undefined) parameters.set('valid_at', fields.valid_at);
  if (fields.tx !== undefined) parameters.set('tx', String(fields.tx));
  const response = await server.fetch(`${server.entityUrl(iri)}/json?${parameters}`, { signal });
  if (response.status === 404) return { properties: [], isCut: false };
  const body = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${response.status}: ${String(body.error)}`);
  const properties: Property[] = [];
  for (const [name, given] of Object.entries(body)) {
    if (name === '@id' || !Array.isArray(given)) continue;
    const values = given.map((one: unknown): Value => ({ term: termOfJsonLd(one), cutOff: null }));
    properties.push({ predicate: name === '@type' ? RDF_TYPE : name, count: values.length, values });
  }
  return { properties, isCut: false };
}

function termOfJsonLd(given: unknown): Term {
  if (typeof given === 'string') return nodeOf(given);
  const { '@id': id, '@value': value, '@type': datatype, '@language': language } = given as JsonLdValue;
  if (id !== undefined) return nodeOf(id);
  return {
    type: 'literal',
    value: String(value),
    ...(language === undefined ? {} : { 'xml:lang': language }),
    ...(datatype === undefined ? {} : { datatype }),
  };
}

function nodeOf(id: string): Term {
  return isBlank(id) ? { type: 'bnode', value: id.slice(2) } : { type: 'uri', value: id };
}

export interface InGraph {
  readonly graph: string;
  readonly facts: number;
}

const GRAPHS_MAX = 50;

/** Named graphs that say something of it, those with the most facts first. */
export async function readGraphs(reading: Reading): Promise<readonly InGraph[]> {
  if (isBlank(reading.iri)) return [];
  const { graph: _, ...time } = reading.fields;
  const rows = await rowsOf(
    `SELECT ?g (COUNT(*) AS ?n) WHERE { GRAPH ?g { ${iriRef(reading.iri)} ?p ?o } } GROUP BY ?g ORDER BY DESC(?n) ?g LIMIT ${GRAPHS_MAX}`,
    { ...reading, fields: time },
  );
  return rows.flatMap(({ g, n }) =>
    g?.type === 'uri' && n?.type === 'literal' ? [{ graph: g.value, facts: Number(n.value) }] : [],
  );
}
