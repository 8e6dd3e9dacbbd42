/** Characteristic sets: what a sample says of stars, against what the store holds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCharacteristicSets } from '../../engine/query/plan/statistics/characteristic-sets.js';
import { StarRows } from '../../engine/query/plan/statistics/star-rows.js';
import { explain } from '../../engine/query/query.js';
import { terms } from '../../engine/rdf/terms.js';
import { payloadOf, ROOT_ID } from '../../engine/storage/ids/layout.js';
import type { ScanRequest, StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { answer, PREFIXES, storeOf } from './support.js';

const ROOT = { kind: 'one', graph: ROOT_ID } as const;

/** Half of the subjects have :a and :b (three times), the others :a and :c; :rare stands at one in a thousand. */
function factsOf(subjects: number, name = ':s'): string {
  return Array.from({ length: subjects }, (_, at) => {
    const rest = at % 2 === 0 ? ':b 1 , 2 , 3' : ':c 4';
    return `${name}${at} :a ${at} ; ${rest} .${at % 1000 === 7 ? ` ${name}${at} :rare 1 .` : ''}`;
  }).join('\n');
}

function numberOf(snapshot: StorageSnapshot, name: string): number {
  const id = snapshot.encode(terms.namedNode(`http://example.org/${name}`));
  assert.ok(id !== null);
  return Number(payloadOf(id));
}

function starOf(snapshot: StorageSnapshot, names: readonly string[], share = 1): StarRows {
  const sets = findCharacteristicSets(snapshot, ROOT);
  return new StarRows(
    sets,
    names.map((name) => ({ predicate: numberOf(snapshot, name), share })),
  );
}

const near = (actual: number | null, expected: number, message: string): void =>
  assert.ok(
    actual !== null && actual > expected / 1.5 && actual < expected * 1.5,
    `${message}: ${actual}, not ${expected}`,
  );

for (const [kind, name] of [
  ['IRIs', ':s'],
  ['blank nodes', '_:s'],
] as const) {
  test(`predicates that depend on each other, subjects that are ${kind}`, async () => {
    const snapshot = (await storeOf(factsOf(20_000, name))).snapshot();
    const star = starOf(snapshot, ['a', 'b', 'c', 'rare']);
    near(star.factor(0b0001, 1), 1.5, 'b where a is');
    near(star.factor(0b0001, 2), 0.5, 'c where a is');
    near(star.factor(0b0010, 0), 1, 'a where b is');
    near(star.factor(0b0011, 0), 1, 'a once more');
    assert.ok((star.factor(0b0010, 2) as number) < 0.01, 'c is never where b is');
    assert.ok((star.factor(0b0001, 3) as number) < 0.05, 'rare');
    const subjects = findCharacteristicSets(snapshot, ROOT).sets.reduce((sum, set) => sum + set.subjects, 0);
    near(subjects, 20_000, 'subjects');
  });
}

test('a share of a predicate, patterns that nothing has, one huge subject, an empty store', async () => {
  const snapshot = (await storeOf(factsOf(5000))).snapshot();
  near(starOf(snapshot, ['a', 'b'], 0.1).factor(0b01, 1), 0.15, 'a tenth of b');
  const star = new StarRows(findCharacteristicSets(snapshot, ROOT), [
    { predicate: 987654321, share: 1 },
    { predicate: numberOf(snapshot, 'a'), share: 1 },
  ]);
  assert.equal(star.factor(0b01, 1), null);
  const huge = Array.from({ length: 9000 }, (_, at) => `:hub :p :o${at} .`).join('\n');
  const hub = (await storeOf(`${huge} :z :p :q .`)).snapshot();
  near(starOf(hub, ['p', 'p']).factor(0b01, 1), 4500, 'the hub has them all');
  assert.deepEqual(findCharacteristicSets((await storeOf('')).snapshot(), ROOT).sets, []);
});

test('they are found once for a state of the store, and the plan of a star says so', async () => {
  const snapshot = (await storeOf(factsOf(4000))).snapshot();
  const requests: ScanRequest[] = [];
  const scan = snapshot.scan.bind(snapshot);
  snapshot.scan = (request) => {
    requests.push(request);
    return scan(request);
  };
  const query = 'SELECT * { ?s :a ?x ; :b ?y ; :c ?z }';
  for (let run = 0; run < 3; run++) await answer(snapshot, query);
  assert.equal(requests.filter(({ pattern }) => Object.keys(pattern).length === 0).length, 1);
  const { plan } = await explain(snapshot, PREFIXES + query);
  assert.ok(plan.estimatedRows < 500, String(plan.estimatedRows));
});
