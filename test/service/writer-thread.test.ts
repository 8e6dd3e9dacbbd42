/** The writer in a thread of its own: the same store, results, progress and errors as in the caller's thread. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { GateRefusal } from '../../engine/service/gates/gates.js';
import { packQuads, unpackQuads } from '../../engine/service/threads/packed-quads.js';
import { WriterThread } from '../../engine/service/threads/writer.js';
import { Writes } from '../../engine/service/writes/writes.js';
import {
  type Gate,
  type LoadInput,
  openStore,
  type Progress,
  type Quad,
  type Store,
  SvcError,
  terms,
} from '../../interfaces/library/index.js';

const EX = 'http://example.org/';
const node = (name: string) => terms.namedNode(EX + name);

function code(expected: string, message?: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof SvcError, String(error));
    assert.equal(error.code, expected, error.stack);
    if (message) assert.match(error.message, message);
    return true;
  };
}

function withFolder(work: (folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-writer-'));
    try {
      await work(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

async function documentOf(store: Store): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of store.export('nquads')) parts.push(part);
  return Buffer.concat(parts).toString();
}

const now = (): number => 86_400;

const TRIPLE = terms.quad(node('s'), node('p'), terms.blankNode('b'));
const QUADS: readonly Quad[] = [
  terms.quad(node('a'), node('p'), terms.literal('x', { language: 'en', direction: 'rtl' }), node('g')),
  terms.quad(node('a'), node('p'), terms.literal('ü "y"\n', 'de')),
  terms.quad(terms.blankNode('b'), node('p'), terms.literal('1', node('type'))),
  terms.quad(node('a'), node('says'), node('c')),
];

async function* later<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  for (const item of items) {
    await new Promise(setImmediate);
    yield item;
  }
}

test('quads survive the way through bytes, also those that no store would take', async () => {
  const odd = [
    ...QUADS,
    terms.quad(node('a'), node('says'), TRIPLE),
    terms.quad(node('a b'), node('p'), terms.literal('\ud800')),
    { subject: node('a') } as unknown as Quad,
    undefined as unknown as Quad,
  ];
  const back: Quad[] = [];
  for await (const quad of unpackQuads(packQuads(odd))) back.push(quad);
  assert.equal(back.length, odd.length);
  for (const [at, quad] of QUADS.entries()) assert.ok(quad.equals(back[at]), `quad ${at}`);
  assert.ok(back[4]?.object.equals(TRIPLE));
  assert.equal(back[5]?.subject.value, `${EX}a b`);
  assert.equal(back[5]?.object.value, '\ud800');
  assert.equal(back[6]?.object.termType, 'undefined');
});

test(
  'every kind of input gives the store that it gives in the caller’s thread',
  withFolder(async (folder) => {
    writeFileSync(join(folder, 'file.ttl'), `<${EX}f> <${EX}p> 1, 2 .`);
    const line = (n: number): Uint8Array => Buffer.from(`<${EX}s${n}> <${EX}p> "${n}" .\n`);
    const inputs = (): LoadInput[] => [
      join(folder, 'file.ttl'),
      { text: `<${EX}t> <${EX}p> [ <${EX}q> "anon" ] .`, format: 'turtle' },
      { kind: 'bytes', bytes: line(0), name: 'bytes', format: 'ntriples' },
      { kind: 'bytes', bytes: later([line(1), line(2), line(3)]), name: 'stream', format: 'ntriples' },
      { quads: QUADS },
      { quads: later(QUADS), name: 'later' },
    ];
    const here = await openStore(join(folder, 'here.db'), { now });
    const there = await openStore(join(folder, 'there.db'), { now, writerThread: true, readers: 1 });
    assert.equal(there.readOnly, false);
    const options = { graph: `${EX}target`, validFrom: '2020-01-01T00:00:00Z', actor: 'me', source: 'tests' };
    const results: unknown[] = [];
    const tellings: (string | undefined)[] = [];
    for (const store of [here, there]) {
      const seen: Progress[] = [];
      const first = await store.load(inputs(), { ...options, onProgress: (one) => seen.push(one) });
      const second = await store.load({ text: `<${EX}f> <${EX}p> 2, 3 .`, format: 'turtle' });
      results.push({ first, second, transactions: store.transactions(), quads: store.stats().quadsCurrent });
      tellings.push(first.timestamp);
      assert.ok(seen.length > 0, 'progress is told');
    }
    assert.deepEqual(results[1], results[0]);
    assert.deepEqual(tellings, ['1970-01-02T00:00:00Z', '1970-01-02T00:00:00Z']);
    assert.equal(await documentOf(there), await documentOf(here));
    for await (const ask of await there.read(`ASK { <${EX}f> <${EX}p> 3 }`, { format: 'table' })) {
      assert.equal(Buffer.from(ask).toString(), 'true\n');
    }
    assert.ok((await there.verify()).ok);
    await here.close();
    await there.close();
  }),
);

test(
  'errors, refusals and cancelling are those of the caller’s thread, and leave the store as it was',
  withFolder(async (folder) => {
    const path = join(folder, 'store.db');
    await assert.rejects(openStore(path, { writerThread: true, create: false }), code('store_missing'));
    await assert.rejects(openStore(path, { readers: -1 }), code('invalid_request', /readers is -1/));
    const gate: Gate = { name: 'policy', judge: () => ({ kind: 'accepted', findings: [] }) };
    await assert.rejects(openStore(path, { writerThread: true, gates: [gate] }), code('invalid_request', /gates/));
    const store = await openStore(path, { writerThread: true });
    await assert.rejects(openStore(path), code('store_locked'));
    await assert.rejects(
      store.load({ text: `<${EX}a> <${EX}p> "1" .\nnonsense`, format: 'turtle', name: 'bad.ttl' }),
      (error: unknown) => {
        assert.ok(code('parse_error')(error) && error instanceof SvcError);
        assert.deepEqual([error.position?.source, error.position?.line], ['bad.ttl', 2]);
        return true;
      },
    );
    await assert.rejects(
      store.load({ quads: [terms.quad(node('a b'), node('p'), node('c'))] }),
      code('parse_error', /a b/),
    );
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`<${EX}a> <${EX}p> "1" .\n`);
      throw new SvcError('source_unreadable', 'the line went dead');
    }
    const stream = (bytes: AsyncIterable<Uint8Array>) =>
      ({ kind: 'bytes', bytes, name: 'stream', format: 'ntriples' }) as const;
    await assert.rejects(store.load(stream(broken())), code('source_unreadable', /went dead/));

    const reason = new Error('enough');
    const controller = new AbortController();
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        if (++given === 5) controller.abort(reason);
        yield Buffer.from(`<${EX}a> <${EX}p> "${given}" .\n`);
      }
    }
    await assert.rejects(store.load(stream(endless()), { signal: controller.signal }), (error: unknown) => {
      assert.ok(code('aborted')(error));
      assert.equal((error as Error).cause, reason);
      return true;
    });
    await assert.rejects(
      store.load({ text: '', format: 'turtle' }, { remoteContexts: async () => ({}) }),
      code('invalid_request', /remote contexts/),
    );
    assert.deepEqual([store.stats().quadsCurrent, store.transactions().length], [0, 0]);
    await store.close();
  }),
);

test(
  'closing waits for a write that was begun; the store can be opened again in either way',
  withFolder(async (folder) => {
    const path = join(folder, 'store.db');
    const store = await openStore(path, { writerThread: true });
    const load = store.load({ text: `<${EX}a> <${EX}p> 1 .`, format: 'turtle' });
    await store.close();
    assert.equal((await load).quadsAdded, 1);
    await assert.rejects(store.load({ text: '', format: 'turtle' }), code('store_closed'));
    const plain = await openStore(path);
    await plain.load({ text: `<${EX}b> <${EX}p> 1 .`, format: 'turtle' });
    await plain.close();
    const again = await openStore(path, { writerThread: true, readers: 2 });
    assert.equal(again.stats().quadsCurrent, 2);
    await again.close();
  }),
);

test(
  'transactions, sets, retractions and RDF/JS writes do the same in both threads; functions are refused',
  withFolder(async (folder) => {
    const write = async (store: Store): Promise<unknown> => {
      const options = { actor: 'me', source: 'x', timestamp: '2026-01-02T00:00:00Z' };
      const stream = Readable.from([terms.quad(node('r'), node('p'), node('streamed'))]);
      const told = [
        await store.transact({ assert: later(QUADS) }, options),
        await store.transact({ retract: [QUADS[1] as Quad], assert: QUADS.slice(0, 2) }, options),
        await store.transact({ retract: [QUADS[3] as Quad] }, { source: 'gone' }),
        await store.transact({ assert: [terms.quad(node('h'), node('type'), node('Host'))] }),
        await store.set(`${EX}h`, node('cores'), { int: 4n }),
        await store.set(
          node('h'),
          `${EX}cores`,
          terms.literal('8', terms.namedNode('http://www.w3.org/2001/XMLSchema#integer')),
        ),
        await store.set(`${EX}h`, `${EX}name`, terms.literal('H', { language: 'en', direction: 'ltr' })),
        await store.retract(node('h'), { predicate: node('name') }),
        await store.retractSource('x', { repair: 'ticket', graph: `${EX}g` }),
        await store.retractSource('x', { repair: 'ticket', graph: `${EX}g`, apply: true, expect: 1 }),
      ];
      await once(store.import(stream), 'end');
      await once(store.removeMatches(null, node('p'), terms.literal('ü "y"\n', 'de')), 'end');
      await once(store.deleteGraph(`${EX}nowhere`), 'end');
      return told;
    };
    const here = await openStore(join(folder, 'here.db'), { now });
    const there = await openStore(join(folder, 'there.db'), { now, writerThread: true });
    assert.deepEqual(await write(there), await write(here));
    assert.equal(await documentOf(there), await documentOf(here));
    assert.deepEqual(there.transactions(), here.transactions());
    const bad = { assert: [terms.quad(node('a b'), node('p'), node('c'))] };
    for (const store of [here, there]) {
      await assert.rejects(store.transact(bad), code('invalid_request', /a b/));
      await assert.rejects(store.set(`${EX}nobody`, `${EX}p`, 'x'), code('not_found_in_store'));
      await assert.rejects(store.transact({} as never), code('invalid_request', /assert and retract/));
      await assert.rejects(store.transact({ assert: 7 as never }), code('invalid_request'));
      await assert.rejects(store.transact({ assert: QUADS }, { signal: AbortSignal.abort() }), code('aborted'));
    }
    await assert.rejects(
      there.transact(() => undefined),
      code('invalid_request', /changes given as a function need the writer in the caller's thread/),
    );
    assert.deepEqual(there.transactions(), here.transactions());
    // Begun together, they are written in the order in which they were begun.
    const names = ['1', '2', '3', '4', '5', '6', '7', '8'];
    const many = names.map((name) => there.transact({ assert: [terms.quad(node(name), node('p'), node('o'))] }));
    const ids = (await Promise.all(many)).map(({ tx }) => tx);
    assert.deepEqual(
      ids,
      ids.map((_, at) => (ids[0] as number) + at),
    );
    await here.close();
    await there.close();
  }),
);

test(
  'refusals of gates keep their class; a writer thread that dies fails its writes and gives the lock of the store back',
  withFolder(async (folder) => {
    const path = join(folder, 'store.db');
    const writer = await WriterThread.open(path, true, {}, new URL('./thread-body.js', import.meta.url));
    const dead = code('internal', /^the thread writer ended: out of luck$/);
    const writes = new Writes(writer, path);
    await assert.rejects(writes.run('load', {}, {}), (error: unknown) => {
      assert.ok(code('policy_denied', /^not you$/)(error) && error instanceof GateRefusal);
      const { gate, hint, findings } = error;
      assert.deepEqual([gate, hint], ['policy', 'ask']);
      assert.deepEqual(findings, [{ severity: 'Violation', message: 'no', focusNode: 'urn:x' }]);
      return true;
    });
    await assert.rejects(writes.run('transact', { change: { assert: [] } }, {}), dead);
    await assert.rejects(writes.run('transact', { change: { assert: [] } }, {}), dead, 'and later writes as well');
    await writer.close();
    const store = await openStore(path);
    await store.close();
  }),
);
