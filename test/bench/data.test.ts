/** The generators: the same bytes by the same seed, valid N-Triples, the size asked for, every kind of term. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseSize, provideDataSet, SET_NAMES } from '../../bench/data/data-set.js';
import { Random } from '../../bench/data/random.js';
import { writeShop } from '../../bench/data/shop.js';
import { writeSocial } from '../../bench/data/social.js';
import { newStudent, provideUniversities, universityOntology } from '../../bench/reason/lubm.js';
import { openStore } from '../../interfaces/library/index.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [name, write] of Object.entries({ shop: writeShop, social: writeSocial })) {
  test(`${name}: the seed decides every byte`, () => {
    const [a, b, other] = ['a', 'b', 'c'].map((file) => join(folder, `${name}-${file}.nt`)) as [string, string, string];
    assert.equal(write(a, 20_000, 5), write(b, 20_000, 5));
    write(other, 20_000, 6);
    assert.ok(readFileSync(a).equals(readFileSync(b)));
    assert.ok(!readFileSync(a).equals(readFileSync(other)));
  });

  test(`${name}: about as many triples as asked for, all of them valid and distinct`, async () => {
    const path = join(folder, `${name}.nt`);
    const triples = write(path, 50_000, 1);
    assert.ok(Math.abs(triples - 50_000) < 5000, `${triples} triples`);
    const store = await openStore(':memory:');
    const result = await store.load(path);
    assert.equal(result.quadsRead, triples);
    assert.equal(result.quadsAdded, triples);
    await store.close();
  });

  test(`${name}: integers, dates, language tags and letters beyond ASCII`, () => {
    const path = join(folder, `${name}-kinds.nt`);
    write(path, 100_000, 2);
    const text = readFileSync(path, 'utf8');
    for (const kind of [/#integer>/, /#date>/, /"@de \./, /"@ja \./, /[\u0400-\u04ff]/, /\\[n"]/])
      assert.match(text, kind);
  });
}

test('random numbers keep to their half-open ranges and reach both ends', () => {
  const random = new Random(1);
  const seen = new Set<number>();
  for (let i = 0; i < 1000; i++) seen.add(random.between(3, 7));
  assert.deepEqual([...seen].sort(), [3, 4, 5, 6]);
  const popular = Array.from({ length: 10_000 }, () => random.popular(100, 2));
  assert.ok(popular.filter((index) => index < 25).length > 4500, 'half of the picks fall on the first quarter');
  assert.ok(popular.every((index) => index >= 0 && index < 100));
  const around = Array.from({ length: 10_000 }, () => random.around(50, 10, 0));
  const mean = around.reduce((total, value) => total + value, 0) / around.length;
  assert.ok(Math.abs(mean - 50) < 1, `mean ${mean}`);
});

test('sizes are read, and nonsense is refused', () => {
  assert.equal(parseSize('200k'), 200_000);
  assert.equal(parseSize('2.5M'), 2_500_000);
  for (const wrong of ['', 'x', '1G', '10', '-1M']) assert.throws(() => parseSize(wrong), { code: 'usage' });
});

test('a data set is generated once and used again', () => {
  const before = process.env.SVC_BENCH_DATA;
  process.env.SVC_BENCH_DATA = join(folder, 'cache');
  try {
    const said: string[] = [];
    const say = (line: string): number => said.push(line);
    const made = provideDataSet(SET_NAMES[0] as 'bsbm', '5k', say);
    const again = provideDataSet(SET_NAMES[0] as 'bsbm', '5k', say);
    assert.equal(said.length, 1);
    assert.deepEqual(again, made);
    assert.equal(made.bytes, readFileSync(made.path).length);
  } finally {
    if (before === undefined) delete process.env.SVC_BENCH_DATA;
    else process.env.SVC_BENCH_DATA = before;
  }
});

test('universities: made once, 73 axioms, of which each family says something of the data', async (context) => {
  const kept = process.env.SVC_BENCH_DATA;
  process.env.SVC_BENCH_DATA = folder;
  context.after(() => {
    if (kept === undefined) delete process.env.SVC_BENCH_DATA;
    else process.env.SVC_BENCH_DATA = kept;
  });
  const said: string[] = [];
  const path = provideUniversities(20_000, (line) => said.push(line));
  assert.equal(
    provideUniversities(20_000, (line) => said.push(line)),
    path,
  );
  assert.equal(said.length, 1);
  const store = await openStore(':memory:', { features: ['owl'] });
  await store.load({ path });
  await store.load({ text: newStudent(0).join('\n'), format: 'ntriples' });
  const { axioms, materialized } = await store.loadOntology('u', universityOntology());
  assert.equal(axioms.total_triples, 73);
  for (const [family, count] of Object.entries(materialized ?? {})) {
    if (family !== 'retracted' && family !== 'equivalent_class_inferences') assert.ok(count > 0, family);
  }
  const before = store.transactions().length;
  const { asserted } = await store.materialize().then((result) => result.materialized ?? { asserted: -1 });
  assert.deepEqual([asserted, store.transactions().length], [0, before]);
  await store.close();
});
