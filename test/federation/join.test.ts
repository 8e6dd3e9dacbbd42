/** One query over the facts of several servers: rows, who is asked for what, who has failed, what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json } from '../http/support.js';
import { federated, serverOf, updated } from './support.js';

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

const PEOPLE_MANY = 3000;

test('many bindings: batches that grow, no more than a LIMIT needs, nothing cut by the bounds of a remote', async (t) => {
  const line = (at: number, text: string): string => `<urn:s${at}> ${text} .`;
  const all = Array.from({ length: PEOPLE_MANY }, (_, at) => at);
  const names = all.filter((at) => at % 2 === 0).map((at) => line(at, `<urn:name> "n${at}"`));
  const others = all.filter((at) => at % 2 === 1).map((at) => line(at, `<urn:name> "n${at}"`));
  // What nobody asks for makes the whole too much to be sent.
  const more = Array.from({ length: 20_000 }, (_, at) => `<urn:other${at}> <urn:name> "o${at}" .`);
  const [north, south] = await Promise.all([
    serverOf(t, [...names, ...more].join('\n'), { search: { max_sparql_rows: 5 } }),
    serverOf(t, others.join('\n')),
  ]);
  const remotes = [north, south].map(({ base }, at) => ({ name: `r${at}`, url: base, timeout_ms: 60_000 }));
  const likes = all.map((at) => `<urn:w${at % 7}> <urn:likes> <urn:s${at}> .`).join('\n');
  const here = await serverOf(t, likes, { federation: { remotes } });
  const query = 'SELECT ?s ?n { ?w <urn:likes> ?s . ?s <urn:name> ?n }';
  const explained = async (text: string): Promise<string> => {
    const response = await here.post('/query/explain', { query: text, federated: 'join', analyze: true });
    return ((await json(response)) as { text: string }).text;
  };
  const { rows, complete } = await federated(here, query, join);
  assert.deepEqual([new Set(rows.map(({ n }) => n)).size, rows.length, complete], [PEOPLE_MANY, PEOPLE_MANY, true]);
  const whole = await explained(query);
  assert.match(whole, /members \?s <urn:name> \?n of r0 \(21500\), r1 \(1500\) for \?s/);
  assert.match(whole, /^ {2}1\. to r[01] for 100 combinations: 50 rows in [\d.]+ ms$/m);
  const limited = await explained(`${query} LIMIT 10`);
  assert.match(limited, /for \?s: 2\n/);
  // A page is enough for a LIMIT, and everything for the rest.
  assert.match(await explained('SELECT * { ?s <urn:name> ?n } LIMIT 10'), /to r0 for a page of 1,000 rows: 1,000 rows/);
  const counted = await federated(here, 'SELECT (COUNT(*) AS ?c) { ?s <urn:name> ?n }', join);
  assert.deepEqual(counted.rows, [{ c: 23_000 }]);
});

test('only members that can answer are asked; a group of one is sent whole; what is known ends with a write', async (t) => {
  const [north, south] = await Promise.all([
    serverOf(t, '<urn:a> <urn:p> <urn:b> . <urn:b> <urn:q> 1, 2 .'),
    serverOf(t, '<urn:a> <urn:r> 3 .'),
  ]);
  await updated(south, 'INSERT DATA { GRAPH <urn:g> { <urn:x> <urn:p> <urn:y> } }');
  const remotes = [north, south].map(({ base }, at) => ({ name: `r${at}`, url: base, timeout_ms: 60_000 }));
  const here = await serverOf(t, '<urn:a> <urn:s> 4 . <urn:x> <urn:s> 5 .', { federation: { remotes } });
  const query = 'SELECT * { ?a <urn:p> ?b . ?b <urn:q> ?c FILTER(?c > 1) . ?a <urn:r> ?d . ?a <urn:s> ?e }';
  const explained = await here.post('/query/explain', { query, federated: 'join', analyze: true });
  const { text } = (await json(explained)) as { text: string };
  assert.match(text, /members \?a <urn:p> \?b \. \?b <urn:q> \?c of r0 \(1\)/);
  assert.match(text, /to r0 for [^:]+: 1 rows/);
  assert.match(text, /members \?a <urn:r> \?d of r1 \(1\)/);
  const asked = async () => (await federated(here, query, join)).rows;
  assert.deepEqual(await asked(), [{ a: 'urn:a', b: 'urn:b', c: 2, d: 3, e: 4 }]);
  await updated(south, 'INSERT DATA { <urn:b> <urn:q> 7 }');
  assert.equal((await asked()).length, 2);
  const named = await federated(here, 'SELECT * { GRAPH ?g { ?x <urn:p> ?y } ?x <urn:s> ?e }', join);
  assert.deepEqual(named.rows, [{ g: 'urn:g', x: 'urn:x', y: 'urn:y', e: 5 }]);
  const from = await federated(here, 'SELECT * FROM <urn:g> { ?x <urn:p> ?y }', join);
  assert.deepEqual(from.rows, [{ x: 'urn:x', y: 'urn:y' }]);
  const metrics = await (await here.get('/metrics')).text();
  assert.match(metrics, /svc_federation_requests_total\{member="r0"\} [1-9]/);
});
