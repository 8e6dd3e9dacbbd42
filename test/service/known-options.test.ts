/** The library refuses options that it does not know, by every public method, before anything begins. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { EVENT_OPTIONS, SNAPSHOT_OPTIONS, STORE_OPTIONS } from '../../engine/service/store/known-options.js';
import { compactStore, openStore, repairStore, restoreStore, type Store } from '../../interfaces/library/index.js';
import { EX, knot, onBothStores, quad, trace } from './time-support.js';

type Call = (...given: unknown[]) => unknown;

/** Methods without options of their own; a context of RDF/JS may hold what other engines know. */
const WITHOUT_OPTIONS = [
  'embedded',
  'indexTexts,wantTexts',
  'followWrites',
  'addListener,answerQuery,as,close,delete,deleteGraph,detectContradictions,graph,import,match,queryBindings,queryBoolean,queryQuads',
  'explainQuery,queryVoid,recoverFreezes,remove,removeMatches,renewingSnapshot,shapeSet,stats,storedQueries,storedQuery',
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
  const { message } = await failureOf(() => (restoreStore as Call)('/nowhere/at/all', '/nowhere', { overwrit: true }));
  assert.match(message, /^'overwrit' is no option of restoreStore; known: signal, onProgress, overwrite$/);
});

onBothStores('the nearest name is told, and nothing is written', async (store: Store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const before = await trace(store);
  const set = store.set.bind(store) as Call;
  for (const wrong of ['valid_from', 'validfrom', 'validFrm', 'ValidFrom']) {
    const { message, hint } = await failureOf(() => set(`${EX}a`, `${EX}p`, 'x', { [wrong]: '2026-01-01T00:00:00Z' }));
    assert.equal(message, `'${wrong}' is no option of set; known: timestamp, actor, signal, principalChain, validFrom`);
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

onBothStores(
  'a document is what its one content key says, or it is refused with what to write',
  async (store: Store) => {
    const folder = mkdtempSync(join(tmpdir(), 'load-input-'));
    const path = join(folder, 'x.nt');
    const line = `<${EX}a> <${EX}p> "1" .\n`;
    writeFileSync(path, line);
    const quads = [quad('a', 'p', 1)];
    const bytes = new TextEncoder().encode(line);
    for (const given of [
      { path },
      { path, format: 'turtle', baseIri: EX },
      path,
      { bytes, format: 'ntriples' },
      { quads },
    ]) {
      assert.equal((await store.load(given as never)).quadsRead, 1, JSON.stringify(given));
    }
    assert.equal((await store.load({ path: folder })).quadsRead, 1, 'a folder');
    const loaded = await store.load({ text: line } as never, { format: 'ntriples' });
    assert.equal(loaded.quadsRead, 1, 'the format of the options');
    const before = await trace(store);
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [{}, /^a document: it has none of the keys path, text, bytes, quads$/],
      [{ text: undefined, format: 'turtle' }, /none of the keys/],
      [new URL(`file://${path}`), /none of the keys/],
      [undefined, /^a document: a path or an object is expected, not undefined$/],
      [{ text: 1, format: 'turtle' }, /^text of a document: expected a text, not 1$/],
      [{ path: 7 }, /^path of a document: expected a text, not 7$/],
      [{ bytes: line, format: 'turtle' }, /^bytes of a document: expected bytes or a stream of them, not /],
      [{ text: line, path }, /^a document: it has both 'path' and 'text'$/],
      [{ quads, format: 'turtle' }, /^a document: 'format' does not go with 'quads'$/],
      [{ text: line, format: 'ttl' }, /^format of a document: expected one of ntriples, .*, not 'ttl'$/],
      [{ kind: 'bytes', path }, /^a document: 'path' does not go with the kind "bytes"$/],
      [[path, {}], /none of the keys/],
    ];
    for (const [given, message] of wrong) {
      const failure = await failureOf(() => store.load(given as never));
      assert.equal(failure.code, 'invalid_request', failure.message);
      assert.match(failure.message, message);
      if (/none of|both|expected a text/.test(failure.message)) assert.match(failure.hint ?? '', /\{ path \}/);
    }
    assert.deepEqual(await trace(store), before);
    rmSync(folder, { recursive: true });
  },
);

onBothStores('arguments and options of other types are refused, and nothing is written', async (store: Store) => {
  await knot(store, 'ex:a ex:p 1 .');
  await store.createGraph(`${EX}g`);
  const before = await trace(store);
  const calls: readonly (readonly [string, readonly unknown[], RegExp])[] = [
    ['load', [{ text: '', format: 'turtle' }, { snapshotKey: 5 }], /^snapshotKey: expected a text, not 5$/],
    [
      'load',
      [{ text: '', format: 'turtle' }, { blankNodeScope: 'x' }],
      /^blankNodeScope: expected 'document' or 'store'/,
    ],
    ['load', [{ text: '', format: 'turtle' }, { registeredOnly: 'no' }], /^registeredOnly: expected true or false/],
    ['writeGraph', ['PUT', `${EX}g`, []], /^method: expected one of put, post, delete, not 'PUT'$/],
    ['writeGraph', ['put', `${EX}g`], /^documents: expected a list of documents/],
    ['writeGraph', ['put', `${EX}g`, [{}]], /none of the keys/],
    ['writeGraph', ['delete', `${EX}g`, [{ text: '', format: 'turtle' }]], /^documents: expected none where/],
    ['writeGraph', ['put', 5, []], /^graph: expected a text, not 5$/],
    ['createGraph', [{}], /^graph: expected a text/],
    ['createOverlay', [5], /^overlay: expected a text, not 5$/],
    ['createOverlay', [`${EX}ov`, { parentBranch: 'x' }], /^'parentBranch' is no option of createOverlay/],
    ['writeOverlay', [`${EX}ov`], /^overlay change: expected an object/],
    ['writeOverlay', [`${EX}ov`, { op: 'assert', value: 1 }], /^'value' is no key of an overlay change; known: op/],
    ['composeOverlay', [{}], /^overlay: expected a text/],
    ['removeQuery', [5], /^name: expected a text, not 5$/],
    ['removeShapes', [], /^name: expected a text/],
    ['loadShapes', ['a', { text: '' }], /^shapes: expected a text/],
    ['validate', [[{ path: 'x' }]], /^data: expected a text, not a list$/],
    ['storeQuery', ['SELECT * {}'], /^query: expected an object/],
    ['storeQuery', [{ name: 'q', text: 'ASK {}' }], /^'text' is no key of a query; known: name, description, template/],
    ['storeQuery', [{ name: 'q' }], /^'template' is a text$/],
    ['storeQuery', [{ name: 'q', template: 'ASK {}', params: 'x' }], /^'params' is a list$/],
    ['writeEpisode', [], /^episode: expected an object/],
    ['writeEpisode', [{ name: 'e', nodez: [] }], /^'nodez' is no key of an episode; known: name, body/],
    [
      'writeEpisode',
      [{ name: 'e', nodes: [{ name: 'n', typ: 'T' }] }],
      /^'typ' is no key of nodes\[0\]; known: name, type/,
    ],
    [
      'writeEpisode',
      [{ name: 'e', edges: [{ source: 'a', target: 'b', rel: 'r' }] }],
      /^'rel' is no key of edges\[0\]/,
    ],
    ['retractSource', ['x'], /^the options of retractSource: expected an object/],
    ['backup', [5], /^path: expected a text, not 5$/],
  ];
  for (const [name, given, message] of calls) {
    const failure = await failureOf(() =>
      ((store as unknown as Record<string, Call>)[name] as Call).apply(store, [...given]),
    );
    assert.equal(failure.code, 'invalid_request', `${name}: ${failure.message}`);
    assert.match(failure.message, message);
  }
  assert.deepEqual(await trace(store), before);
});
