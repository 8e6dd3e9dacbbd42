/** Samples of two patterns' common rows: what they say, against the answers, and what they read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../../engine/query/query.js';
import type { ProbeRequest, StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { answer, PREFIXES, storeOf } from './support.js';

/** Persons and producers have countries; producers are in :c0 to :c4 only; each has fifty products. */
function worldOf(name: (thing: string) => string = (thing) => `:${thing}`): string {
  const lines: string[] = [];
  for (let at = 0; at < 2000; at++) lines.push(`${name(`person${at}`)} :country :c${at % 10} .`);
  for (let at = 0; at < 60; at++) lines.push(`${name(`producer${at}`)} :country :c${at % 5} .`);
  for (let at = 0; at < 3000; at++) {
    lines.push(`:product${at} :producer ${name(`producer${at % 60}`)} ; :weight ${at % 100} .`);
  }
  return lines.join('\n');
}

function probesOf(snapshot: StorageSnapshot): ProbeRequest[] {
  const requests: ProbeRequest[] = [];
  const probe = snapshot.probe.bind(snapshot);
  snapshot.probe = (request) => {
    requests.push(request);
    return probe(request);
  };
  return requests;
}

async function estimated(snapshot: StorageSnapshot, query: string): Promise<number> {
  return (await explain(snapshot, PREFIXES + query)).plan.estimatedRows;
}

for (const [kind, name] of [
  ['IRIs', undefined],
  ['blank nodes', (thing: string) => `_:${thing}`],
] as const) {
  test(`the rows of a selection are those of the values in it, which are ${kind}`, async () => {
    const snapshot = (await storeOf(worldOf(name))).snapshot();
    for (const country of [':c0', ':c2', ':c9']) {
      const query = `SELECT * { ?m :country ${country} . ?p :producer ?m }`;
      const rows = (await answer(snapshot, query)).length;
      const guess = await estimated(snapshot, query);
      assert.ok(guess <= Math.max(40, rows * 2) && guess >= rows / 2, `${country}: ${guess}, not ${rows}`);
    }
  });
}

test('values that lie together, of a selection of several batches', async () => {
  const lines: string[] = [];
  for (let at = 0; at < 300; at++) lines.push(`:producer${at} :country :c${at % 5} .`);
  for (let at = 0; at < 6000; at++) lines.push(`:person${at} :country :c0 .`);
  for (let at = 0; at < 3000; at++) lines.push(`:product${at} :producer :producer${at % 300} .`);
  const snapshot = (await storeOf(lines.join('\n'))).snapshot();
  const guess = await estimated(snapshot, 'SELECT * { ?m :country :c0 . ?p :producer ?m }');
  assert.ok(guess <= 1200 && guess >= 300, `${guess}, not 600`);
});

test('in a default graph of graphs that repeat each other', async () => {
  const world = worldOf();
  const snapshot = (await storeOf(`GRAPH :g1 { ${world} } GRAPH :g2 { ${world} }`)).snapshot();
  const query = 'SELECT * FROM :g1 FROM :g2 { ?m :country :c0 . ?p :producer ?m }';
  const rows = (await answer(snapshot, query)).length;
  const guess = await estimated(snapshot, query);
  assert.ok(guess <= rows * 4 && guess >= rows / 4, `${guess}, not ${rows}`);
});

test('a pair is sampled once, by few keys, and small patterns and plain statistics need no sample', async () => {
  const snapshot = (await storeOf(worldOf())).snapshot();
  const probes = probesOf(snapshot);
  const counted = (): number => probes.splice(0).filter((request) => request.counted === true).length;
  await explain(
    snapshot,
    `${PREFIXES} SELECT * { ?m :country :c0 . ?p :producer ?m ; :weight ?w OPTIONAL { ?m :name ?n } }`,
  );
  assert.equal(counted(), 1);
  await explain(snapshot, `${PREFIXES} SELECT * { ?p :producer :producer3 ; :weight ?w }`);
  assert.equal(counted(), 0, 'a star');
  await explain(snapshot, `${PREFIXES} SELECT * { ?m :country :c0 ; :country ?c . ?p :producer :producer3 }`);
  assert.equal(counted(), 0, 'the same subjects');
  const small = (await storeOf(':a :p :b . :b :q :c . :d :q :c .')).snapshot();
  const few = probesOf(small);
  await explain(small, `${PREFIXES} SELECT * { ?x :q :c . ?y :p ?x }`);
  assert.equal(few.filter((request) => request.counted === true).length, 0, 'few rows');
});

test('what nothing is left for is not read', async () => {
  const snapshot = (await storeOf(worldOf())).snapshot();
  const query = `SELECT (COUNT(*) AS ?n) { ?m :country :c9 . ?p :producer ?m ; :weight ?w }`;
  assert.deepEqual(await answer(snapshot, query), ['0^integer']);
  const { plan } = await explain(snapshot, PREFIXES + query, { analyze: true });
  const weights: (number | undefined)[] = [];
  const visit = (node: typeof plan): void => {
    if (node.detail.includes('weight')) weights.push(node.actual?.rows);
    node.inputs.forEach(visit);
  };
  visit(plan);
  assert.deepEqual(weights, [0], 'weights are looked up for what is left, and nothing is');
});
