/** A write by its name does the same here and in the writer thread; a new one is a command and a line in the list. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authenticated } from '../../engine/base/control.js';
import { SvcError } from '../../engine/base/errors.js';
import { ANYONE } from '../../engine/base/principal.js';
import { terms } from '../../engine/rdf/terms.js';
import { GateRefusal } from '../../engine/service/gates/gates.js';
import { receiveTerms, sendTerms } from '../../engine/service/threads/packed-quads.js';
import { WriterThread } from '../../engine/service/threads/writer.js';
import type { WriteCall } from '../../engine/service/writes/command.js';
import { WRITES } from '../../engine/service/writes/commands.js';
import { LocalWrites, type WritePlace } from '../../engine/service/writes/writes.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openStore } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { onlyAda, type StampRequest, type StampResult, stamp } from './write-support.js';

const folder = new StoreFolder();
const entity = terms.namedNode('http://e/x');
const ada: Authenticated = { principal: 'urn:ada', credential_id: 'c1', auth_class: 'named_bearer' };

/** The same call at both places, and what the store holds then. */
async function everywhere(write: (place: WritePlace) => Promise<unknown>): Promise<unknown[]> {
  const told: unknown[] = [];
  for (const isThread of [false, true]) {
    const path = folder.fresh();
    if (isThread) {
      const script = new URL('./writer-with-double.js', import.meta.url);
      const thread = await WriterThread.open(path, true, { now: () => 86_400 }, script);
      told.push(await write(thread));
      await thread.close();
    } else {
      const engine = await openLmdbEngine(path, { readOnly: false, create: true, baseNamespace: undefined });
      const place = new LocalWrites(engine, { authority: onlyAda, now: () => 86_400 }, { ...WRITES, stamp });
      told.push(await write(place));
      await place.idle();
      await engine.close();
    }
    const store = await openStore(path);
    told.push(store.transactions(), (await store.read('ASK { ?s ?p ?o }', { format: 'json' })).kind);
    await store.close();
  }
  return told;
}

function call(request: StampRequest, more: Partial<WriteCall> = {}): WriteCall {
  const documents = [
    { kind: 'bytes', bytes: new Uint8Array(5), name: 'whole', format: 'turtle' },
    { kind: 'bytes', bytes: pieces(), name: 'stream', format: 'turtle' },
    { kind: 'quads', quads: [terms.quad(entity, entity, entity)], name: 'quads' },
  ] as const;
  const principal = { ...ANYONE, authenticated: ada };
  return {
    name: 'stamp',
    what: 'the stamp',
    request,
    options: { actor: 'me' },
    documents,
    principal,
    control: {},
    ...more,
  };
}

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(3);
  yield new Uint8Array(4);
}

test('a command that is added: request, options, documents, principal and result are the same at both places', async () => {
  const [here, ...rest] = await everywhere((place) => place.run(call({ entity })));
  const { entity: back, documents, by, asserted, timestamp } = here as StampResult;
  assert.ok(back.equals(entity));
  assert.deepEqual(documents, ['bytes: 5', 'bytes: 7', 'quads: 1']);
  assert.deepEqual([by, asserted, timestamp], ['urn:ada', 1, '1970-01-02T00:00:00Z']);
  const [transactions, kind, there, ...same] = rest;
  assert.deepEqual(same, [transactions, kind]);
  assert.ok((there as StampResult).entity.equals(entity));
  assert.deepEqual(JSON.stringify(there), JSON.stringify(here));
  const [{ actor, source, authenticated }] = transactions as [Record<string, unknown>];
  assert.deepEqual([actor, source, authenticated], ['me', 'stamp', ada]);
});

test('its failures and refusals are what they were, wherever it ran, and nothing is written', async () => {
  const failures = async (place: WritePlace): Promise<unknown> => {
    const told: unknown[] = [];
    const fails = (error: unknown): boolean => {
      assert.ok(error instanceof SvcError);
      told.push([error.code, error.message, error.hint, error instanceof GateRefusal && error.gate]);
      return true;
    };
    await assert.rejects(place.run(call({ entity, fails: true })), fails);
    await assert.rejects(place.run(call({ entity }, { principal: ANYONE })), fails);
    await assert.rejects(place.run(call({ entity }, { name: 'nonsense' })), fails);
    return told;
  };
  const [here, transactions, , there, same] = await everywhere(failures);
  assert.deepEqual(there, here);
  assert.deepEqual([transactions, same], [[], []]);
  assert.deepEqual((here as unknown[]).slice(0, 2), [
    ['state_conflict', 'stamped already', 'look before', false],
    ['authority_denied', 'stamp is not for you', undefined, 'authority'],
  ]);
});

test('what crosses is what was sent: terms, their look-alikes, and whatever the members are called', () => {
  const given = {
    term: terms.literal('x', 'en'),
    list: [entity, null, undefined, 7n, 'text'],
    alike: { termType: 'NamedNode', value: 'http://e/x' },
    'packed terms': { 'packed terms': [1, 2], object: 3, deep: terms.blankNode('b') },
    ['__proto__']: { a: 1 },
    map: new Map([['a', 'b']]),
  };
  const back = receiveTerms(structuredClone(sendTerms(given)));
  assert.ok(back.term.equals(given.term));
  assert.ok((back.list[0] as typeof entity).equals(entity));
  assert.deepEqual(back.list.slice(1), given.list.slice(1));
  assert.deepEqual([back.alike, back.map], [given.alike, given.map]);
  assert.deepEqual(Object.keys(back), Object.keys(given));
  const { deep, ...rest } = back['packed terms'];
  assert.ok(deep.equals(given['packed terms'].deep));
  assert.deepEqual(rest, { 'packed terms': [1, 2], object: 3 });
});

test('a write does not overtake one whose command is still being loaded', async () => {
  const store = await openStore(':memory:');
  const quad = terms.quad(entity, terms.namedNode('http://e/p'), terms.literal('a'), terms.defaultGraph());
  await store.transact({ assert: [quad] });
  const [first, second] = await Promise.all([
    store.set(entity.value, 'http://e/p', 'b'),
    store.transact({ retract: [quad], assert: [terms.quad(entity, quad.predicate, terms.literal('c'), quad.graph)] }),
  ]);
  assert.ok(first.tx < second.tx, `${first.tx} ${second.tx}`);
  await store.close();
});
