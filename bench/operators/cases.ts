/** One query for each operator, over the social data, in which that operator does most of the work. */

export interface OperatorCase {
  /** As the plan of EXPLAIN calls it. */
  readonly operator: string;
  /** The source file that a regression points to. */
  readonly file: string;
  readonly what: string;
  readonly query: string;
}

const PREFIXES = [
  'PREFIX w: <http://db.uwaterloo.ca/~galuc/wsdbm/>',
  'PREFIX foaf: <http://xmlns.com/foaf/0.1/>',
  'PREFIX gr: <http://purl.org/goodrelations/>',
  'PREFIX rev: <http://purl.org/stuff/rev#>',
  'PREFIX s: <http://schema.org/>',
].join('\n');

const OPERATORS = 'engine/query/execute';

const one = (operator: string, file: string, what: string, query: string): OperatorCase => ({
  operator,
  file: `${OPERATORS}/${file}`,
  what,
  query: `${PREFIXES}\n${query}`,
});

export const OPERATOR_CASES: readonly OperatorCase[] = [
  one('scan', 'scan/scan.ts', 'one predicate, two columns', 'SELECT (COUNT(DISTINCT ?b) AS ?n) { ?a w:follows ?b }'),
  one('mergeJoin', 'join/merge-join.ts', 'many to many', 'SELECT (COUNT(*) AS ?n) { ?a w:likes ?p . ?b w:likes ?p }'),
  one(
    'hashJoin',
    'join/hash-join.ts',
    'many rows with few',
    'SELECT ?v { w:User3 w:friendOf ?a . ?a w:friendOf ?b . ?b w:follows ?c . ?c w:likes ?v }',
  ),
  one('hashJoin', 'join/hash-join.ts', 'counted', 'SELECT (COUNT(*) AS ?n) { ?u foaf:age ?age . ?r rev:reviewer ?u }'),
  one('indexJoin', 'join/index-join.ts', 'many rows of a key', 'SELECT ?a ?b { ?a w:follows ?b . ?b w:likes ?p }'),
  one(
    'starJoin',
    'join/star-join.ts',
    'three properties',
    'SELECT * { w:User3 w:friendOf ?a . ?a s:email ?m ; w:gender ?g ; w:userId ?i }',
  ),
  one(
    'hashLeftJoin',
    'join/hash-left-join.ts',
    'OPTIONAL',
    'SELECT (COUNT(?b) AS ?n) { ?a w:userId ?id OPTIONAL { ?a foaf:age ?b } }',
  ),
  one(
    'hashSemiJoin',
    'join/hash-semi-join.ts',
    'NOT EXISTS',
    'SELECT (COUNT(*) AS ?n) { ?a w:follows ?c FILTER NOT EXISTS { ?a foaf:age ?b } }',
  ),
  one(
    'aggregate',
    'group/aggregate.ts',
    'few groups, sorted',
    'SELECT ?b (COUNT(*) AS ?n) { ?a w:follows ?b } GROUP BY ?b',
  ),
  one(
    'aggregate',
    'group/aggregate.ts',
    'many groups, unsorted',
    'SELECT ?a ?b (COUNT(*) AS ?n) { ?a w:follows ?b } GROUP BY ?a ?b',
  ),
  one(
    'aggregate',
    'group/aggregate.ts',
    'numbers',
    'SELECT ?p (SUM(?x) AS ?n) (AVG(?x) AS ?m) (MAX(?x) AS ?k) { ?o gr:includes ?p ; gr:price ?x } GROUP BY ?p',
  ),
  one('sort', 'sort/sort.ts', 'IRIs', 'SELECT ?a ?b { ?a w:follows ?b } ORDER BY ?b ?a'),
  one('sort', 'sort/sort.ts', 'numbers', 'SELECT ?a ?x { ?a gr:price ?x } ORDER BY ?x'),
  one('sort', 'sort/sort.ts', 'first 10', 'SELECT ?a ?b { ?a w:follows ?b } ORDER BY ?b ?a LIMIT 10'),
  one('distinct', 'group/distinct.ts', 'few of many', 'SELECT DISTINCT ?b { ?a w:follows ?b }'),
  one(
    'distinct',
    'group/distinct.ts',
    'all different',
    'SELECT DISTINCT ?a ?b { { ?a w:follows ?b } UNION { ?b w:friendOf ?a } }',
  ),
  one(
    'filter',
    'rows/filter.ts',
    'comparison of two',
    'SELECT ?a ?b { ?a w:likes ?p ; w:subscribes ?w . ?b w:likes ?p . FILTER (?a != ?b) }',
  ),
  one('filter', 'rows/filter.ts', 'text', 'SELECT ?a { ?a s:email ?m FILTER CONTAINS(?m, "an") }'),
  one('closure', 'paths', 'friendOf+ of one', 'SELECT (COUNT(*) AS ?n) { w:User3 w:friendOf+ ?b }'),
];

export interface EncodeCase {
  readonly format: 'json' | 'csv' | 'tsv' | 'xml' | 'ntriples';
  readonly file: string;
  readonly query: string;
}

const results = (format: EncodeCase['format'], file: string, query: string): EncodeCase => ({
  format,
  file: `engine/query/results/${file}`,
  query: `${PREFIXES}\n${query}`,
});

/** Answers of many rows over scans: decoding of terms and encoding of results are most of the work. */
export const ENCODE_CASES: readonly EncodeCase[] = [
  results('json', 'json.ts', 'SELECT ?a ?b { ?a w:follows ?b }'),
  results('csv', 'delimited.ts', 'SELECT ?a ?b { ?a w:follows ?b }'),
  results('tsv', 'delimited.ts', 'SELECT ?a ?m { ?a s:email ?m }'),
  results('xml', 'xml.ts', 'SELECT ?a ?m { ?a s:email ?m }'),
  results('ntriples', 'lines.ts', 'CONSTRUCT { ?a w:follows ?b } { ?a w:follows ?b }'),
];
