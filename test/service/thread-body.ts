/** A thread for tests: jobs that behave in every way that a thread can behave. */
import { throwIfStopped } from '../../engine/base/control.js';
import { SvcError } from '../../engine/base/errors.js';
import { isRaised } from '../../engine/base/interrupt.js';
import { type JobContext, serveThread } from '../../engine/base/threads/server.js';
import { GateRefusal } from '../../engine/service/gates/gates.js';
import { WriterLock } from '../../engine/storage/lmdb/writer-lock.js';

const CRASH_AT_TX = 13;

function die(path: string): Promise<never> {
  WriterLock.take(path);
  setImmediate(() => {
    throw new Error('out of luck');
  });
  return new Promise(() => undefined);
}

await serveThread(async (setup) => {
  const { path, unreadMaxMs } = setup as { path?: string; unreadMaxMs?: number };
  if (path === 'nowhere') throw new SvcError('store_missing', 'there is no store');
  return {
    value: 'open',
    unreadMaxMs,
    close: async () => undefined,
    jobs: {
      echo: async (input: unknown) => input,
      fail: async () => {
        const cause = Object.assign(new Error('deep'), { code: 'ENOENT' });
        const position = { source: 'a.ttl', line: 3, column: 4 };
        throw Object.assign(new SvcError('parse_error', 'bad', { position, hint: 'mend it', cause }), {
          gate: 'shacl',
        });
      },
      failPlainly: async () => {
        throw new TypeError('not ours');
      },
      /** Never lets the event loop turn. */
      spin: async (_: unknown, context: JobContext) => {
        context.head('spinning');
        while (!isRaised(context.flag));
        throwIfStopped(context, 'the spinning');
      },
      /** Neither turns nor looks at its flag until the caller wakes it. */
      stuck: async (words: Int32Array, context: JobContext) => {
        context.head('stuck');
        await new Promise(setImmediate);
        Atomics.wait(words, 0, 0);
      },
      flood: async (chunks: number, context: JobContext) => {
        for (let at = 0; at < chunks; at++) {
          context.progress({ phase: 'flood', done: at, elapsedMs: 0 });
          await context.chunk(Uint8Array.of(at));
        }
        return chunks;
      },
      /** An answer as readers give them, so many chunks long; `turn`: the event loop turns before the end. */
      answer: async ({ chunks, turn }: { chunks: number; turn: boolean }, context: JobContext) => {
        context.opening('head');
        for (let at = 0; at < chunks; at++) await context.chunk(Uint8Array.of(at));
        if (turn) await new Promise((resolve) => setTimeout(resolve, 20));
        if (chunks === 0) throw new SvcError('parse_error', 'bad');
        return 'value';
      },
      /** Fills places of memory that both threads see, as many as the window has chunks. */
      slots: async ({ places, slots }: { places: SharedArrayBuffer; slots: number }, context: JobContext) => {
        const words = new Int32Array(places);
        for (let filled = 0; filled < slots; filled++) {
          await context.room();
          const at = filled % words.length;
          Atomics.store(words, at, filled);
          context.send({ at, filled });
        }
        return slots;
      },
      sum: async (_: unknown, context: JobContext) => {
        let sum = 0;
        for await (const bytes of context.input(0)) for (const byte of bytes) sum += byte;
        return sum;
      },
      firstOnly: async (_: unknown, context: JobContext) => {
        for await (const bytes of context.input(0)) return bytes[0];
        return null;
      },
      /** The job of the writer: a gate refuses a load; anything else dies with the lock of the store in its hands. */
      write: async ({ name }: { readonly name: string }) => {
        if (name !== 'load') return die(path as string);
        const findings = [{ severity: 'Violation', message: 'no', focusNode: 'urn:x' }] as const;
        throw new GateRefusal('policy', {
          kind: 'refused',
          code: 'policy_denied',
          message: 'not you',
          hint: 'ask',
          findings,
        });
      },
      /** Named as a job of readers; dies at one transaction. */
      count: async ({ tx }: { tx?: number }) => {
        if (tx !== CRASH_AT_TX) return tx ?? 0;
        setImmediate(() => {
          throw new Error('out of luck');
        });
        return new Promise(() => undefined);
      },
    },
  };
});
