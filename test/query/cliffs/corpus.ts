/**
 * Reduced shapes of queries that once fell off a cliff, by families: each with the most rows that its operators may make
 * together. They are asked of the data of `cliffs.test.ts`. A shape that the plan fuzzer finds (`bench/plan-fuzz`) and that has been
 * mended is put in here, whatever its names were, in those of this data.
 */

export interface Shape {
  readonly family: string;
  readonly query: string;
  /** Rows of all operators together. */
  readonly rowsMax: number;
}

export const CORPUS: readonly Shape[] = [
  ...shapes('parts that an equality of values connects', 30_000, [
    'SELECT (COUNT(*) AS ?n) { ?a :score ?x . ?b :value ?y FILTER(?x = ?y) }',
    'SELECT (COUNT(*) AS ?n) { ?a :score ?x ; :year 3 . ?b :value ?y ; :of ?c . ?c :year 4 FILTER(?x = ?y + 1) }',
    'SELECT (COUNT(*) AS ?n) { ?a :gYear ?x . ?b :gYear ?y ; :year 4 . ?a :year 3 FILTER(?x = ?y && ?a != ?b) }',
    'SELECT (COUNT(*) AS ?n) { ?a :took ?x . ?b :lasted ?y FILTER(?x = ?y) }',
    'SELECT (COUNT(*) AS ?n) { ?a :name ?x BIND(LCASE(?x) AS ?l) ?b :label ?y FILTER(?l = STR(?y)) }',
    'SELECT (COUNT(*) AS ?n) { ?a :name ?x ; :year 3 OPTIONAL { ?b :label ?y FILTER(LCASE(?x) = STR(?y)) } }',
    'SELECT (COUNT(*) AS ?n) { ?a :year 3 ; :knows ?k . ?b :of ?c FILTER(?k = ?c) }',
    'SELECT (COUNT(*) AS ?n) { ?a :year 3 ; :knows ?k . ?b :of ?c FILTER(sameTerm(?k, ?c)) }',
  ]),
  ...shapes('parts that inequalities connect', 70_000, [
    'SELECT (COUNT(*) AS ?n) { ?a :score ?x . ?b :value ?y FILTER(?x < ?y && ?x > ?y - 2) }',
    'SELECT (COUNT(*) AS ?n) { ?a :score ?x ; :knows ?b . ?b :score ?y . ?c :value ?z FILTER(?z > ?x && ?z < ?x + 2) }',
    'SELECT (COUNT(*) AS ?n) { ?a :took ?x ; :year 3 . ?b :lasted ?y ; :year 4 FILTER(?y < ?x) }',
  ]),
  ...shapes('what is selective reaches into UNION', 100, [
    'SELECT * { ?a :name "Name 77" { ?a :knows ?k . ?k :name ?m } UNION { ?b :of ?a . ?b :label ?m } }',
    'SELECT * { ?a :name "Name 77" . ?a :knows ?k { ?k :name ?m BIND(LCASE(?m) AS ?l) } UNION { ?b :of ?k . ?b :label ?l } }',
    'SELECT * { ?a :name "Name 77" ; :knows ?k { { ?k :year ?x } UNION { ?x :of ?k } } { { ?x :label ?m } UNION { ?b :of ?x } } }',
  ]),
  ...shapes('what is selective reaches into subqueries', 100, [
    'SELECT * { ?a :name "Name 77" { SELECT ?a (COUNT(*) AS ?c) { ?a :knows ?k . ?k :knows ?x } GROUP BY ?a } }',
    'SELECT * { ?a :name "Name 77" { SELECT DISTINCT ?a ?y { ?a :knows ?k . ?k :year ?y } } }',
    'SELECT * { VALUES ?a { :a7 :a9 } { SELECT ?a (MAX(?s) AS ?m) { ?b :of ?a ; :value ?s } GROUP BY ?a HAVING(COUNT(*) > 0) } }',
  ]),
  ...shapes('what is selective reaches into OPTIONAL', 100, [
    'SELECT * { ?a :name "Name 77" { { ?a :knows ?k OPTIONAL { ?b :of ?k . ?b :label ?m } } UNION { ?b :of ?a } } }',
    'SELECT * { ?a :name "Name 77" OPTIONAL { ?a :knows ?k . ?k :knows ?x . ?b :of ?x } }',
  ]),
  ...shapes('what is selective reaches into parts with paths', 400, [
    'SELECT * { ?a :name "Name 77" { ?a :parent+ ?p . ?p :name ?n } UNION { ?a :knows/:parent* ?p } }',
    'SELECT * { ?a :name "Name 77" { SELECT DISTINCT ?a ?p { ?a :knows/:parent+ ?p } } }',
    'SELECT * { ?a :name "Name 77" . ?a :knows ?k MINUS { ?k :parent+ ?p . ?p :score 38 } }',
  ]),
  ...shapes('what is selective reaches through keys that a branch leaves unbound', 1000, [
    'SELECT (COUNT(*) AS ?n) { ?a :name "Name 77" ; :parent ?k { ?k :knows ?j . ?j :knows ?x } UNION { ?b :of ?a . ?b :year ?y . ?c :year ?y } }',
    'SELECT (COUNT(*) AS ?n) { ?a :name "Name 77" ; :parent ?k { ?k :knows ?j . ?j :knows ?x . ?x :parent ?y } UNION { ?b :of ?a . ?c :of ?j . ?b :year ?y . ?c :year ?y } ?j :score ?s }',
    'SELECT * { ?a :name "Name 77" ; :parent ?k { ?k :knows ?j . ?j :knows ?x . ?x :parent ?y } UNION { ?b :of ?a . ?c :of ?j . ?b :year ?y . ?c :year ?y } ?j :score ?s } LIMIT 10',
  ]),
  ...shapes('rows of a UNION whose branches bind different keys', 70_000, [
    'SELECT (COUNT(*) AS ?n) { ?a :year 3 ; :parent ?k { ?k :knows ?j . ?j :knows ?x . ?x :parent ?y } UNION { ?b :of ?a . ?c :of ?j . ?b :year ?y . ?c :year ?y } ?j :score ?s }',
  ]),
  ...shapes('few rows are asked for, and what there is before them is not small', 10_000, [
    'SELECT * { ?a :year 3 ; :knows ?p { ?p :knows ?j . ?p :parent ?q . ?p :score ?v . ?p :name ?z } UNION { ?p :year ?w . ?p :name ?x . ?a :gYear ?u . ?a :took ?t } ?j :parent ?l } LIMIT 10',
  ]),
  ...shapes('what shares nothing with what is asked for is asked once', 14_000, [
    'SELECT (COUNT(*) AS ?n) { ?a :year 3 FILTER EXISTS { ?a :knows ?k . ?x :of ?y . ?y :year 4 } }',
    'SELECT (COUNT(*) AS ?n) { ?a :year 3 FILTER NOT EXISTS { ?a :knows ?k . ?k :parent ?a . ?x :of ?y FILTER(?y != ?x) } }',
    'SELECT (COUNT(*) AS ?n) { ?a :year 3 MINUS { ?a :knows ?k . ?x :of ?y . ?y :year 4 } }',
    'SELECT DISTINCT ?a { ?a :year 3 . ?x :of ?y . ?y :year 4 }',
    'SELECT (MAX(?a) AS ?m) (COUNT(DISTINCT ?a) AS ?n) { ?a :year 3 . ?x :of ?y . ?y :year 4 }',
    'SELECT DISTINCT ?a { ?a :year 3 { ?a :knows ?k . ?x :of ?y } UNION { ?b :of ?a . ?x :of ?z . ?z :year ?w } }',
    'ASK { ?a :year 3 . ?x :of ?y . ?y :year 4 . ?b :value ?z }',
  ]),
  ...shapes('an OPTIONAL that nobody reads', 500, [
    'SELECT DISTINCT ?a { ?a :year 3 OPTIONAL { ?a :knows ?k . ?j :knows ?k } }',
    'SELECT (COUNT(*) AS ?n) { ?a :year 3 MINUS { ?a :score 4 OPTIONAL { ?a :knows ?k . ?j :knows ?k } } }',
  ]),
  ...shapes('the first rows of paths', 12_000, [
    'ASK { ?a :parent? ?p }',
    'SELECT * { ?a :parent? ?p } LIMIT 10',
    'SELECT * { ?a :parent* ?a } LIMIT 10',
    'ASK { ?a :knows ?k . ?a :parent* ?p }',
  ]),
];

function shapes(family: string, rowsMax: number, queries: readonly string[]): Shape[] {
  return queries.map((query) => ({ family, query, rowsMax }));
}
