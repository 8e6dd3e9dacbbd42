/** The stores of the variants: what they show is exactly the document, whatever else they hold. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeSocial } from '../../bench/data/social.js';
import { describeMachine } from '../../bench/harness/machine.js';
import { parseSparqlOptions } from '../../bench/sparql/options.js';
import { ResultFolder } from '../../bench/sparql/results.js';
import { isChosen, readLines } from '../../bench/sparql/variants/decoys.js';
import { readVariants, renderVariant } from '../../bench/sparql/variants/report.js';
import {
  type MadeStore,
  makeDelta,
  makeGraphs,
  makeHistory,
  makePlain,
  toTimeOptions,
} from '../../bench/sparql/variants/stores.js';
import { openStore } from '../../interfaces/library/index.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-variants-'));
const before = process.env.SVC_BENCH_DATA;
process.env.SVC_BENCH_DATA = folder;
after(() => {
  rmSync(folder, { recursive: true, force: true });
  if (before === undefined) delete process.env.SVC_BENCH_DATA;
  else process.env.SVC_BENCH_DATA = before;
});
const document = join(folder, 'social.nt');
writeSocial(document, 1500, 1);
const lines = new Set(readFileSync(document, 'utf8').trim().split('\n'));

async function shown(made: MadeStore): Promise<ReadonlyMap<string, readonly string[]>> {
  const store = await openStore(made.path, { readOnly: true });
  const answers = new Map<string, readonly string[]>();
  for (const slice of made.slices) {
    const answer = await store.query('CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }', {
      ...toTimeOptions(slice),
      inference: false,
    });
    const parts: string[] = [];
    for await (const part of answer.encode('ntriples'))
      parts.push(typeof part === 'string' ? part : Buffer.from(part).toString());
    answers.set(slice.name, parts.join('').trim().split('\n').sort());
  }
  await store.close();
  return answers;
}

async function checkShown(made: MadeStore, slices: readonly string[]): Promise<void> {
  const plain = (await shown(await makePlain(document))).get('now');
  assert.equal(plain?.length, lines.size);
  const answers = await shown(made);
  assert.deepEqual([...answers.keys()], slices);
  for (const [slice, rows] of answers) assert.deepEqual(rows, plain, slice);
}

for (const percent of [10, 50, 90]) {
  test(`a store with ${percent} % history shows the document at every slice`, async () => {
    const made = await makeHistory(document, percent);
    const share = (100 * (made.rows - made.visible)) / made.rows;
    assert.ok(Math.abs(share - percent) < 8, `${share} % of ${made.rows} rows are history`);
    await checkShown(made, ['now', 'valid_at', 'tx', 'both']);
  });
}

test('a store with other graphs shows the document in ROOT', async () => {
  const made = await makeGraphs(document, 9.5, 100);
  assert.ok(made.rows > 7 * made.visible, `${made.rows} rows, ${made.visible} in ROOT`);
  await checkShown(made, ['now']);
});

test('a store with a delta shows the document, a hundredth of it from the delta', async () => {
  const made = await makeDelta(document);
  const store = await openStore(made.path, { readOnly: true });
  const { transactions } = store.stats();
  await store.close();
  assert.ok(transactions >= 2);
  await checkShown(made, ['now']);
});

test('decoys: subject and predicate of the line, an object of the predicate; shares are about right', async () => {
  const objects = new Map<string, Set<string>>();
  let different = 0;
  let total = 0;
  for await (const { text, subject, predicate, object, decoy } of readLines(document, 3)) {
    assert.equal(text, `${subject} ${predicate} ${object} .`);
    const known = objects.get(predicate) ?? new Set<string>();
    objects.set(predicate, known.add(object));
    assert.ok(known.has(decoy));
    total++;
    if (decoy !== object) different++;
  }
  assert.equal(total, lines.size);
  assert.ok(different > total / 2);
  for (const share of [0.01, 0.3, 1]) {
    const chosen = Array.from({ length: 20_000 }, (_, at) => at).filter((at) => isChosen(at, 2, share)).length;
    assert.ok(Math.abs(chosen / 20_000 - share) < 0.02, `${chosen} of 20,000 for ${share}`);
  }
});

test('options: one variant, with sizes of its own', () => {
  assert.equal(parseSparqlOptions([]).variant, null);
  assert.deepEqual(parseSparqlOptions(['--growth']).sizes, ['1M', '5M', '20M']);
  assert.deepEqual(parseSparqlOptions(['--graphs']).sizes, ['200k']);
  assert.throws(() => parseSparqlOptions(['--time', '--delta']), { code: 'usage' });
});

test('a report is made of what stands in the folder, and says what is missing', () => {
  const results = new ResultFolder('report');
  const options = parseSparqlOptions(['--time', '--sets', 'bsbm,watdiv', '--sizes', '1k,2k', '--report']);
  const made = { path: '', rows: 20, visible: 10, slices: [{ name: 'now' }] };
  const compared = [{ label: 'Q1', slice: 'now', ms: 6, plainMs: 3, error: null }];
  results.writeVariant({
    variant: 'time',
    data: 'watdiv',
    size: '2k',
    date: new Date(0).toISOString(),
    machine: describeMachine(),
    settings: { runs: 1, budgetMs: 0, timeoutMs: 1 },
    results: [{ title: '50 % history, watdiv-2k', made, compared, error: null }],
  });
  const { measured, missing } = readVariants(options, 'time', results);
  assert.deepEqual(missing, ['bsbm-1k', 'bsbm-2k', 'watdiv-1k']);
  const text = renderVariant('time', measured);
  assert.match(text, /Measured on 1970-01-01/);
  assert.match(text, /50 % history, watdiv-2k.*now 2\.00x.*\| Q1 /s);
});
