/** Queries of every construct, for the dialects whose engines are not asked here. */

const PROLOGUE = `PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
`;

export const QUERIES: readonly string[] = [
  'SELECT * { ?s :p ?o }',
  'SELECT ?o { :a :p ?o FILTER(?o > 1.5 && ?o != "it\'s \\"\\\\\\n--/*") }',
  'SELECT * { ?s :p ?o OPTIONAL { ?o :q ?x FILTER(?x < ?s || BOUND(?x)) } }',
  'SELECT * { { ?s :p ?o } UNION { ?s :q ?x } MINUS { ?s :r ?o } }',
  'SELECT * { ?s :p ?o FILTER NOT EXISTS { ?s :q ?x FILTER(?x = ?o) } }',
  'SELECT (EXISTS { ?s :q ?x } AS ?e) { ?s :p ?o }',
  'SELECT ?s (COUNT(*) AS ?n) (SUM(?o) AS ?sum) (AVG(?o) AS ?avg) (MIN(?o) AS ?min) (MAX(?o) AS ?max) { ?s :p ?o } GROUP BY ?s HAVING(COUNT(?o) > 1)',
  'SELECT (COUNT(DISTINCT ?o) AS ?n) (SUM(DISTINCT ?o) AS ?sum) (GROUP_CONCAT(?o; separator="|") AS ?c) (SAMPLE(?s) AS ?a) { ?s :p ?o }',
  'SELECT DISTINCT ?o { ?s :p ?o } ORDER BY DESC(?o) ?s LIMIT 5 OFFSET 2',
  'SELECT * { VALUES (?s ?o) { (:a 1) (UNDEF "x"@en) } ?s :p ?o }',
  'SELECT * { GRAPH ?g { ?s :p ?o } }',
  'SELECT * FROM :g1 FROM :g2 FROM NAMED :g3 { ?s :p ?o GRAPH ?g { ?o :q ?x } }',
  'SELECT (?o + 1 AS ?a) (?o * 2.5 AS ?b) (?o / 3 AS ?c) (-?o AS ?d) { ?s :p ?o }',
  'SELECT (STRLEN(STR(?o)) AS ?a) (CONCAT(?o, "x") AS ?b) (SUBSTR(?o, 2, 3) AS ?c) (UCASE(?o) AS ?d) (STRBEFORE(?o, "b") AS ?e) { ?s :p ?o }',
  'SELECT (MD5(?o) AS ?a) (SHA256(?o) AS ?b) (LANG(?o) AS ?c) (DATATYPE(?o) AS ?d) (xsd:integer(?o) AS ?e) { ?s :p ?o }',
  'SELECT (YEAR(?o) AS ?y) (MONTH(?o) AS ?m) (HOURS(?o) AS ?h) (TZ(?o) AS ?z) { ?s :p ?o FILTER(?o < "2020-01-01T00:00:00Z"^^xsd:dateTime) }',
  'SELECT * { ?s :p ?o FILTER(REGEX(?o, "^a.c[0-9]+$", "i") && ?o IN ("a", 1, ?s)) }',
  'SELECT (IF(?o > 1, "a", ?s) AS ?x) (COALESCE(?y, ?o) AS ?z) { ?s :p ?o }',
  'SELECT ?s (GROUP_CONCAT(?o; separator="|") AS ?c) { SELECT ?s ?o { ?s :p ?o } ORDER BY DESC(?o) } GROUP BY ?s',
  'SELECT DISTINCT ?s { ?s :p ?o } ORDER BY ?o',
  'SELECT ?s { ?s :p ?o } ORDER BY STR(?o) LIMIT 10',
  'ASK { :a :p 1 }',
  'CONSTRUCT { ?s :n [ :v ?o ] } { ?s :p ?o }',
  'SELECT * { ?s (:p/:q)|^:r ?o }',
  'SELECT * { ?s :p ?o { SELECT ?s (COUNT(*) AS ?n) { ?s :q ?x } GROUP BY ?s } FILTER(?n > 1) }',
  'SELECT * { ?s ?p ?t . BIND(SUBJECT(?t) AS ?x) FILTER(isTRIPLE(?t)) }',
].map((query) => PROLOGUE + query);

export const PATHS: readonly string[] = [
  'SELECT * { ?s :p+ ?o }',
  'SELECT * { :a (:p|^:q)* ?o }',
  'SELECT * { ?s :p? :b }',
].map((query) => PROLOGUE + query);
