/** Texts as skeletons with constants, and queries from templates instead of from the parser. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery, shapeOf } from '../../engine/query/parse/parse.js';
import { skeletonOf, textWith } from '../../engine/query/parse/templates/fingerprint.js';
import { instantiate } from '../../engine/query/parse/templates/query-templates.js';

const PREFIXES = 'PREFIX : <http://example.org/> PREFIX ex: <urn:ex:>\n';
const XSD = 'PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ';

function constantsOf(text: string): string[] | null {
  const found = skeletonOf(text);
  return found === null ? null : found.constants.map((constant, at) => `${found.kinds[at]} ${constant}`);
}

test('what is a constant', () => {
  const cases: readonly [text: string, constants: readonly string[] | null][] = [
    ['SELECT * { ?s <urn:p> <urn:o> }', ['iri urn:p', 'iri urn:o']],
    ['SELECT * { :a ex:b.c ex: . _:x a true }', ['local a', 'local b.c']],
    [
      'SELECT * { ?s :p 1, -2, 3.5, .5, 1e3, 1.5E-3, 007 }',
      ['local p', 'integer 1', 'integer 2', 'decimal 3.5', 'decimal .5', 'double 1e3', 'double 1.5E-3'],
    ],
    [
      `SELECT * { ?s :p "x", 'y"', "z"@en-GB, "1"^^<urn:t>, "2"^^ex:t }`,
      ['local p', 'string x', 'string y"', 'string z', 'string 1', 'string 2'],
    ],
    ['SELECT * { ?s :p ?o } LIMIT 10 OFFSET 20', ['local p']],
    ['PREFIX ex: <urn:ex:> BASE <urn:base> SELECT * FROM <urn:g> FROM NAMED <urn:h> { ?s ex:p ?o }', ['local p']],
    ['SELECT * { ?s <relative> <../x> ; <http://e/a/../b> 1 }', ['integer 1']],
    ['SELECT * { ?s :p """long "1" <urn:x>""", "esc\\n" }', null],
    ['SELECT * { ?s :p "one\\\\" }', null],
    ['# a <urn:comment> "1"\nASK { :a :b 2 }', ['local a', 'local b', 'integer 2']],
    ['SELECT * { ?s :été 1 }', null],
    ['SELECT * { ?s :p "été" }', ['local p', 'string été']],
    ['SELECT * { ?x1 :p1 ?_2 . FILTER(?x1<5 && ?_2>6) }', ['local p1', 'integer 5', 'integer 6']],
    ['SELECT * { ?s :a%20b :c:d . ?s :e. }', ['local a%20b', 'local c:d', 'local e']],
    ['SELECT * { ?s :p "\ud800" }', null],
    ['ASK { ?s :p 1 \u0001 }', null],
  ];
  for (const [text, constants] of cases) assert.deepEqual(constantsOf(text), constants, text);
});

test('a skeleton with its constants is the text again, up to comments and quotes', () => {
  const text = `${PREFIXES}SELECT * { :a ex:b "x", 'y"' ; <urn:p> 1.5 FILTER(?x > -3) } LIMIT 3`;
  const { skeleton, kinds, constants } = skeletonOf(text) as NonNullable<ReturnType<typeof skeletonOf>>;
  assert.equal(textWith(skeleton, kinds, constants), text);
});

/** Blank nodes of a text are numbered over all texts. */
const shown = (value: unknown): string => JSON.stringify(value).replace(/g_\d+/g, 'g');

/** The queries of the later ones of texts of one shape, made from the template; null where there is none. */
function fromTemplate(texts: readonly string[]): boolean {
  let all = true;
  texts.forEach((text, at) => {
    const shaped = shapeOf(PREFIXES + text);
    if (at === 0) assert.equal(shaped, null);
    else if (shaped === null) all = false;
    else assert.equal(shown(instantiate(shaped.template, shaped.values)), shown(parseQuery(PREFIXES + text)), text);
  });
  return all;
}

test('queries from templates are those of the parser', () => {
  const shapes: readonly (readonly string[])[] = [
    ['SELECT * { :a1 :p ?o }', 'SELECT * { :b1 :p ?o }', 'SELECT * { :c1 :q ?o }'],
    ['SELECT ?s { ?s :p 1, "x"@en ; :q [ :r -5 ] }', 'SELECT ?s { ?s :p 2, "y"@en ; :q [ :r -7 ] }'],
    ['SELECT * { ?s :p ?o FILTER(?o > 1 + 2) } LIMIT 5', 'SELECT * { ?s :p ?o FILTER(?o > 3 + 4) } LIMIT 5'],
    ['CONSTRUCT { _:b :x ?o ; :y "s" } { ?s :p ?o }', 'CONSTRUCT { _:b :z ?o ; :y "t" } { ?s :q ?o }'],
    [
      'SELECT * { VALUES (?a ?b) { (:x 1) (UNDEF "2"^^:t) } }',
      'SELECT * { VALUES (?a ?b) { (:y 3) (UNDEF "4"^^:t) } }',
    ],
    ['DESCRIBE :a2 ?x { ?x :p :b2 }', 'DESCRIBE :a3 ?x { ?x :p :b3 }'],
    ['SELECT * { ?s :p/:q* :o }', 'SELECT * { ?s :r/:q* :u }', 'SELECT * { ?s :r/:t* :u }'],
    [
      'SELECT (GROUP_CONCAT(?o; SEPARATOR="a") AS ?x) { ?s :p ?o }',
      'SELECT (GROUP_CONCAT(?o; SEPARATOR="b") AS ?x) { ?s :q ?o }',
    ],
    [`${XSD}SELECT (xsd:int(?o + 1) AS ?x) { ?s :p ?o }`, `${XSD}SELECT (xsd:int(?o + 2) AS ?x) { ?s :q ?o }`],
    [
      'SELECT * { GRAPH :g { ?s ?p :o } MINUS { ?s ?p "x" } }',
      'SELECT * { GRAPH :h { ?s ?p :u } MINUS { ?s ?p "y" } }',
    ],
    ['SELECT * { ?s ?p 01 , 2 }', 'SELECT * { ?s ?p 01 , 3 }'],
    ['SELECT * { ?s ?p "791900000" , 1 }', 'SELECT * { ?s ?p "x" , 2 }', 'SELECT * { ?s ?p "y791900001" , 2 }'],
  ];
  for (const texts of shapes) assert.ok(fromTemplate(texts), texts[0]);
});

test('what the text itself is for stays with the parser', () => {
  for (const text of ['ASK { ?s :p }', 'ASK { :a none:b 1 }']) {
    for (const _ of [1, 2, 3]) {
      const other = text.replace('p', 'q');
      assert.equal(shapeOf(PREFIXES + text), null);
      assert.throws(
        () => {
          if (shapeOf(PREFIXES + other) === null) parseQuery(PREFIXES + other);
        },
        { code: 'parse_error' },
      );
    }
  }
});
