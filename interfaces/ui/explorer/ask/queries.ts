/** The texts of the explorer's questions. What stands for an IRI in them has been looked at by `iriRef`. */

export const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const RDFS_LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';

/** No space, no control character, none of `<>"{}|^` and backslash or backtick, and a scheme at the front. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what may not stand in an IRI
const IRI = /^[A-Za-z][A-Za-z0-9+.-]*:[^<>"{}|^`\\\u0000-\u0020]*$/;

export function isIri(text: string): boolean {
  return IRI.test(text);
}

/** `<iri>`. Throws for what is no absolute IRI: it would be part of the query. */
export function iriRef(iri: string): string {
  if (!isIri(iri))
    throw new TypeError(`'${iri.slice(0, 200)}' is no absolute IRI; write one such as http://example.org/a`);
  return `<${iri}>`;
}

function values(variable: string, iris: readonly string[]): string {
  return `VALUES ?${variable} { ${iris.map(iriRef).join(' ')} }`;
}

/** Links are facts between two things; the types of nodes are their colours and no links. */
const IS_LINK = `FILTER(!isLiteral(?o) && ?p != <${RDF_TYPE}>)`;

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

function paged({ limit, offset }: Page): string {
  return `ORDER BY ?s ?p ?o LIMIT ${limit} OFFSET ${offset}`;
}

const among = (iris: readonly string[]): string => `${values('s', iris)} ${values('o', iris)} ?s ?p ?o ${IS_LINK}`;

export function edgesAmong(iris: readonly string[], page: Page): string {
  return `SELECT DISTINCT ?s ?p ?o WHERE { ${among(iris)} } ${paged(page)}`;
}

export function countAmong(iris: readonly string[]): string {
  return `SELECT (COUNT(*) AS ?n) WHERE { SELECT DISTINCT ?s ?p ?o WHERE { ${among(iris)} } }`;
}

/** Links of some nodes, whichever way they go; one between two of them stands once. Of one node no set of all its links is kept to know that. */
const around = (iris: readonly string[]): string => {
  const [from, to] = [`${values('s', iris)} ?s ?p ?o ${IS_LINK}`, `${values('o', iris)} ?s ?p ?o ${IS_LINK}`];
  return iris.length === 1
    ? `SELECT ?s ?p ?o WHERE { { ${from} } UNION { ${to} FILTER(?s != ?o) } }`
    : `SELECT DISTINCT ?s ?p ?o WHERE { { ${from} } UNION { ${to} } }`;
};

export function edgesAround(iris: readonly string[], page: Page): string {
  return `${around(iris)} ${paged(page)}`;
}

export function countAround(iris: readonly string[]): string {
  return `SELECT (COUNT(*) AS ?n) WHERE { ${around(iris)} }`;
}

/** Of each node that the store says anything of: a label and a type, where it has them. One in English, or in no language, before others. */
export function details(iris: readonly string[]): string {
  return `SELECT ?e (SUBSTR(MIN(?ranked), 2) AS ?label) (MIN(?t) AS ?type) WHERE { ${values('e', iris)} OPTIONAL { ?e <${RDFS_LABEL}> ?l BIND(CONCAT(IF(REGEX(LANG(?l), "^(en(-.*)?)?$", "i"), "0", "1"), STR(?l)) AS ?ranked) } OPTIONAL { ?e a ?t FILTER(isIRI(?t)) } } GROUP BY ?e`;
}

/** Those of the nodes that stand in a fact. */
export function present(iris: readonly string[]): string {
  return `SELECT DISTINCT ?e WHERE { ${values('e', iris)} FILTER(EXISTS { ?e ?p ?o } || EXISTS { ?s ?q ?e }) }`;
}

const connected = (type: string | null): string => {
  const ofType = type === null ? '' : `?e a ${iriRef(type)} .`;
  return `${ofType} { ?e ?p ?o ${IS_LINK} } UNION { ?s ?p ?e BIND(?e AS ?o) ${IS_LINK} } FILTER(isIRI(?e))`;
};

/** The nodes with the most links. */
export function bestConnected(limit: number, type: string | null): string {
  return `SELECT ?e (COUNT(*) AS ?degree) WHERE { ${connected(type)} } GROUP BY ?e ORDER BY DESC(?degree) ?e LIMIT ${limit}`;
}

export function countConnected(type: string | null): string {
  return `SELECT (COUNT(DISTINCT ?e) AS ?n) WHERE { ${connected(type)} }`;
}

/** A way along the links from a node to another, by the algorithm of the store. */
export function pathBetween(from: string, to: string): string {
  return `SELECT ?e ?at WHERE { SERVICE <urn:svc:algo:shortest_path> { [] <urn:svc:algo:from> ${iriRef(from)} ; <urn:svc:algo:to> ${iriRef(to)} ; <urn:svc:algo:entity> ?e ; <urn:svc:algo:position> ?at } } ORDER BY ?at`;
}

/** Facts of a node for its panel: first what it says, then what is said of it. */
export function factsOf(iri: string, limit: number): string {
  return `SELECT ?way ?p ?o WHERE { { ${iriRef(iri)} ?p ?o BIND("out" AS ?way) } UNION { ?o ?p ${iriRef(iri)} BIND("in" AS ?way) } } ORDER BY DESC(?way) ?p ?o LIMIT ${limit}`;
}

export function countFacts(iri: string): string {
  return `SELECT ?way (COUNT(*) AS ?n) WHERE { { ${iriRef(iri)} ?p ?o BIND("out" AS ?way) } UNION { ?o ?p ${iriRef(iri)} BIND("in" AS ?way) } } GROUP BY ?way`;
}
