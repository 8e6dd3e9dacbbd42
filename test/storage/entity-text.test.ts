/** The text of which the vector of an entity is made. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RDF_NS, RDFS, type Term, terms } from '../../engine/rdf/terms.js';
import {
  factsOf,
  hashOfText,
  lastTextChange,
  textOf,
  textsOf,
} from '../../engine/storage/indexes/vectors/entity-text.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { CURRENT, type StorageSnapshot, type TimeSlice } from '../../engine/storage/seam/scan.js';
import { node, quad, typed } from './scan-support.js';
import { write } from './stage-support.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const TYPE = terms.namedNode(`${RDF_NS}type`);
const LABEL = terms.namedNode(`${RDFS}label`);
const COMMENT = terms.namedNode(`${RDFS}comment`);
const ACTIVITY = terms.namedNode('http://www.w3.org/ns/prov#Activity');

function texts(engine: StorageEngine, names: readonly Term[], time: TimeSlice = CURRENT): Map<string, string> {
  return reading(engine, (snapshot) => {
    const ids = names.flatMap((name) => snapshot.encode(name) ?? []);
    const found = textsOf(snapshot, ids, time);
    for (const { text, hash } of found) assert.equal(hash, hashOfText(text));
    const nameOf = new Map(names.map((name) => [snapshot.encode(name), name.value.replace(/^.*\//, '')]));
    return new Map(found.map(({ entity, text }) => [nameOf.get(entity) as string, text]));
  });
}

function reading<Result>(engine: StorageEngine, read: (snapshot: StorageSnapshot) => Result): Result {
  const snapshot = engine.snapshot();
  try {
    return read(snapshot);
  } finally {
    snapshot.close();
  }
}

for (const [kind, open] of [
  ['a file', () => openLmdbEngine(folder.fresh())],
  ['memory', async () => openMemoryEngine()],
] as const) {
  test(`EX-9.1: what a text is made of, in ${kind}`, async () => {
    const engine = await open();
    const [t, k, g] = [node('t'), node('k'), node('g')];
    await write(engine, {
      assert: [
        quad(t, TYPE, node('Web')),
        quad(t, TYPE, node('App')),
        quad(t, LABEL, terms.literal('Traefik')),
        quad(t, COMMENT, terms.literal('Proxy')),
        quad(t, node('port'), typed('443', 'integer')),
        quad(t, node('on'), k),
        quad(t, node('port'), typed('80', 'integer'), g),
        quad(k, node('on'), t),
      ],
    });
    assert.deepEqual([...texts(engine, [t, k, node('unknown')])], [['t', 'Traefik. Proxy. type: App, Web. 443']]);
    await engine.close();
  });

  test(`only the newest label and comment enter, other literals in order, activities have no text, in ${kind}`, async () => {
    const engine = await open();
    const [s, b, a] = [node('s'), terms.blankNode('b1'), node('episode_1')];
    const zebra = terms.literal('Zebra', 'en');
    await write(engine, {
      assert: [
        quad(s, LABEL, zebra),
        quad(s, LABEL, terms.literal('Apfel', 'de')),
        quad(s, node('z'), terms.literal('last')),
        quad(s, node('a'), terms.literal('two')),
        quad(s, node('a'), terms.literal('one', 'en')),
        quad(s, node('a'), terms.literal('one', 'de')),
        quad(b, node('a'), typed('7', 'integer')),
        quad(a, TYPE, ACTIVITY),
        quad(a, LABEL, terms.literal('an episode')),
      ],
    });
    const names = [s, b, a];
    assert.deepEqual([...texts(engine, names)].sort(), [
      ['b1', '7'],
      ['s', 'Apfel. one. one. two. last'],
    ]);
    const { tx } = await write(engine, { assert: [quad(s, LABEL, terms.literal('Newer'))] });
    assert.equal(texts(engine, [s]).get('s'), 'Newer. one. one. two. last');
    assert.equal(texts(engine, [s], { kind: 'asOf', tx: tx - 1 }).get('s'), 'Apfel. one. one. two. last');
    await write(engine, { retract: [quad(s, LABEL, terms.literal('Newer')), quad(a, TYPE, ACTIVITY)] });
    assert.deepEqual(texts(engine, [s, a]).get('s'), 'Apfel. one. one. two. last');
    assert.equal(texts(engine, [a]).get('episode_1'), 'an episode');
    await engine.close();
  });

  test(`the transaction that last changed a text is found, in ${kind}`, async () => {
    const engine = await open();
    const s = node('s');
    const last = () =>
      reading(engine, (snapshot) => {
        const id = snapshot.encode(s) as bigint;
        const facts = factsOf(snapshot, [id], { kind: 'all' }).get(id) ?? [];
        return lastTextChange(facts, textOf(facts.filter(({ to }) => to === null)));
      });
    const old = quad(s, LABEL, terms.literal('old'));
    const first = await write(engine, { assert: [old] });
    const second = await write(engine, { assert: [quad(s, LABEL, terms.literal('new'))] });
    assert.equal(last(), second.tx);
    // Neither a link nor the end of a label that did not enter changes the text.
    await write(engine, { assert: [quad(s, node('on'), node('k'))] });
    await write(engine, { retract: [old] });
    assert.equal(last(), second.tx);
    const third = await write(engine, { retract: [quad(s, LABEL, terms.literal('new'))], assert: [old] });
    assert.equal(last(), third.tx);
    assert.ok(first.tx < second.tx);
    await engine.close();
  });
}
