/** The library refuses options that it does not know, by every public method, before anything begins. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_OPTIONS, SNAPSHOT_OPTIONS, STORE_OPTIONS } from '../../engine/service/store/known-options.js';
import { compactStore, openStore, repairStore, type Store } from '../../interfaces/library/index.js';
import { EX, knot, onBothStores, quad, trace } from './time-support.js';

type Call = (...given: unknown[]) => unknown;

/** Methods without options of their own; a context of RDF/JS may hold what other engines know. */
const WITHOUT_OPTIONS = [
  'addListener,answerQuery,close,delete,deleteGraph,detectContradictions,graph,import,match,queryBindings,queryBoolean,queryQuads',
  'explainQuery,queryVoid,remove,removeMatches,renewingSnapshot,shapeSet,stats,storedQueries,storedQuery',
]
  .join()
  .split(',');

function publicMethods(prototype: object): string[] {
  return Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, { value }]) =>
    typeof value === 'function' && name !== 'constructor' ? [name] : [],
  );
}

/** The failure of a call, whichever way it comes. */
async function failureOf(work: () => unknown): Promise<Error & { code?: string; hint?: string }> {
  try {
    const given = work() as { next?: () => unknown } | undefined;
    await (typeof given?.next === 'function' ? given.next() : given);
  } catch (error) {
    return error as Error;
  }
  return new Error('nothing was refused');
}

async function refusedEach(on: object, places: typeof STORE_OPTIONS): Promise<void> {
  for (const [name, all] of Object.entries(places)) {
    for (const { at, known, what = `option of ${name}` } of all) {
      const given = [...Array.from({ length: at }, () => undefined), { zzz: 1 }];
      const { code, message } = await failureOf(() => ((on as Record<string, Call>)[name] as Call)(...given));
      assert.equal(code, 'invalid_request', name);
      assert.ok(message.startsWith(`'zzz' is no ${what}; known: `), message);
      const [some] = Object.keys(known);
      assert.ok(message.includes(some as string), message);
      assert.ok(!message.includes('waitedMs') && !message.includes('authenticated'), message);
    }
  }
}

onBothStores('every public method with options refuses one that it does not know', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const before = await trace(store);
  await refusedEach(store, STORE_OPTIONS);
  await refusedEach(store.events, EVENT_OPTIONS);
  const snapshot = store.snapshot();
  await refusedEach(snapshot, SNAPSHOT_OPTIONS);
  snapshot.close();
  const prepared = await store.prepare('ASK {}');
  const { message } = await failureOf(() => (prepared.query as Call)({}, { timeoutMS: 5 }));
  assert.match(message, /^'timeoutMS' is no option of query; known: tx, /);
  assert.deepEqual(await trace(store), before);
  const listed = [...Object.keys(STORE_OPTIONS), ...WITHOUT_OPTIONS];
  const missing = publicMethods(Object.getPrototypeOf(store)).filter((name) => !listed.includes(name));
  assert.deepEqual(missing, [], 'a method is in one of the lists');
});

test('stores are opened, compacted and repaired with options that are known', async () => {
  for (const work of [openStore, compactStore, repairStore] as readonly Call[]) {
    const { code, message } = await failureOf(() => work('/nowhere/at/all', { redOnly: true }));
    assert.equal(code, 'invalid_request', message);
    assert.match(message, /^'redOnly' is no option of (openStore|compactStore|repairStore); known: /);
  }
});

onBothStores('the nearest name is told, and nothing is written', async (store: Store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const before = await trace(store);
  const set = store.set.bind(store) as Call;
  for (const wrong of ['valid_from', 'validfrom', 'validFrm', 'ValidFrom']) {
    const { message, hint } = await failureOf(() => set(`${EX}a`, `${EX}p`, 'x', { [wrong]: '2026-01-01T00:00:00Z' }));
    assert.equal(message, `'${wrong}' is no option of set; known: timestamp, actor, signal, validFrom`);
    assert.equal(hint, "did you mean 'validFrom'?");
  }
  const change = await failureOf(() =>
    (store.transact as Call)({ asert: [quad('a', 'p', 2)], retract: [quad('a', 'p', 1)] }),
  );
  assert.equal(change.message, "'asert' is no key of a change; known: assert, retract");
  const document = await failureOf(() => (store.load as Call)([{ text: '', format: 'turtle', baseIRI: EX }]));
  assert.equal(document.hint, "did you mean 'baseIri'?");
  assert.deepEqual(await trace(store), before);
  assert.equal((await store.set(`${EX}a`, `${EX}p`, 'x', { actor: undefined, validFrom: undefined })).asserted, 1);
  const context = { baseIRI: EX, log: console, '@comunica/core:x': 1 } as never;
  assert.equal(await store.queryBoolean('ASK { <a> <p> "x" }', context), true, 'a context may hold more');
});
