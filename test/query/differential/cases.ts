/**
 * Cases that random queries have found, made small. In each of them two engines answered differently; the
 * expected answer is that of the standard, at the place that is named.
 */

export interface DifferentialCase {
  readonly name: string;
  /** Where the standard says so (SPARQL 1.1 Query or Update, by section). */
  readonly standard: string;
  readonly data: string;
  readonly query?: string;
  readonly update?: string;
  /** Rows, or quads of the state after an update; in any order. */
  readonly expected: readonly string[];
}

export const DIFFERENTIAL_CASES: readonly DifferentialCase[] = [
  {
    name: 'a filter by an empty list stands over a join',
    standard: 'Query 17.4.1.9: nothing is in an empty list',
    data: ':b :r :d . :a :q :e . :d :q :c .',
    query: 'SELECT ?c { ?c :r ?d . ?d :q ?b FILTER(COALESCE(?b, ?c) IN ()) }',
    expected: [],
  },
  {
    name: 'a path of no length ends at the literal that the pattern names',
    standard: 'Query 18.4: a term of a path pattern is a node, in the graph or not',
    data: '',
    query: 'SELECT ?b { ?b :r? "" }',
    expected: ['?b=""'],
  },
  {
    name: 'a branch that may have no rows, by an estimate, binds no variable of the group around',
    standard: 'Query 18.5: join of compatible solutions',
    data: ':a1 :p 1 . :a2 :p 2 . :z :q :b1 . :c :r :b1 . :d :r :b2 .',
    query:
      'SELECT ?a ?b ?c { { SELECT ?a { ?a :p ?x FILTER(?x + 0 = ?x * 1) } ORDER BY ?a OFFSET 1 } UNION { ?a :q ?b } ?c :r ?b }',
    expected: ['?a=:a2 ?b=:b1 ?c=:c', '?a=:a2 ?b=:b2 ?c=:d', '?a=:z ?b=:b1 ?c=:c'],
  },
  {
    name: 'a path of no length ends at the node that the pattern names, though the graph does not hold it',
    standard: 'Query 18.4',
    data: ':a :p :b .',
    query: 'SELECT ?d { ?d :r* :c }',
    expected: ['?d=:c'],
  },
  {
    name: 'a path of no length from a bound variable stays in the graph',
    standard: 'Query 18.5: VALUES is joined with the path, whose ends are nodes of the graph',
    data: ':a :p :b .',
    query: 'SELECT ?x ?y { VALUES ?x { :nowhere :a } ?x :p* ?y }',
    expected: ['?x=:a ?y=:a', '?x=:a ?y=:b'],
  },
  {
    name: 'alternatives count twice what matches both',
    standard: 'Query 18.2.2.3: an alternative is a union',
    data: ':c :r :e .',
    query: 'SELECT ?d { ?d (:r|:r) ?a }',
    expected: ['?d=:c', '?d=:c'],
  },
  {
    name: 'a negated set with an inverse is the union of both directions',
    standard: 'Query 18.2.2.3 and 18.4',
    data: ':b :p -3 . :a :q :b .',
    query: 'SELECT ?c { ?a !(:p|^:q) ?c }',
    expected: ['?c=:b', '?c=:b'],
  },
  {
    name: 'comparing IRIs by order is an error',
    standard: 'Query 17.3: <= is defined for numbers, strings, booleans and dateTimes',
    data: ':b :q :d .',
    query: 'SELECT ?b { ?b :q ?d FILTER(?b <= ?b) }',
    expected: [],
  },
  {
    name: 'a group in a graph that is not there has no solution',
    standard: 'Query 18.6, evaluation of Graph: D has no graph of that name',
    data: ':a :p :b .',
    query: 'SELECT ?c { GRAPH :g3 { VALUES ?c { 1 } } }',
    expected: [],
  },
  {
    name: 'DISTINCT over fewer variables than a subquery groups by',
    standard: 'Query 18.5: the projection comes before DISTINCT',
    data: ':b :q :b . :e :q :c .',
    query: 'SELECT DISTINCT ?b { { SELECT ?a (COUNT(*) AS ?n) { ?a :q ?b } GROUP BY ?a } }',
    expected: [''],
  },
  {
    name: 'COUNT of errors is nought',
    standard: 'Query 18.5.1.2: errors are removed before counting',
    data: '',
    query: 'SELECT (COUNT(STR(?d)) AS ?n) {}',
    expected: ['?n="0"^^xsd:integer'],
  },
  {
    name: 'an aggregate of no rows is one group',
    standard: 'Query 18.5.1 and 11.2: without GROUP BY there is one group',
    data: '',
    query: 'SELECT (SUM(DISTINCT ?c) AS ?n) { VALUES ?c { } }',
    expected: ['?n="0"^^xsd:integer'],
  },
  {
    name: 'GROUP_CONCAT takes the text of IRIs',
    standard: 'Query 18.5.1.7: the strings of the members',
    data: ':e :p :e .',
    query: 'SELECT (GROUP_CONCAT(?a) AS ?n) { ?c :p ?a }',
    expected: ['?n="http://example.org/e"'],
  },
  {
    name: 'a group may be keyed by a variable that nothing binds',
    standard: 'Query 18.2.4.1: the key of such rows is the error',
    data: ':a :p :b .',
    query: 'SELECT ?k (COUNT(*) AS ?n) { ?a :p ?b } GROUP BY (?none AS ?k)',
    expected: ['?n="1"^^xsd:integer'],
  },
  {
    name: 'MINUS inside GRAPH ?g does not share ?g',
    standard: 'Query 18.6: the name of the graph is joined to what the group gives',
    data: ':g2 { :b :q :d }',
    query: 'SELECT ?c { GRAPH ?c { MINUS { } } }',
    expected: ['?c=:g2'],
  },
  {
    name: 'an error on the left of an empty list is an error',
    standard: 'Query 17.3: a function or operator whose argument is an error is one',
    data: '',
    query: 'SELECT ?c { FILTER(?c NOT IN ()) }',
    expected: [],
  },
  {
    name: 'a filter inside EXISTS sees the row behind a subquery',
    standard: 'Query 18.6: substitute, which reaches the filter and not the variables that the subquery hides',
    data: '_:x :r _:y . _:x :q _:x . :b :q "a" .',
    query:
      'SELECT ?d { ?d :q ?a . FILTER EXISTS { { SELECT DISTINCT ?d { ?b :r ?c } } FILTER NOT EXISTS { ?a :q ?a } } }',
    expected: ['?d=:b'],
  },
  {
    name: 'OPTIONAL inside EXISTS is about the row',
    standard: 'Query 18.6: substitute comes before the evaluation of the pattern',
    data: ':a :r :b . _:y :p _:y . :d :q :a .',
    query: 'SELECT ?c { ?a :r ?c . FILTER EXISTS { OPTIONAL { ?c :p ?c } ?d ?b ?a } }',
    expected: ['?c=:b'],
  },
  {
    name: 'a filter inside EXISTS says which value a variable has that the row leaves unbound',
    standard: 'Query 18.6: substitute replaces the variables that the row binds, and no others',
    data: ':x1 :q 1 . :x2 :q 2 .',
    query: 'SELECT ?x { VALUES ?x { :x1 :x2 UNDEF } FILTER EXISTS { ?x :q 1 FILTER(?x = :x1) } }',
    expected: ['?x=:x1', ''],
  },
  {
    name: 'a filter inside NOT EXISTS says which value a variable has that the row leaves unbound',
    standard: 'Query 18.6',
    data: ':x1 :q 1 . :x2 :q 2 .',
    query: 'SELECT ?v { VALUES ?v { 1 2 UNDEF } FILTER NOT EXISTS { ?x :q ?v FILTER(sameTerm(?v, 1)) } }',
    expected: ['?v="2"^^xsd:integer'],
  },
  {
    name: 'EXISTS about a variable that an OPTIONAL before it has left unbound',
    standard: 'Query 18.6',
    data: ':a a :T ; :p :b . :c a :T ; :p :b ; :q :b . :d a :T ; :p :b ; :q :e .',
    query: 'SELECT ?s { ?s a :T OPTIONAL { ?s :q ?x } FILTER EXISTS { ?s :p ?x FILTER(?x = :b) } }',
    expected: ['?s=:a', '?s=:c'],
  },
  {
    name: 'BIND inside EXISTS gives a value to a variable that the row leaves unbound',
    standard: 'Query 18.6, and 18.5, Extend',
    data: '',
    query: 'SELECT ?x { VALUES ?x { :a :b UNDEF } FILTER EXISTS { BIND(:b AS ?x) } }',
    expected: ['?x=:b', ''],
  },
  {
    name: 'BIND of an error inside EXISTS says nothing about the row',
    standard: 'Query 18.5: Extend by an error is the solution itself',
    data: '',
    query: 'SELECT ?x { VALUES ?x { :a UNDEF } FILTER EXISTS { BIND(1/0 AS ?x) } }',
    expected: ['?x=:a', ''],
  },
  {
    name: 'a filter inside EXISTS reads what BIND has given to a variable that the row leaves unbound',
    standard: 'Query 18.6',
    data: ':x1 :q 1 . :x2 :q 2 . :a :v 1 .',
    query:
      'SELECT ?x ?y { VALUES (?x ?y) { (:x1 1) (UNDEF 2) (UNDEF 1) (:x2 2) } FILTER EXISTS { ?z :v 1 { ?w :q ?q FILTER(?q = ?y) BIND(:x1 AS ?x) } FILTER(?w = ?x) } }',
    expected: ['?x=:x1 ?y="1"^^xsd:integer', '?y="1"^^xsd:integer'],
  },
  {
    name: 'a part of a triple term inside EXISTS that the row leaves unbound',
    standard: 'SPARQL 1.2 Query: a triple term of a pattern matches like the pattern',
    data: ':r :says <<( :x1 :p :y1 )>> .',
    query: 'SELECT ?x { VALUES ?x { :x1 :x2 UNDEF } FILTER EXISTS { ?r :says <<( ?x :p ?o )>> } }',
    expected: ['?x=:x1', ''],
  },
  {
    name: 'the other side of a MINUS inside EXISTS sees the row',
    standard: 'Query 18.6: substitute reaches every part of the pattern',
    data: ':a :v 1 . :b :v 2 . :x1 :p :y1 ; :q 1 . :x2 :p :y2 ; :q 2 .',
    query: 'SELECT ?s { ?s :v ?v FILTER EXISTS { ?x :p :y1 MINUS { ?x :q ?z FILTER(?z = ?v) } } }',
    expected: ['?s=:b'],
  },
  {
    name: 'the other side of a MINUS inside NOT EXISTS sees the row',
    standard: 'Query 18.6',
    data: ':a :v 1 . :b :v 2 . :x1 :p :y1 ; :q 1 . :x2 :p :y2 ; :q 2 .',
    query: 'SELECT ?s { ?s :v ?v FILTER NOT EXISTS { ?x :p :y1 MINUS { ?x :q ?z FILTER(?z = ?v) } } }',
    expected: ['?s=:a'],
  },
  {
    name: 'a MINUS in a group inside EXISTS compares with the row',
    standard: 'Query 18.6',
    data: ':a :v 1 . :b :v 2 . :x1 :p :y1 ; :q 1 . :x2 :p :y2 ; :q 2 .',
    query: 'SELECT ?s { ?s :v ?v FILTER EXISTS { ?x :p :y1 . { ?x :q ?z MINUS { ?x :q ?v } } } }',
    expected: ['?s=:b'],
  },
  {
    name: 'OPTIONAL on the other side of a MINUS inside EXISTS is about the row',
    standard: 'Query 18.6',
    data: ':a :v 1 . :b :v 2 . :x1 :p :y1 ; :q 1 . :x2 :p :y2 ; :q 2 .',
    query: 'SELECT ?s { ?s :v ?v FILTER EXISTS { ?x :p :y1 MINUS { ?x :q ?z OPTIONAL { ?x :p ?v } } } }',
    expected: [],
  },
  {
    name: 'the row gives the sides of a MINUS inside EXISTS no variable in common',
    standard: 'Query 8.3.2 and 18.5, Minus: solutions without a variable in common remove nothing',
    data: ':a :v 1 . :b :v 2 . :x1 :p :y1 ; :q 1 . :x2 :p :y2 ; :q 2 .',
    query: 'SELECT ?s { ?s :v ?v FILTER EXISTS { ?x :p :y1 MINUS { ?z :q ?v } } }',
    expected: ['?s=:a', '?s=:b'],
  },
  {
    name: 'a filter about the row gives the sides of a MINUS inside EXISTS no variable in common',
    standard: 'Query 8.3.2 and 18.5, Minus: solutions without a variable in common remove nothing',
    data: ':a :v 1 . :b :v 2 . :x1 :p :y1 ; :q 1 . :x2 :p :y2 ; :q 2 .',
    query: 'SELECT ?s { ?s :v ?v FILTER EXISTS { ?x :p :y1 MINUS { ?k :q ?z FILTER(?z = ?v) } } }',
    expected: ['?s=:a', '?s=:b'],
  },
  {
    name: 'the sides of a MINUS inside EXISTS share a variable that both may leave unbound',
    standard: 'Query 8.3.2 and 18.5, Minus: solutions without a variable in common remove nothing',
    data: ':a :v 1 . :b :v 2 . :x1 :p :y1 ; :q 1 . :x2 :p :y2 ; :q 2 .',
    query:
      'SELECT ?s { ?s :v ?v FILTER EXISTS { ?x :p :y1 OPTIONAL { ?x :p ?w } MINUS { ?m :q ?z FILTER(?z = ?v) OPTIONAL { ?m :p ?w } } } }',
    expected: ['?s=:b'],
  },
  {
    name: 'the sides of a MINUS inside EXISTS share no variable where one leaves it unbound',
    standard: 'Query 8.3.2 and 18.5, Minus: solutions without a variable in common remove nothing',
    data: ':a :v 1 . :b :v 2 . :x1 :p :y1 ; :q 1 . :x2 :p :y2 ; :q 2 .',
    query:
      'SELECT ?s { ?s :v ?v FILTER EXISTS { ?x :p :y1 OPTIONAL { ?x :none ?w } MINUS { ?m :q ?v OPTIONAL { ?m :p ?w } } } }',
    expected: ['?s=:a', '?s=:b'],
  },
  {
    name: 'a group that is asked graph by graph inside EXISTS sees the row',
    standard: 'Query 18.6',
    data: ':a :v 1 . :b :v 2 . :x1 :p :y1 ; :q 1 . :x2 :p :y2 ; :q 2 . :g1 { :a :p :y } :g2 { :b :p :y . :z :q 9 }',
    query: 'SELECT ?s { ?s :v ?v FILTER EXISTS { GRAPH ?g { ?x :p ?y MINUS { :n :n :n } FILTER(?x = ?s) } } }',
    expected: ['?s=:a', '?s=:b'],
  },
  {
    name: 'a group that is asked graph by graph inside EXISTS, about a graph that the row may name',
    standard: 'Query 18.6',
    data: ':a :v 1 . :b :v 2 . :x1 :p :y1 ; :q 1 . :x2 :p :y2 ; :q 2 . :g1 { :a :p :y } :g2 { :b :p :y . :z :q 9 }',
    query:
      'SELECT ?g ?s { VALUES ?g { :g1 :g2 UNDEF } ?s :v ?v FILTER EXISTS { GRAPH ?g { ?x :p ?y MINUS { :n :n :n } FILTER(?x = ?s) } } }',
    expected: ['?g=:g1 ?s=:a', '?g=:g2 ?s=:b', '?s=:a', '?s=:b'],
  },
  {
    name: 'a subquery in a group that is asked graph by graph inside EXISTS, beside a filter about the row',
    standard: 'Query 18.6',
    data: ':a :v 1 . :b :v 2 . :g1 { :x1 :q 1 } :g2 { :x2 :q 3 }',
    query: 'SELECT ?s { ?s :v ?v FILTER EXISTS { GRAPH ?g { ?x :q ?z { SELECT ?x { ?x :q ?w } } FILTER(?z = ?v) } } }',
    expected: ['?s=:a'],
  },
  {
    name: 'a MINUS inside EXISTS inside GRAPH ?g does not share ?g',
    standard: 'Query 18.6: the pattern is asked about one graph, whose name joins outside',
    data: ':g1 { :a :p :y . :k :q 7 } :g2 { :b :p :y . :z :v 2 ; :q 9 }',
    query: 'SELECT ?g ?s { GRAPH ?g { ?s :p ?o FILTER EXISTS { ?k :q ?w MINUS { ?n :v ?m } } } }',
    expected: ['?g=:g1 ?s=:a', '?g=:g2 ?s=:b'],
  },
  {
    name: 'a subquery inside EXISTS inside GRAPH ?g reads the graph of the row',
    standard: 'Query 18.6',
    data: ':g1 { :a :p :y ; :q 7 } :g2 { :b :p :y . :a :p :y }',
    query: 'SELECT ?g ?s { GRAPH ?g { ?s :p ?o FILTER EXISTS { { SELECT ?s { ?s :q ?w } } } } }',
    expected: ['?g=:g1 ?s=:a'],
  },
  {
    name: 'SUBSTR may begin before the text',
    standard: 'Query 17.4.3.3, which is fn:substring: positions that do not exist are left out',
    data: '',
    query: 'SELECT ?t { BIND(SUBSTR("abc", 0, 2) AS ?t) }',
    expected: ['?t="a"'],
  },
  {
    name: 'what one solution deletes another may insert',
    standard: 'Update 3.1.3: all deletions come before all insertions',
    data: ':d :r :a . :a :r :c .',
    update: 'DELETE { ?a :q :c } INSERT { :d :q ?b } WHERE { ?a :r ?b }',
    expected: [':a :r :c .', ':d :q :a .', ':d :q :c .', ':d :r :a .'],
  },
  {
    name: 'COPY from a graph that is not there changes nothing when it is SILENT',
    standard: 'Update 3.2.3: an error, which SILENT keeps quiet',
    data: ':g1 { :d :p :c }',
    update: 'COPY SILENT :g3 TO :g1',
    expected: [':d :p :c :g1 .'],
  },
];
