/** SPARQL constraints and components: what their results say, what is refused, and that changes far away count. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { readSources } from '../../engine/storage/documents/read-sources.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { judgeChange } from '../../engine/validate/changes/judge-change.js';
import { termText } from '../../engine/validate/messages.js';
import { payloadSnapshot } from '../../engine/validate/payload.js';
import { findingsOf, reportOf } from '../../engine/validate/report.js';
import { validate } from '../../engine/validate/validate.js';
import { shapesOf, turtle, violations } from './support.js';

const PREFIX_NODE = ':o sh:declare [ sh:prefix "x" ; sh:namespace "http://example.org/"^^xsd:anyURI ] .';

test('a constraint of a property shape: $PATH, the value, the message with its variables', async () => {
  const shapes = `${PREFIX_NODE}
    :S sh:targetClass :C ; sh:property [ sh:path [ sh:inversePath :p ] ; sh:sparql [ sh:prefixes :o ;
      sh:message "{?value} has no x:ok, says {$this}" ;
      sh:select "SELECT $this ?value { $this $PATH ?value FILTER NOT EXISTS { ?value x:ok true } }" ] ] .`;
  const found = await violations(shapes, ':a a :C . :b :p :a . :c :p :a ; :ok true .');
  assert.equal(found.length, 1);
  const [{ focus_node, path, value, component, message, source_shape }] = found as [(typeof found)[number]];
  assert.deepEqual(
    [focus_node, path, value, component, source_shape],
    [
      'http://example.org/a',
      '^<http://example.org/p>',
      'http://example.org/b',
      'SPARQLConstraintComponent',
      'http://example.org/S',
    ],
  );
  assert.equal(message, 'http://example.org/b has no x:ok, says http://example.org/a');
});

test('a component with a parameter: one constraint for each of its values', async () => {
  const shapes = `:Component a sh:ConstraintComponent ; sh:parameter [ sh:path :startsWith ] ;
      sh:validator [ a sh:SPARQLAskValidator ; sh:message "{$value} does not start with {$startsWith}" ;
        sh:ask "ASK { FILTER STRSTARTS(STR($value), $startsWith) }" ] .
    :S sh:targetClass :C ; sh:property [ sh:path :p ; :startsWith "a", "ab" ] .`;
  const found = await violations(shapes, ':a a :C ; :p "abc", "ac" .');
  assert.deepEqual(
    found.map(({ value, component, message }) => [value, component, message]),
    [['ac', 'Component', 'ac does not start with ab']],
  );
});

test('queries that can not be run with variables that are bound before, or not at all', async () => {
  for (const [query, message] of [
    ['SELECT $this { $this ?p ?o MINUS { ?o ?p $this } }', /MINUS/],
    ['SELECT $this { FILTER EXISTS { VALUES ?x { 1 } } }', /VALUES/],
    ['SELECT $this { { SELECT ?o { $this ?p ?o } } }', /does not give \?this/],
    ['SELECT $this { BIND(1 AS ?this) }', /.*/],
    ['SELECT $this {', /<http:\/\/example.org\/S>.*can not be read/],
    ['ASK {}', /another kind of query/],
  ] as const) {
    const shapes = shapesOf(`:S sh:targetClass :C ; sh:sparql [ sh:select "${query}" ] .`);
    await assert.rejects(shapes, (error: unknown) => {
      assert.ok(error instanceof SvcError, query);
      assert.equal(error.httpStatus, 400);
      assert.match(error.message, message);
      return true;
    });
  }
});

test('a change that only the query sees is judged', async () => {
  const shapes = await shapesOf(`:S sh:targetClass :C ;
    sh:sparql [ sh:select "SELECT $this { $this <http://example.org/p> ?x . ?x <http://example.org/bad> true }" ] .`);
  const engine = openMemoryEngine({ now: () => 0 });
  const quads = async (text: string) => (await readSources([turtle(text)], {}, {})).quads;
  const first = engine.stage({});
  first.assert(await quads(':a a :C ; :p :x . :b a :C ; :p :y .'));
  await first.commit().durable;
  const stage = engine.stage({});
  stage.assert(await quads(':x :bad true .'));
  const [before, after] = [engine.snapshot(), stage.snapshot()];
  const rows = () => after.changes(after.tx);
  const change = { before: { snapshot: before }, after: { snapshot: after }, rows };
  const judgement = await judgeChange(shapes, change, {});
  assert.ok(judgement !== null);
  const found = findingsOf(judgement.results, judgement.fresh);
  assert.deepEqual(
    found.map(({ focus }) => termText(focus)),
    ['http://example.org/a'],
  );
});

test('many focus nodes are asked about together, and values of an ASK as well', async () => {
  const shapes = await shapesOf(`:Component a sh:ConstraintComponent ; sh:parameter [ sh:path :longerThan ] ;
      sh:validator [ sh:ask "ASK { FILTER(STRLEN(STR($value)) > $longerThan) }" ] .
    :S sh:targetClass :C ; sh:property [ sh:path :p ; :longerThan 2 ] ;
      sh:sparql [ sh:message "{$this} is near {?x}" ; sh:select
        "SELECT $this ?x { $this <http://example.org/near> ?x . FILTER NOT EXISTS { ?x <http://example.org/ok> $this } }" ] .`);
  const asked = { together: 0, alone: 0 };
  for (const { constraints } of shapes.shapes) {
    for (const constraint of constraints) {
      if (constraint.kind !== 'sparql') continue;
      const { query } = constraint.sparql;
      const counted = {
        ...query,
        mentioned: query.mentioned,
        execute: (...given: Parameters<typeof query.execute>) => {
          asked.alone++;
          return query.execute(...given);
        },
        executeEach: (...given: Parameters<typeof query.executeEach>) => {
          asked.together++;
          return query.executeEach(...given);
        },
      };
      Object.assign(constraint.sparql, { query: counted });
    }
  }
  const nodes = Array.from({ length: 2500 }, (_, at) => `:n${at} a :C ; :p "${at}" ; :near :n${(at + 1) % 2500} .`);
  const allowed = Array.from({ length: 2499 }, (_, at) => `:n${at + 1} :ok :n${at} .`);
  const snapshot = await payloadSnapshot([turtle([...nodes, ...allowed].join('\n'))], {});
  const results = await validate(shapes, { snapshot }, null, {});
  const { violations: found } = await reportOf(results);
  results.view.close();
  snapshot.close();
  assert.deepEqual(asked, { together: 6, alone: 0 });
  const near = found.filter(({ message }) => message.includes('near'));
  assert.deepEqual(
    near.map(({ message }) => message),
    ['http://example.org/n2499 is near http://example.org/n0'],
  );
  assert.equal(found.length, 1 + 100, 'texts of one or two digits');
});
