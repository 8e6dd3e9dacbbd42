/** Threads and calls on their own: chunks and windows, streams, errors, cancelling, death, the end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Progress } from '../../engine/base/control.js';
import { SvcError } from '../../engine/base/errors.js';
import { ThreadClient } from '../../engine/base/threads/client.js';
import { type FromThread, type ThreadData, WINDOW_CHUNKS } from '../../engine/base/threads/messages.js';
import { SHARED_BYTES } from '../../engine/base/threads/queue-time-cell.js';
import { ReaderPool } from '../../engine/service/threads/reader-pool.js';

const SCRIPT = new URL('./thread-body.js', import.meta.url);
const what = 'the call';

function open(closeTimeoutMs?: number): ThreadClient {
  return new ThreadClient({ name: 'tester', script: SCRIPT, setup: {}, closeTimeoutMs });
}

function code(expected: string, message?: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof SvcError, String(error));
    assert.equal(error.code, expected, error.stack);
    if (message) assert.match(error.message, message);
    return true;
  };
}

async function* each(items: readonly Uint8Array[], onEnd: () => void = () => undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* items;
  } finally {
    onEnd();
  }
}

test('a call gives its value, its chunks in order and its progress; several run side by side', async () => {
  const client = open();
  assert.equal(await client.ready, 'open');
  const progress: Progress[] = [];
  const flood = client.call('flood', 20, { what, onProgress: (one) => progress.push(one) });
  assert.deepEqual(await client.call('echo', { a: [1, 'x'] }, { what }).result, { a: [1, 'x'] });
  assert.ok(progress.length <= WINDOW_CHUNKS + 1, 'without a reader, no more than the window is sent');
  const seen: number[] = [];
  for await (const bytes of flood.chunks()) seen.push(...bytes);
  assert.deepEqual(
    seen,
    Array.from({ length: 20 }, (_, at) => at),
  );
  assert.equal(await flood.result, 20);
  assert.equal(progress.length, 20);
  assert.equal(client.calls, 0);
  await client.close();
  await client.close();
});

test('errors arrive as what they were', async () => {
  const client = open();
  await assert.rejects(client.call('fail', null, { what }).result, (error: unknown) => {
    assert.ok(code('parse_error')(error) && error instanceof SvcError);
    assert.deepEqual(error.position, { source: 'a.ttl', line: 3, column: 4 });
    assert.equal(error.hint, 'mend it');
    assert.equal((error as unknown as { gate: string }).gate, 'shacl');
    assert.ok(error.cause instanceof Error && (error.cause as NodeJS.ErrnoException).code === 'ENOENT');
    return true;
  });
  await assert.rejects(client.call('failPlainly', null, { what }).head, { name: 'TypeError', message: 'not ours' });
  await assert.rejects(client.call('nothing', null, { what }).result, code('internal', /no job named nothing/));
  await client.close();
});

test('a job reads streams of the caller, ends them early, and meets their failures', async () => {
  const client = open();
  const bytes = [Uint8Array.of(1, 2), new Uint8Array(0), Uint8Array.of(3)];
  let ended = 0;
  const end = (): void => {
    ended++;
  };
  assert.equal(await client.call('sum', null, { what, inputs: [each(bytes, end)] }).result, 6);
  assert.deepEqual([...(bytes[0] as Uint8Array)], [1, 2], 'the caller keeps its bytes');
  assert.equal(await client.call('firstOnly', null, { what, inputs: [each(bytes, end)] }).result, 1);
  assert.equal(ended, 2);
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Uint8Array.of(1);
    throw new SvcError('source_unreadable', 'the line went dead');
  }
  const call = client.call('sum', null, { what, inputs: [broken()] });
  await assert.rejects(call.result, code('source_unreadable', /line went dead/));
  await client.close();
});

test('a call knows how long it waited behind another, also when it failed or was cancelled', async () => {
  const client = open();
  await client.ready;
  const spin = client.call('spin', null, { what });
  await spin.head;
  let followed: unknown;
  const wait = { waits: () => undefined, begins: () => undefined, follows: (call: unknown) => (followed = call) };
  const [echo, fail, left] = ['echo', 'fail', 'echo'].map((job) => client.call(job, 1, { what, wait }));
  const beganMs = performance.now();
  assert.ok(echo && fail && left);
  assert.equal(followed, left);
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.deepEqual([echo.waitedMs, fail.waitedMs], [null, null], 'they wait');
  assert.notEqual(spin.waitedMs, null);
  left.cancel(new SvcError('aborted', 'never mind'));
  const leastMs = performance.now() - beganMs - 20;
  spin.cancel(new SvcError('aborted', 'enough'));
  await assert.rejects(spin.result);
  await assert.rejects(fail.result);
  await assert.rejects(left.result);
  assert.equal(await echo.result, 1);
  for (const call of [echo, fail]) assert.ok((call.waitedMs ?? 0) > leastMs, `${call.waitedMs} of ${leastMs}`);
  const known = [spin, echo, fail].map((call) => call.waitedMs);
  // Their words are those of other calls now.
  await Promise.all(Array.from({ length: 8 }, (_, at) => client.call('echo', at, { what }).result));
  assert.deepEqual(
    [spin, echo, fail].map((call) => call.waitedMs),
    known,
  );
  await client.close();
});

test('cancelling reaches loops that never turn, full windows and waiting streams', async () => {
  const client = open();
  const controller = new AbortController();
  const spin = client.call('spin', null, { what, signal: controller.signal });
  assert.equal(await spin.head, 'spinning');
  controller.abort();
  await assert.rejects(spin.result, code('aborted', /the call was cancelled/));
  // The thread is free again only because the loop saw its flag.
  assert.equal(await client.call('echo', 1, { what }).result, 1);

  const flood = client.call('flood', 1000, { what });
  for await (const bytes of flood.chunks()) if (bytes[0] === 2) break;
  await assert.rejects(flood.result, code('aborted'));

  async function* silent(): AsyncGenerator<Uint8Array> {
    await new Promise(() => undefined);
    yield Uint8Array.of(0);
  }
  const late = new AbortController();
  const sum = client.call('sum', null, { what, signal: late.signal, inputs: [silent()] });
  late.abort();
  await assert.rejects(sum.result, code('aborted'));
  while (client.calls > 0) await client.call('echo', 0, { what }).result;
  await client.close();
});

test('an answer that nobody reads is given up, and its place is free again', async () => {
  const client = new ThreadClient({ name: 'tester', script: SCRIPT, setup: { unreadMaxMs: 20 } });
  const flood = client.call('flood', 1000, { what });
  await assert.rejects(flood.result, code('snapshot_expired', /not read for 20 ms/));
  assert.equal(client.calls, 0);
  await client.close();
});

test('closing ends a loop that looks at its flag, and names a thread that does not', async () => {
  const client = open();
  const spin = client.call('spin', null, { what });
  await spin.head;
  await client.close();
  await assert.rejects(spin.result, code('store_closed'));
  assert.ok(!client.alive);

  const stuck = open(20);
  const words = new Int32Array(new SharedArrayBuffer(4));
  await stuck.call('stuck', words, { what }).head;
  await assert.rejects(stuck.close(), code('internal', /^tester did not end within 20 ms/));
  Atomics.store(words, 0, 1);
  Atomics.notify(words, 0);
});

test('a thread that dies fails its calls and is replaced; one that cannot open says why', async () => {
  const pool = new ReaderPool('somewhere', { size: 1, script: SCRIPT });
  const doomed = Promise.allSettled([pool.run('count', { tx: 13 }), pool.run('count', { tx: 13 })]);
  for (const outcome of await doomed) {
    assert.ok(
      outcome.status === 'rejected' && code('internal', /the thread reader 1 ended: out of luck/)(outcome.reason),
    );
  }
  assert.equal(pool.figures.threads, 0);
  assert.equal(await pool.run('count', { tx: 7 }), 7);
  assert.deepEqual(pool.figures, { threads: 1, threadsMax: 1, calls: 0, waiting: 0 });
  await pool.close();
  await assert.rejects(pool.run('count', {}), code('store_closed'));

  const lost = new ReaderPool('nowhere', { size: 2, script: SCRIPT });
  await assert.rejects(lost.run('count', {}), code('store_missing', /there is no store/));
  assert.equal(lost.figures.threads, 0);
  await lost.close();
});

test('short calls keep away from a reader that a long one has', async () => {
  const pool = new ReaderPool('somewhere', { size: 2, script: SCRIPT });
  const run = pool.run.bind(pool) as (job: string, input: unknown) => Promise<unknown>;
  const words = new Int32Array(new SharedArrayBuffer(4));
  // Both threads are there, and the first has nothing to do when the long call comes.
  await Promise.all([run('echo', 1), run('echo', 2)]);
  const long = run('stuck', words);
  await new Promise((resolve) => setTimeout(resolve, 100));
  // By the number of calls alone the second would go to the one that is stuck, and never come back.
  assert.deepEqual(await Promise.all([run('echo', 3), run('echo', 4), run('echo', 5)]), [3, 4, 5]);
  Atomics.store(words, 0, 1);
  Atomics.notify(words, 0);
  await long;
  assert.equal(pool.figures.calls, 0);
  await pool.close();
});

/** The kinds of messages that a thread sends for one call of the job `answer`. */
async function messagesOf(input: { readonly chunks: number; readonly turn: boolean }): Promise<string[]> {
  const workerData: ThreadData = { flags: new SharedArrayBuffer(SHARED_BYTES), setup: {} };
  const worker = new Worker(SCRIPT, { workerData });
  const kinds: string[] = [];
  await new Promise<void>((resolve) => {
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'ready')
        worker.postMessage({ kind: 'call', id: 1, flag: 0, job: 'answer', input, askedMs: 0 });
      else if (message.kind === 'several') kinds.push(message.messages.map(({ kind }) => kind).join(' '));
      else kinds.push(message.kind);
      if (/done|error/.test(kinds.at(-1) ?? '')) resolve();
    });
  });
  const ended = once(worker, 'exit');
  worker.postMessage({ kind: 'close' });
  await ended;
  return kinds;
}

test('a small answer is one message; one that takes its time or is long is several', async () => {
  assert.deepEqual(await messagesOf({ chunks: 1, turn: false }), ['head chunk done']);
  assert.deepEqual(await messagesOf({ chunks: 0, turn: false }), ['head error']);
  assert.deepEqual(await messagesOf({ chunks: 1, turn: true }), ['head chunk', 'done']);
  assert.deepEqual(await messagesOf({ chunks: 3, turn: false }), ['head chunk chunk', 'chunk', 'done']);
});

test('what comes in one message is a head, chunks and a value all the same', async () => {
  const client = open();
  for (const chunks of [1, 3]) {
    const call = client.call('answer', { chunks, turn: false }, { what });
    assert.equal(await call.head, 'head');
    const seen: number[] = [];
    for await (const bytes of call.chunks()) seen.push(...bytes);
    assert.deepEqual(
      seen,
      Array.from({ length: chunks }, (_, at) => at),
    );
    assert.deepEqual([await call.result, call.value], ['value', 'value']);
  }
  const bad = client.call('answer', { chunks: 0, turn: false }, { what });
  assert.equal(await bad.head, 'head');
  await assert.rejects(bad.result, code('parse_error', /bad/));
  assert.equal(client.calls, 0);
  await client.close();
});

test('values that name shared memory: what one names stays until the next one is asked for', async () => {
  const client = open();
  const places = new SharedArrayBuffer(4 * WINDOW_CHUNKS);
  const words = new Int32Array(places);
  const call = client.call('slots', { places, slots: 50 }, { what });
  let seen = 0;
  for await (const { at, filled } of call.values<{ at: number; filled: number }>()) {
    assert.deepEqual([filled, at], [seen, seen % WINDOW_CHUNKS]);
    // The job has every chance to fill it again.
    if (seen % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(Atomics.load(words, at), filled);
    seen++;
  }
  assert.deepEqual([seen, await call.result], [50, 50]);
  await client.close();
});
