/** Random datasets: few nodes, so that patterns meet, and literals that are equal in value but not in form. */

import type { Random } from './random.js';

export const PREFIXES = `PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
`;

export const NODES = [':a', ':b', ':c', ':d', ':e'];
export const BLANK_NODES = ['_:x', '_:y'];
export const PREDICATES = [':p', ':q', ':r'];
export const GRAPHS = [':g1', ':g2', ':g3'];

/** Literals that every engine keeps and compares alike. */
export const COMMON_LITERALS = [
  '0',
  '1',
  '2',
  '-3',
  '2.5',
  '10',
  '"a"',
  '"b"',
  '"ab"',
  '""',
  '"a"@en',
  '"b"@en',
  '"a"@fr',
  'true',
  'false',
  '"2020-01-01T00:00:00Z"^^xsd:dateTime',
  '"2021-06-15T12:30:45Z"^^xsd:dateTime',
];

/** Literals whose values and forms differ in every way that the standard knows. */
export const LITERALS = [
  ...COMMON_LITERALS,
  '01',
  '+1',
  '1.0',
  '1.00',
  '1e0',
  '1.0E0',
  '"1"^^xsd:float',
  '"0.1"^^xsd:float',
  '0.1',
  '0.1e0',
  '-0.0e0',
  '"NaN"^^xsd:double',
  '"INF"^^xsd:double',
  '9007199254740993',
  '9007199254740992',
  '123456789012345678901234567890',
  '0.000000000000000000001',
  '"5"^^xsd:byte',
  '"300"^^xsd:byte',
  '"x"^^xsd:integer',
  '"1"^^xsd:boolean',
  '"maybe"^^xsd:boolean',
  '"u"^^:type',
  '"v"^^:type',
  '"A"',
  '"a b"',
  '"\u00e9U0001F600"',
  // The other engine tells terms apart by the case of their tags.
  '"a"@en-gb',
  '"2020-01-01"^^xsd:date',
  '"2020-01-01Z"^^xsd:date',
  '"2020-01-01T01:00:00+01:00"^^xsd:dateTime',
  '"2020-01-01T00:00:00"^^xsd:dateTime',
  '"2020-01-01T00:00:00.50Z"^^xsd:dateTime',
  '"P1D"^^xsd:dayTimeDuration',
  '"PT24H"^^xsd:dayTimeDuration',
];

export interface DataLine {
  /** Of a named graph; null = the default graph. */
  readonly graph: string | null;
  readonly triple: string;
  /** The transaction that asserts it, of a history; absent = the first. */
  readonly from?: number;
  /** The transaction that retracts it. */
  readonly to?: number;
}

/** Of a history. */
export const TRANSACTIONS = 5;

/** What a dataset and the queries over it are made of. */
export interface Vocabulary {
  readonly literals: readonly string[];
  readonly blankNodes: readonly string[];
  /** Objects may be triple terms (RDF 1.2). */
  readonly tripleTerms: boolean;
  /** Paths may end at literals. */
  readonly pathsToLiterals: boolean;
}

export const COMMON: Vocabulary = {
  literals: COMMON_LITERALS,
  blankNodes: [],
  tripleTerms: false,
  pathsToLiterals: false,
};
export const EVERYTHING: Vocabulary = {
  literals: LITERALS,
  blankNodes: BLANK_NODES,
  tripleTerms: false,
  pathsToLiterals: true,
};
export const TRIPLE_TERMS: Vocabulary = { ...COMMON, tripleTerms: true };

export function randomTriple(random: Random, vocabulary: Vocabulary): string {
  const nodes = [...NODES, ...vocabulary.blankNodes];
  const term = () => (random.once(3) ? random.pick(vocabulary.literals) : random.pick(nodes));
  const isTriple = vocabulary.tripleTerms && random.once(3);
  const object = isTriple ? `<<( ${random.pick(nodes)} ${random.pick(PREDICATES)} ${term()} )>>` : term();
  return `${random.pick(nodes)} ${random.pick(PREDICATES)} ${object}`;
}

export function randomData(random: Random, vocabulary: Vocabulary): DataLine[] {
  const inGraph = (graph: string | null, least: number, most: number) =>
    random.list(least, most, () => ({ graph, triple: randomTriple(random, vocabulary) }));
  return [
    ...inGraph(null, random.once(8) ? 0 : 10, 28),
    ...GRAPHS.slice(0, 2).flatMap((graph) => inGraph(graph, 0, 12)),
  ];
}

/** The same, but written and retracted over some transactions. */
export function randomHistory(random: Random, vocabulary: Vocabulary): DataLine[] {
  return randomData(random, vocabulary).map((line) => {
    const from = random.between(1, TRANSACTIONS);
    return random.once(2) && from < TRANSACTIONS
      ? { ...line, from, to: random.between(from + 1, TRANSACTIONS) }
      : { ...line, from };
  });
}

/** The dataset as a TriG document. */
export function documentOf(lines: readonly DataLine[]): string {
  const text = lines.map(({ graph, triple, from, to }) => {
    const when = from === undefined ? '' : ` # from ${from}${to === undefined ? '' : ` to ${to}`}`;
    return (graph === null ? `${triple} .` : `${graph} { ${triple} }`) + when;
  });
  return PREFIXES + text.join('\n');
}
