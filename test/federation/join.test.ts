/** One query over the facts of several servers: rows, who is asked for what, who has failed, what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { federated, serverOf } from './support.js';

const join = { federated: 'join' };
const PEOPLE = '<urn:ann> <urn:knows> <urn:bob>, <urn:cy> . <urn:ann> <urn:name> "Ann" . <urn:cy> <urn:name> "Cy" .';
const NORTH = '<urn:bob> <urn:name> "Bob" ; <urn:address> [ <urn:city> "Oslo" ] . <urn:ann> <urn:name> "Ann" .';
const SOUTH = '<urn:bob> <urn:knows> <urn:dee> . <urn:dee> <urn:name> "Dee" ; <urn:age> 40 . <urn:cy> <urn:age> 30 .';

test('a join across three servers: each solution once, blank nodes followed, values in full', async (t) => {
  const [north, south] = await Promise.all([serverOf(t, NORTH), serverOf(t, SOUTH)]);
  const remotes = [
    { name: 'north', url: north.base, timeout_ms: 60_000, labels: { freshness: 'fresh' } },
    { name: 'south', url: south.base, timeout_ms: 60_000 },
  ];
  const here = await serverOf(t, PEOPLE, { federation: { remotes } });
  const rows = async (query: string) => {
    const answer = await federated(here, query, join);
    assert.deepEqual([answer.complete, answer.providers.map(({ error }) => error)], [true, [null, null, null]], query);
    return answer.rows;
  };
  assert.deepEqual(await rows('SELECT ?n { <urn:ann> <urn:knows> ?x . ?x <urn:name> ?n } ORDER BY ?n'), [
    { n: 'Bob' },
    { n: 'Cy' },
  ]);
  assert.deepEqual(await rows('SELECT (COUNT(*) AS ?c) { ?s <urn:name> ?n }'), [{ c: 4 }]);
  assert.deepEqual(await rows('SELECT ?c { ?x <urn:name> "Bob" ; <urn:address> ?a . ?a <urn:city> ?c }'), [
    { c: 'Oslo' },
  ]);
  assert.deepEqual(await rows('SELECT ?n { <urn:ann> <urn:knows>+ ?x . ?x <urn:name> ?n } ORDER BY ?n'), [
    { n: 'Bob' },
    { n: 'Cy' },
    { n: 'Dee' },
  ]);
  assert.deepEqual(
    await rows(
      'SELECT ?n ?a { ?x <urn:name> ?n OPTIONAL { ?x <urn:age> ?a } FILTER NOT EXISTS { ?x <urn:address> ?y } } ORDER BY ?n',
    ),
    [{ n: 'Ann' }, { n: 'Cy', a: 30 }, { n: 'Dee', a: 40 }],
  );
  const [{ a } = {}] = await rows('SELECT ?a { <urn:bob> <urn:address> ?a }');
  assert.match(String(a), /^_:north\.d/);
});
