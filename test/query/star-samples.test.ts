/** Stars with a selection: what a sample of its subjects says, against the answers, and what it reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../../engine/query/query.js';
import type { ProbeRequest, ScanRequest, StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { answer, PREFIXES, storeOf } from './support.js';

/** Classes of things, one of which alone has makers; half of its things are red, and every third of those is large. */
function worldOf(things: number, classes = 10, name: (at: number) => string = (at) => `:thing${at}`): string {
  const lines: string[] = [];
  for (let at = 0; at < things; at++) {
    lines.push(`${name(at)} a :Class${at % classes} ; :label ${at} .`);
    if (at % classes !== 1) continue;
    const colour = at % (2 * classes) === 1 ? ':red' : ':blue';
    lines.push(`${name(at)} :maker :maker${at % 70} ; :colour ${colour} ; :code ${at} , ${-at} .`);
    if (at % (6 * classes) === 1) lines.push(`${name(at)} :size :large .`);
  }
  return lines.join('\n');
}

function requestsOf(snapshot: StorageSnapshot): { readonly probes: ProbeRequest[]; readonly scans: ScanRequest[] } {
  const requests = { probes: [] as ProbeRequest[], scans: [] as ScanRequest[] };
  const { probe, scan } = { probe: snapshot.probe.bind(snapshot), scan: snapshot.scan.bind(snapshot) };
  snapshot.probe = (request) => {
    requests.probes.push(request);
    return probe(request);
  };
  snapshot.scan = (request) => {
    requests.scans.push(request);
    return scan(request);
  };
  return requests;
}

const QUERIES = [
  '{ ?s a :Class1 ; :maker ?m }',
  '{ ?s a :Class1 ; :maker ?m ; :label ?l ; :code ?c }',
  '{ ?s :colour :red ; :size :large ; :label ?l }',
  '{ ?s a :Class1 ; :colour :red ; :label ?l }',
  '{ ?s a :Class0 ; :label ?l }',
  '{ ?s :size :large ; a ?class ; :label ?l ; :maker ?m }',
];

for (const [kind, things, classes, name] of [
  ['IRIs', 24_000, 10, undefined],
  ['blank nodes', 24_000, 10, (at: number) => `_:thing${at}`],
  ['of several batches', 36_000, 2, undefined],
] as const) {
  test(`rows of stars with a selection, subjects ${kind}`, async () => {
    const snapshot = (await storeOf(worldOf(things, classes, name))).snapshot();
    for (const query of QUERIES) {
      const rows = Number.parseInt((await answer(snapshot, `SELECT (COUNT(*) AS ?n) ${query}`))[0] as string, 10);
      const { estimatedRows } = (await explain(snapshot, `${PREFIXES} SELECT * ${query}`)).plan;
      assert.ok(estimatedRows <= rows * 2 && estimatedRows >= rows / 2, `${query}: ${estimatedRows}, not ${rows}`);
    }
  });
}

test('what a selection never has', async () => {
  const snapshot = (await storeOf(worldOf(24_000))).snapshot();
  for (const query of [
    'SELECT * { ?s a :Class0 ; :maker ?m }',
    'SELECT * { ?s :colour :blue ; :size :large ; :label ?l }',
  ]) {
    assert.deepEqual(await answer(snapshot, query), []);
    const { estimatedRows } = (await explain(snapshot, PREFIXES + query)).plan;
    assert.ok(estimatedRows <= 40, `${query}: ${estimatedRows}`);
  }
});

test('a sample is a few keys, each pattern looked up once, and small stars and whole predicates need none', async () => {
  const snapshot = (await storeOf(`${worldOf(12_000)}\n:odd a :Single ; :label 1 ; :kind :same .`)).snapshot();
  const { probes, scans } = requestsOf(snapshot);
  const counted = (): number => probes.splice(0).filter((request) => request.counted === true).length;
  await explain(snapshot, `${PREFIXES} SELECT * { ?s a :Class1 ; :maker ?m ; :label ?l OPTIONAL { ?s :code ?c } }`);
  assert.equal(counted(), 2);
  const selections = scans.splice(0).filter(({ pattern }) => pattern.o?.kind === 'id');
  assert.equal(selections.length, 1, 'the selection is read once');
  await explain(snapshot, `${PREFIXES} SELECT * { ?s a :Single ; :label ?l }`);
  assert.equal(counted(), 0, 'one row');
  await explain(snapshot, `${PREFIXES} SELECT * { ?s :size :large ; :label ?l }`);
  assert.equal(counted(), 0, 'all rows of a predicate');
  await explain(snapshot, `${PREFIXES} SELECT * { ?s :colour :red ; :size :large }`);
  assert.equal(counted(), 0, 'few rows in all');
});
