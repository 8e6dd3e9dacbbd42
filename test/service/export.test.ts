/** Export: order, scopes, byte-identical repetition, spilling, and the way back into a store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineSorter } from '../../engine/service/documents/line-sorter.js';
import { type Format, openStore, type Store, SvcError } from '../../interfaces/library/index.js';

const EX = 'http://example.org/';
const TRIG = `@prefix : <${EX}> .
:b :p "é\\n\\"x\\"", "\u{10400}", "\uffee" . :a :q _:x ; a :T ; :p 1, 01, "w"@EN . [] :p :a .
:g { :a :p :c . _:x :p "in g" } :f { :z :p :z }`;

async function exported(store: Store, format: Format, options = {}): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.export(format, options)) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

async function filled(): Promise<Store> {
  const store = await openStore(':memory:');
  await store.load({ text: TRIG, format: 'trig' });
  return store;
}

test('N-Triples: ROOT only, canonical lines, sorted by code point', async () => {
  const store = await filled();
  const lines = (await exported(store, 'ntriples')).split('\n').slice(0, -1);
  assert.equal(lines.length, 9);
  const labels = lines.filter((line) => line.startsWith('_:'));
  assert.equal(labels.length, 1);
  assert.match(labels[0] as string, /^_:d[0-9a-f]{16}a0 <http:\/\/example\.org\/p> <http:\/\/example\.org\/a> \.$/);
  const ofB = lines
    .filter((line) => line.startsWith(`<${EX}b>`))
    .map((line) => line.slice(`<${EX}b> <${EX}p> `.length));
  assert.deepEqual(ofB, ['"é\\n\\"x\\"" .', '"\uffee" .', '"\u{10400}" .']);
  const ofA = lines.filter((line) => line.startsWith(`<${EX}a>`));
  assert.match(ofA[0] as string, /"01"\^\^<http:\/\/www\.w3\.org\/2001\/XMLSchema#integer> \.$/);
  assert.match(ofA[2] as string, /"w"@EN \.$/);
  await store.close();
});

test('N-Quads: every graph, ROOT as the default graph; one graph on request', async () => {
  const store = await filled();
  const all = await exported(store, 'nquads');
  assert.equal(all.split('\n').length - 1, 12);
  assert.ok(all.includes(`<${EX}a> <${EX}p> <${EX}c> <${EX}g> .\n`));
  assert.equal(await exported(store, 'ntriples', { graph: `${EX}f` }), `<${EX}z> <${EX}p> <${EX}z> .\n`);
  assert.equal(await exported(store, 'nquads', { graph: `${EX}f` }), `<${EX}z> <${EX}p> <${EX}z> <${EX}f> .\n`);
  assert.equal(await exported(store, 'ntriples', { graph: 'urn:svc:graph:root' }), await exported(store, 'ntriples'));
  await assert.rejects(
    exported(store, 'ntriples', { graph: `${EX}none` }),
    (error: unknown) => error instanceof SvcError && error.code === 'not_found_in_store',
  );
  await store.close();
});

test('Turtle: subjects and predicates in order, `a` first, prefixes that are used only', async () => {
  const store = await filled();
  const prefixes = { ex: EX, unused: 'http://unused.example/' };
  const text = await exported(store, 'turtle', { prefixes });
  assert.ok(text.startsWith(`@prefix ex: <${EX}> .\n`), text);
  assert.ok(!text.includes('unused'));
  assert.ok(text.indexOf('ex:a a ex:T') > 0 && text.indexOf('ex:a a ex:T') < text.indexOf('ex:b'), text);
  await store.close();
});

test('what is exported comes back the same, from every format that can carry it', async () => {
  const store = await filled();
  const whole = await exported(store, 'nquads');
  const root = await exported(store, 'ntriples');
  for (const format of ['nquads', 'trig', 'jsonld', 'ntriples', 'turtle', 'rdfxml'] as const) {
    const text = await exported(store, format);
    assert.equal(text, await exported(store, format), `${format}: two exports differ`);
    const copy = await openStore(':memory:');
    await copy.load({ text, format }, { blankNodeScope: 'store' });
    const named = ['nquads', 'trig', 'jsonld'].includes(format);
    assert.equal(await exported(copy, 'nquads'), named ? whole : root, format);
    await copy.close();
  }
  await store.close();
});

test('an empty store exports nothing', async () => {
  const store = await openStore(':memory:');
  assert.equal(await exported(store, 'ntriples'), '');
  assert.equal(await exported(store, 'nquads'), '');
  await store.close();
});

test('lines beyond the memory bound are sorted on disk, with the same outcome', async () => {
  // Some tools take the last three for ends of lines.
  const marks = ['\u{10400}', '\uffee', '', 'é'.repeat(3000), '\u2028x', '\u2029x', '\u0085x'];
  const lines = Array.from({ length: 5000 }, (_, at) => `line ${(at * 7919) % 3000} ${marks[at % marks.length]}`);
  const outcomes: string[][] = [];
  for (const memoryBytesMax of [1 << 30, 20_000]) {
    const sorter = new LineSorter({}, memoryBytesMax);
    for (let at = 0; at < lines.length; at += 100) await sorter.add(lines.slice(at, at + 100));
    for (const _ of [1, 2]) {
      const outcome: string[] = [];
      for await (const batch of sorter.sorted()) outcome.push(...batch);
      outcomes.push(outcome);
    }
    assert.equal(sorter.spills > 3, memoryBytesMax < 1 << 30);
    await sorter.close();
  }
  const expected = [...new Set(lines)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const outcome of outcomes) assert.deepEqual(outcome, expected);
});
