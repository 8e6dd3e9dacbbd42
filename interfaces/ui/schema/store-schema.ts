/** What the store says of its classes and predicates: each question is one query with a page, so that no number of classes is too many. */

import type { Row } from '../../../clients/typescript/src/index.js';
import type { ScopeFields } from '../wire/scope.js';
import type { Server } from '../wire/server.js';
import { OWL, RDFS } from './shapes-graph.js';

/** Entries of a page; one more is asked for, to know whether there is another. */
export const PAGE = 200;

export interface Asked {
  readonly server: Server;
  readonly scope: ScopeFields;
  readonly signal: AbortSignal;
}

export interface ClassEntry {
  readonly iri: string;
  /** Instances that are said to be of it itself. */
  readonly instances: number;
  readonly hasSubclasses: boolean;
}

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

export interface PredicateEntry {
  readonly iri: string;
  readonly statements: number;
}

const SUB = `<${RDFS}subClassOf>`;
const ANY_CLASS = `{ { ?s a ?class } UNION { ?x ${SUB} ?class } UNION { ?class ${SUB} ?y } UNION { ?class a <${RDFS}Class> } UNION { ?class a <${OWL}Class> } FILTER(isIRI(?class)) }`;

const page = (offset: number): string => `LIMIT ${PAGE + 1} OFFSET ${offset}`;

/** A text as a literal of SPARQL. */
const quoted = (text: string): string => JSON.stringify(text);

/** What no IRI holds; written as an escape it would end one all the same. */
const NO_IRI = /[\s<>"{}|\\^`]|\p{Cc}/u;

/** An IRI as SPARQL writes it. An address may name anything. */
export function ref(iri: string): string {
  if (NO_IRI.test(iri) || !iri.includes(':')) throw new Error(`${JSON.stringify(iri.slice(0, 200))} is no IRI`);
  return `<${iri}>`;
}

async function select(query: string, { server, scope, signal }: Asked): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of server.client.rows(query, { ...scope, inference: false }, { signal })) rows.push(row);
  return rows;
}

function iriIn(row: Row, name: string): string {
  const term = row[name];
  return term?.type === 'uri' ? term.value : '';
}

const numberIn = (row: Row, name: string): number => Number(row[name]?.value ?? 0);

/** Classes without one above them. */
export function rootClasses(offset: number, asked: Asked): Promise<Page<ClassEntry>> {
  const above = `FILTER NOT EXISTS { ?class ${SUB} ?up FILTER(isIRI(?up) && ?up != ?class && ?up != <${OWL}Thing>) }`;
  return classes(`SELECT DISTINCT ?class ${ANY_CLASS.slice(0, -1)} ${above} } ORDER BY ?class ${page(offset)}`, asked);
}

export function subclasses(of: string, offset: number, asked: Asked): Promise<Page<ClassEntry>> {
  return classes(
    `SELECT DISTINCT ?class { ?class ${SUB} ${ref(of)} FILTER(isIRI(?class) && ?class != ${ref(of)}) } ORDER BY ?class ${page(offset)}`,
    asked,
  );
}

/** Classes whose IRI has a text in it, whatever stands above them. */
export function foundClasses(text: string, offset: number, asked: Asked): Promise<Page<ClassEntry>> {
  const has = `FILTER(CONTAINS(LCASE(STR(?class)), ${quoted(text.toLowerCase())}))`;
  return classes(`SELECT DISTINCT ?class ${ANY_CLASS.slice(0, -1)} ${has} } ORDER BY ?class ${page(offset)}`, asked);
}

/** The classes with the most instances first. */
export async function classesByInstances(offset: number, asked: Asked): Promise<Page<ClassEntry>> {
  const rows = await select(
    `SELECT ?class (COUNT(*) AS ?n) { ?s a ?class FILTER(isIRI(?class)) } GROUP BY ?class ORDER BY DESC(?n) ?class ${page(offset)}`,
    asked,
  );
  const entries = rows
    .slice(0, PAGE)
    .map((row) => ({ iri: iriIn(row, 'class'), instances: numberIn(row, 'n'), hasSubclasses: false }));
  return { entries, hasMore: rows.length > PAGE };
}

async function classes(query: string, asked: Asked): Promise<Page<ClassEntry>> {
  const rows = await select(query, asked);
  const iris = rows.slice(0, PAGE).map((row) => iriIn(row, 'class'));
  if (iris.length === 0) return { entries: [], hasMore: false };
  const values = `VALUES ?class { ${iris.map(ref).join(' ')} }`;
  const [counted, above] = await Promise.all([
    select(`SELECT ?class (COUNT(*) AS ?n) { ${values} ?s a ?class } GROUP BY ?class`, asked),
    select(`SELECT DISTINCT ?class { ${values} ?sub ${SUB} ?class FILTER(isIRI(?sub) && ?sub != ?class) }`, asked),
  ]);
  const counts = new Map(counted.map((row) => [iriIn(row, 'class'), numberIn(row, 'n')]));
  const parents = new Set(above.map((row) => iriIn(row, 'class')));
  const entries = iris.map((iri) => ({ iri, instances: counts.get(iri) ?? 0, hasSubclasses: parents.has(iri) }));
  return { entries, hasMore: rows.length > PAGE };
}

/** Of the instances of a class, subclasses included; of everything where there is no class. */
export async function predicates(of: string | null, offset: number, asked: Asked): Promise<Page<PredicateEntry>> {
  const where = of === null ? '?s ?p ?o' : `?s a/${SUB}* ${ref(of)} . ?s ?p ?o`;
  const whose = of === null ? where : `{ SELECT DISTINCT ?s { ?s a/${SUB}* ${ref(of)} } } ?s ?p ?o`;
  const rows = await select(
    `SELECT ?p (COUNT(*) AS ?n) { ${whose} } GROUP BY ?p ORDER BY DESC(?n) ?p ${page(offset)}`,
    asked,
  );
  const entries = rows.slice(0, PAGE).map((row) => ({ iri: iriIn(row, 'p'), statements: numberIn(row, 'n') }));
  return { entries, hasMore: rows.length > PAGE };
}
