/** The body of a load's second thread; `helper.ts` is its other end and says what each job is asked. */

import { invariant } from '../../base/errors.js';
import { WINDOW_CHUNKS } from '../../base/threads/messages.js';
import { type Job, type JobContext, serveThread } from '../../base/threads/server.js';
import { ThreadMemory } from '../../kernels/memory.js';
import '../../kernels/webassembly.js';
import { sortTermList, writeSegment } from '../dictionary/segment-writer.js';
import { FileInput } from './byte-input.js';
import { RecordTokeniser } from './document-tokeniser.js';
import type { FilledSlot, HelperJobs, HelperSetup, Parcel } from './helper.js';
import { countObjectsOf } from './run-figures.js';
import { allocateSlot, type SlotAreas } from './slot.js';
import { reorderKeys, writeKeyedRun } from './sort-keys.js';

/** Blocks are sent in parcels of about this size. */
const PARCEL_BYTES = 1 << 20;

/** Gathers blocks into parcels. */
class Parcels {
  readonly #context: JobContext;
  #buffer = new Uint8Array(PARCEL_BYTES);
  #used = 0;
  #numbers: number[] = [];
  #ends: number[] = [];

  constructor(context: JobContext) {
    this.#context = context;
  }

  readonly put = (number: number, bytes: Uint8Array): void => {
    if (this.#used + bytes.length > this.#buffer.length) this.send();
    if (bytes.length > this.#buffer.length) this.#buffer = new Uint8Array(bytes.length);
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
    this.#numbers.push(number);
    this.#ends.push(this.#used);
  };

  send(): void {
    if (this.#numbers.length === 0) return;
    const bytes = this.#buffer.subarray(0, this.#used);
    this.#context.send({ numbers: this.#numbers, ends: this.#ends, bytes } satisfies Parcel, [this.#buffer.buffer]);
    this.#buffer = new Uint8Array(PARCEL_BYTES);
    this.#used = 0;
    this.#numbers = [];
    this.#ends = [];
  }
}

type HelperWork = {
  readonly [Name in keyof HelperJobs]: (
    memory: ThreadMemory,
    input: HelperJobs[Name]['input'],
    context: JobContext,
  ) => HelperJobs[Name]['result'] | Promise<HelperJobs[Name]['result']>;
};

function helperWork({ memory: shared, module }: HelperSetup): HelperWork {
  const slots: SlotAreas[] = [];
  return {
    async tokenise(memory, { setup, path }, context) {
      // As many as the window has chunks: a slot is filled again when the caller has taken the chunk that named it.
      while (slots.length < WINDOW_CHUNKS) slots.push(allocateSlot(memory));
      const input = new FileInput(path);
      try {
        const tokeniser = new RecordTokeniser(memory, setup, input);
        for (let filled = 0; ; filled++) {
          await context.room();
          const areas = slots[filled % WINDOW_CHUNKS] as SlotAreas;
          const quads = await tokeniser.next(areas);
          if (quads === null) return null;
          const { place } = tokeniser;
          context.send({ areas, quads, place, bytesRead: input.bytesRead } satisfies FilledSlot);
        }
      } finally {
        input.close();
      }
    },

    sort(_, { areas, list, count, range }) {
      const own = new ThreadMemory(shared, range, module);
      invariant(sortTermList(own, areas, list, count), 'the stack of the term sort is large enough');
      return null;
    },

    segment(memory, { areas, list, count }, context) {
      const parcels = new Parcels(context);
      let number = 0;
      const written = writeSegment(memory, areas, list, count, (bytes) => parcels.put(number++, bytes));
      parcels.send();
      return written;
    },

    run(memory, { job, bits, predicates }, context) {
      const { rows } = job;
      reorderKeys(memory, { keys: job.fromKeys, order: job.fromOrder }, rows, job.scratch, rows.count, bits);
      const parcels = new Parcels(context);
      const run = writeKeyedRun(memory, rows, parcels.put);
      parcels.send();
      const layout = memory.allocate(32);
      const objects =
        rows.order === 'POSG'
          ? countObjectsOf(memory, rows.keys, rows.count, bits, predicates, layout)
          : new Uint32Array(predicates);
      memory.free(layout, 32);
      return { run, objects };
    },
  };
}

await serveThread(async (setup) => {
  const given = setup as HelperSetup;
  const memory = new ThreadMemory(given.memory, given.range, given.module);
  const jobs = Object.entries(helperWork(given)).map(([name, work]): [string, Job] => [
    name,
    async (input: never, context) => {
      memory.refresh();
      return work(memory, input, context);
    },
  ]);
  return { jobs: Object.fromEntries(jobs), close: async () => undefined };
});
