/** Reader threads: the same bytes as in the caller's thread, consistency beside a writer, cancelling, an orderly end. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { READER_SCRIPT } from '../../engine/service/host/start-threads.js';
import type { ResultFormat } from '../../engine/service/reads/query.js';
import { ReaderPool } from '../../engine/service/threads/reader-pool.js';
import { openStore, type Quad, type Store, SvcError, terms } from '../../interfaces/library/index.js';

const EX = 'http://example.org/';

function code(expected: string, message?: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof SvcError, String(error));
    assert.equal(error.code, expected, error.stack);
    if (message) assert.match(error.message, message);
    return true;
  };
}

/** A store with readers in a folder of its own. */
function withStore(
  readers: number,
  work: (store: Store, path: string) => Promise<void>,
  writerThread = false,
): () => Promise<void> {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-threads-'));
    const path = join(folder, 'store.db');
    const store = await openStore(path, { readers, writerThread });
    try {
      await work(store, path);
    } finally {
      await store.close();
      rmSync(folder, { recursive: true });
    }
  };
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}

/** `rows` subjects with a number and a text each. */
function manyRows(rows: number): string {
  let text = '';
  for (let row = 0; row < rows; row++) {
    text += `<${EX}s${row}> <${EX}n> ${row} ; <${EX}t> "text ${row} ü" .\n`;
  }
  return text;
}

test(
  'answers of reader threads are the bytes of the caller’s thread, in every format',
  withStore(2, async (store, path) => {
    await store.load({ text: manyRows(3_000), format: 'turtle' });
    const plain = await openStore(path, { readOnly: true });
    const select = `SELECT * WHERE { ?s <${EX}n> ?n ; <${EX}t> ?t } ORDER BY ?n`;
    for (const format of ['json', 'xml', 'csv', 'tsv', 'table'] as ResultFormat[]) {
      const [there, here] = [await store.read(select, { format }), await plain.read(select, { format })];
      assert.deepEqual([there.kind, there.variables], [here.kind, here.variables]);
      const text = await bytesOf(there);
      assert.ok(text.length > 100_000, 'many chunks');
      assert.equal(text, await bytesOf(here));
    }
    const ask = await store.read(`ASK { <${EX}s1> ?p ?o }`);
    assert.deepEqual([ask.kind, ask.variables], ['ask', []]);
    assert.equal(await bytesOf(ask), await bytesOf(await plain.read(`ASK { <${EX}s1> ?p ?o }`)));
    assert.equal(await bytesOf(store.export('turtle')), await bytesOf(plain.export('turtle')));
    const stats = store.stats();
    assert.equal(stats.readers.threadsMax, 2);
    assert.ok(stats.readers.threads >= 1 && stats.readers.calls === 0);
    const pool = new ReaderPool(path, { script: READER_SCRIPT, size: 1 });
    assert.equal(await pool.run('count', {}), 6_000);
    assert.equal(await pool.run('count', { tx: 0 }), 0);
    assert.equal((await pool.run('stats', null)).quadsCurrent, 6_000);
    await pool.close();
    await plain.close();
  }),
);

test(
  'a read that begins after a write settled sees it; what is written together is never seen apart',
  withStore(2, async (store) => {
    const rounds = 8;
    let written = 0;
    let over = false;
    const write = async (): Promise<void> => {
      for (let round = 1; round <= rounds; round++) {
        const text = `<${EX}a${round}> <${EX}pair> <${EX}b${round}> . <${EX}b${round}> <${EX}back> <${EX}a${round}> .`;
        await store.load({ text, format: 'turtle' }, { threads: 1 });
        written = round;
        const ask = await store.read(`ASK { <${EX}a${round}> <${EX}pair> <${EX}b${round}> }`, { format: 'table' });
        assert.equal(await bytesOf(ask), 'true\n');
      }
      over = true;
    };
    let looks = 0;
    const look = async (): Promise<void> => {
      while (!over) {
        const before = written;
        const count = async (predicate: string, tx?: number): Promise<number> => {
          const query = `SELECT (COUNT(*) AS ?n) WHERE { ?s <${EX}${predicate}> ?o }`;
          return Number((await bytesOf(await store.read(query, { format: 'csv', tx }))).split('\r\n')[1]);
        };
        const both = `SELECT ?a WHERE { ?a <${EX}pair> ?b . ?b <${EX}back> ?a }`;
        const paired = (await bytesOf(await store.read(both, { format: 'csv' }))).split('\r\n').length - 2;
        assert.ok(paired >= before, `${paired} of ${before} that had settled`);
        const all = (await bytesOf(await store.read('SELECT ?s WHERE { ?s ?p ?o }', { format: 'csv' }))).split('\r\n');
        assert.equal((all.length - 2) % 2, 0, 'both quads or none');
        const pinned = Math.max(1, before);
        assert.deepEqual([await count('pair', pinned), await count('back', pinned)], [pinned, pinned]);
        looks++;
      }
    };
    await Promise.all([write(), look(), look()]);
    assert.ok(looks > 0);
  }),
);

for (const writerThread of [false, true]) {
  test(
    `transactions beside readers are seen whole, writer in ${writerThread ? 'a thread' : 'the caller’s thread'}`,
    withStore(
      2,
      async (store) => {
        const pairs = 8;
        const pair = (at: number, round: number): Quad[] => {
          const [a, b] = [terms.namedNode(`${EX}a${at}`), terms.namedNode(`${EX}b${at}-${round}`)];
          return [terms.quad(a, terms.namedNode(`${EX}pair`), b), terms.quad(b, terms.namedNode(`${EX}back`), a)];
        };
        const linesOf = async (query: string, tx?: number): Promise<string[]> =>
          (await bytesOf(await store.read(query, { format: 'csv', tx }))).trim().split('\r\n').slice(1);
        const rounds = Array.from({ length: pairs }, () => 0);
        await store.transact({ assert: rounds.flatMap((_, at) => pair(at, 0)) });
        let lastTx = 1;
        let over = false;
        const write = async (): Promise<void> => {
          for (let round = 1; round <= 30; round++) {
            const at = round % pairs;
            const change = { retract: pair(at, rounds[at] as number), assert: pair(at, round) };
            const { tx, asserted, retracted } = await store.transact(change);
            assert.deepEqual([asserted, retracted], [2, 2]);
            rounds[at] = round;
            lastTx = tx;
            if (round % 10 !== 0) continue;
            const seen = await linesOf(`SELECT ?b WHERE { <${EX}a${at}> <${EX}pair> ?b }`);
            assert.deepEqual(seen, [`${EX}b${at}-${round}`], 'a read after a write sees it, and not what it replaced');
          }
          over = true;
        };
        const states = new Map<number, string>();
        const look = async (): Promise<void> => {
          do {
            const joined = await linesOf(`SELECT ?a WHERE { ?a <${EX}pair> ?b . ?b <${EX}back> ?a }`);
            assert.equal(new Set(joined).size, pairs);
            const tx = Math.max(1, lastTx - 3);
            const state = (await linesOf(`SELECT ?a ?b WHERE { ?a <${EX}pair> ?b } ORDER BY ?a`, tx)).join('\n');
            assert.equal(state, states.get(tx) ?? state, 'the past does not change');
            states.set(tx, state);
          } while (!over);
        };
        await Promise.all([write(), look(), look()]);
        assert.equal((await linesOf(`SELECT ?s WHERE { ?s ?p ?o }`)).length, 2 * pairs);
      },
      writerThread,
    ),
  );
}

/** Far more rows than any test waits for. */
const ENDLESS = 'SELECT * WHERE { ?a ?p ?o . ?b ?q ?r . ?c ?s ?t . ?d ?u ?v }';
const NEVER_MATCHES = 'SELECT * WHERE { ?a ?p ?o . ?b ?q ?r . ?c ?s ?t FILTER(?o > ?r && ?r > ?t && ?t > ?o) }';

test(
  'a query in a thread ends on its signal, its deadline and when it is left; the pool has places again',
  withStore(1, async (store) => {
    await store.load({ text: manyRows(400), format: 'turtle' });
    const controller = new AbortController();
    const cancelled = store.read(NEVER_MATCHES, { signal: controller.signal }).then(bytesOf);
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(cancelled, code('aborted'));
    await assert.rejects(store.read(NEVER_MATCHES, { timeoutMs: 20 }).then(bytesOf), code('query_timeout'));
    await assert.rejects(store.read(ENDLESS, { signal: AbortSignal.abort() }), code('aborted'));
    const answer = await store.read(ENDLESS);
    for await (const chunk of answer) {
      assert.ok(chunk.length > 0);
      break;
    }
    const unread = await store.read(ENDLESS);
    unread.close();
    unread.close();
    await assert.rejects(bytesOf(unread), code('aborted'));
    await assert.rejects(store.read('SELECT nonsense'), code('parse_error'));
    await assert.rejects(store.read('ASK {}', { format: 'csv' }).then(bytesOf), code('invalid_request'));
    // More answers than a thread takes at once: the rest wait for places and get them.
    const answers = await Promise.all(
      Array.from({ length: 40 }, async () => bytesOf(await store.read(`ASK { <${EX}s1> ?p ?o }`, { format: 'table' }))),
    );
    assert.deepEqual(new Set(answers), new Set(['true\n']));
  }),
);

test(
  'closing the store ends the queries of its threads',
  withStore(2, async (store) => {
    await store.load({ text: manyRows(400), format: 'turtle' });
    const running = [store.read(NEVER_MATCHES).then(bytesOf), store.read(ENDLESS).then(bytesOf)];
    const outcomes = Promise.allSettled(running);
    await bytesOf(await store.read('ASK {}'));
    await store.close();
    for (const outcome of await outcomes)
      assert.ok(outcome.status === 'rejected' && code('store_closed')(outcome.reason));
    await assert.rejects(store.read('ASK {}'), code('store_closed'));
  }),
);

test(
  'who opens a store first in a process decides whether it can be written there',
  withStore(1, async (store, path) => {
    await store.load({ text: manyRows(1), format: 'turtle' });
    const beside = await openStore(path, { readOnly: true });
    await store.close();
    const again = await openStore(path);
    await again.load({ text: manyRows(2), format: 'turtle' });
    assert.deepEqual([again.stats().quadsCurrent, beside.stats().quadsCurrent], [4, 4]);
    await again.close();
    await beside.close();
    const first = await openStore(path, { readOnly: true, readers: 1 });
    await assert.rejects(openStore(path), code('store_locked', /open for reading only/));
    assert.equal(await bytesOf(await first.read(`ASK { <${EX}s1> ?p ?o }`, { format: 'table' })), 'true\n');
    await first.close();
    const last = await openStore(path);
    assert.equal(last.stats().quadsCurrent, 4);
    await last.close();
  }),
);
