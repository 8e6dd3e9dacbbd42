/** What the SPARQL suites hold that is not run, or not expected to pass, each with its reason. */

/** Entailment regimes are optional (SPARQL 1.1 Entailment Regimes, 1); these need more than subclass inference. */
const ENTAILMENT: readonly (readonly [reason: string, cases: string])[] = [
  ['needs the RDF regime: every predicate is a property', 'rdf01'],
  ['needs the RDFS regime: statements about classes and properties themselves', 'rdfs05 rdfs11 paper-sparqldl-Q1-rdfs'],
  [
    'needs an OWL regime',
    `paper-sparqldl-Q1 paper-sparqldl-Q2 paper-sparqldl-Q3 paper-sparqldl-Q4 parent3 parent4 parent5 parent6 parent7
     parent8 parent9 parent10 simple1 simple2 simple3 simple4 simple5 simple6 simple7 simple8 sparqldl-02 sparqldl-03
     sparqldl-10 sparqldl-11 sparqldl-12 sparqldl-13`,
  ],
  ['needs the rules of the RIF regime', 'rif01 rif03 rif04 rif06'],
];

/**
 * Cases whose answers subproperties, domains and ranges decide: the data is loaded as an ontology, too, and the query reads what
 * follows (`inferred: true`).
 */
export const DRAWN_BY_ONTOLOGY: ReadonlySet<string> = new Set(
  'rdfs01 rdfs02 rdfs03 rdfs06 rdfs07 rdfs10'.split(' ').map((name) => `sparql11/entailment#${name}`),
);

/** By the id of the case, or by the id and the subject. */
export const SPARQL_SKIPS: ReadonlyMap<string, string> = new Map([
  ...ENTAILMENT.flatMap(([reason, cases]) =>
    cases.split(/\s+/).map((name): [string, string] => [`sparql11/entailment#${name}`, reason]),
  ),
  [
    'sparql11/service#service5',
    'SERVICE with a variable is informative only (Federated Query, 4); an endpoint has to be configured by name',
  ],
]);

/**
 * Groups and cases whose results write computed numbers in another spelling (`3` for `3.0E0`, `2.0` for `2`): the
 * standard fixes the value and the datatype, not the spelling. Everywhere else terms are compared exactly.
 */
export const LAX_NUMBERS: ReadonlySet<string> = new Set([
  'sparql10/expr-ops',
  'sparql11/aggregates',
  'sparql11/cast',
  'sparql11/csv-tsv-res',
  'sparql11/functions#plus-1-corrected',
  'sparql11/functions#coalesce01',
]);
