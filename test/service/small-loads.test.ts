/** Small documents are written as transactions, large ones by the loader; both say and write the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { threadMemoryFigures } from '../../engine/kernels/thread-memory.js';
import { termToString } from '../../engine/rdf/canonical/lines.js';
import { readSources } from '../../engine/storage/documents/read-sources.js';
import { areSmall, readSmall } from '../../engine/storage/documents/small-documents.js';
import { type LoadResult, openStore, type Store } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const people = (count: number): string =>
  Array.from(
    { length: count },
    (_, at) => `<http://e/p${at}> <http://e/name> "n${at}" ; <http://e/knows> [ <http://e/k> ${at} ] .\n`,
  ).join('');

async function* streamed(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** The same document, as a whole and as a stream, which the loader takes whatever its size. */
async function both(text: string, look: (store: Store, result: LoadResult) => unknown): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const bytes of [new TextEncoder().encode(text), streamed(text)]) {
    const store = await openStore(folder.fresh());
    try {
      const about = { timestamp: '2026-01-01T00:00:00Z', source: 'here', actor: 'me' };
      const result = await store.load({ kind: 'bytes', bytes, name: 'doc', format: 'turtle' }, about);
      results.push(await look(store, result));
    } finally {
      await store.close();
    }
  }
  return results;
}

async function lines(store: Store): Promise<string> {
  const parts: string[] = [];
  for await (const chunk of store.export('nquads')) parts.push(Buffer.from(chunk).toString());
  return parts.join('').split('\n').sort().join('\n');
}

test('a small document and the same one through the loader: the same quads, labels, transaction and answer', async () => {
  const [small, bulk] = await both(people(20), async (store, result) => ({
    result,
    lines: await lines(store),
    transactions: store.transactions(),
    // The loader numbers terms in the order of their texts, which is the order of their events.
    events: (await store.events.read()).events
      .map(({ type, subject, payload }) => JSON.stringify([type, subject, payload]))
      .sort(),
  }));
  assert.deepEqual(small, bulk);
});

test('a small document stays in what small transactions have added; a large one becomes runs', async () => {
  const rows = (text: string) => both(text, (store) => store.stats().delta.rows);
  assert.deepEqual(await rows(people(50)), [150, 0]);
  assert.deepEqual(await rows(people(5000)), [0, 0]);
});

test('a document that adds nothing is a transaction all the same', async () => {
  const [small, bulk] = await both('', (_, { tx, quadsAdded }) => [tx, quadsAdded]);
  assert.deepEqual(small, [1, 0]);
  assert.deepEqual(bulk, [1, 0]);
});

test('what can not be read is told with its place, and nothing is written', async () => {
  const store = await openStore(folder.fresh());
  const broken = `${people(3)}<http://e/x> <http://e/y> .`;
  const told: unknown[] = [];
  for (const bytes of [new TextEncoder().encode(broken), streamed(broken)]) {
    await assert.rejects(store.load({ kind: 'bytes', bytes, name: 'doc', format: 'turtle' }), (error) => {
      told.push([(error as Error).message, (error as { position?: object }).position]);
      return true;
    });
  }
  assert.deepEqual(told[0], told[1]);
  assert.equal(store.transactions().length, 0);
  await store.close();
});

test('small documents are read as a library reads them: kinds of terms, labels, scopes, bases, escapes, triple terms', async () => {
  const documents: readonly {
    readonly text: string;
    readonly format: 'turtle' | 'ntriples';
    readonly baseIri?: string;
  }[] = [
    { text: people(7), format: 'turtle' },
    { text: '<a> <b> <../c> , <#d> , <> .', format: 'turtle', baseIri: 'http://e/x/y' },
    {
      text: '@prefix : <http://e/> . :s :p "x"@en-GB , "y"@AR--rtl , "é\\u00e9\\n\\"", 1 , 1.5 , 2e0 , true .',
      format: 'turtle',
    },
    { text: '@prefix : <http://e/> . _:b :p _:c , [ :q ( 1 "two" [] ) ] . _:c a :T . [] :p [] .', format: 'turtle' },
    { text: '<http://e/s> <http://e/p> "1"^^<http://e/t> .\n_:x <http://e/p> _:y .\n# end', format: 'ntriples' },
    { text: '\ufeff<http://e/s> <http://e/p> "bom" .', format: 'turtle' },
    { text: '@prefix : <http://e/> . _:a :p [] . :s :p <<( _:a :q [] )>> , _:a . [] :r _:a .', format: 'turtle' },
    {
      text: '<http://e/s> <http://e/p> <http://e/o> .\n_:a <http://e/q> <<( _:a <http://e/p> "x" )>> .',
      format: 'ntriples',
    },
    { text: '', format: 'turtle' },
  ];
  for (const scope of ['document', 'store'] as const) {
    for (const snapshotKey of [undefined, 'key']) {
      const options = { graph: 'http://e/g', blankNodeScope: scope, snapshotKey };
      const sources = documents.map(({ text, ...rest }, at) => {
        return { kind: 'bytes', bytes: new TextEncoder().encode(text), name: `doc${at % 3}`, ...rest } as const;
      });
      assert.ok(areSmall(sources));
      for (const some of [sources, ...sources.map((one) => [one])]) {
        const [small, library] = [await readSmall(some, options, {}), await readSources(some, options, {})];
        assert.deepEqual(small.quads.map(termToString).sort(), library.quads.map(termToString).sort());
        assert.equal(small.bytesRead, library.bytesRead);
      }
    }
  }
});

test('reading many small documents leaves nothing in the memory of the thread', async () => {
  const read = async (text: string): Promise<void> => {
    const bytes = new TextEncoder().encode(text);
    await readSmall([{ kind: 'bytes', bytes, name: 'doc', format: 'turtle' }], {}, {}).catch(() => undefined);
  };
  await read(people(3));
  const { liveBytes } = threadMemoryFigures();
  for (let at = 0; at < 50; at++) await Promise.all([read(people(at)), read('<http://e/x> <y'), read('<<( _:a')]);
  assert.equal(threadMemoryFigures().liveBytes, liveBytes);
});
