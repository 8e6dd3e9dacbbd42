/** The body of a load's second thread; `helper.ts` is its other end and says what the messages mean. */

import { parentPort, workerData } from 'node:worker_threads';
import { invariant } from '../../base/errors.js';
import { sendError } from '../../base/threads/error-serialisation.js';
import { ThreadMemory } from '../../kernels/memory.js';
import '../../kernels/webassembly.js';
import { sortTermList, writeSegment } from '../dictionary/segment-writer.js';
import { FileInput } from './byte-input.js';
import { DocumentTokeniser, type TokeniserSetup } from './document-tokeniser.js';
import { type FromHelper, HELPER_SLOTS, type HelperJob, type RunJob, type ToHelper } from './helper.js';
import { countObjectsOf } from './run-figures.js';
import { allocateSlot, type SlotAreas } from './slot.js';
import { type KeyBits, reorderKeys, writeKeyedRun } from './sort-keys.js';

/** Blocks are sent in parcels of about this size. */
const PARCEL_BYTES = 1 << 20;

const {
  memory: shared,
  module,
  from,
  to,
} = workerData as {
  memory: WebAssembly.Memory;
  module: WebAssembly.Module;
  from: number;
  to: number;
};
const memory = new ThreadMemory(shared, { from, to }, module);
const slots: SlotAreas[] = [];
const free: number[] = [];
/** The job that tokenises, or 0. */
let tokenising = 0;
let cancelled = false;
let wake: (() => void) | null = null;

function post(message: FromHelper, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

/** Gathers blocks into parcels. */
class Parcels {
  readonly #id: number;
  #buffer = new Uint8Array(PARCEL_BYTES);
  #used = 0;
  #numbers: number[] = [];
  #ends: number[] = [];

  constructor(id: number) {
    this.#id = id;
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
    post({ id: this.#id, kind: 'blocks', numbers: this.#numbers, ends: this.#ends, bytes }, [this.#buffer.buffer]);
    this.#buffer = new Uint8Array(PARCEL_BYTES);
    this.#used = 0;
    this.#numbers = [];
    this.#ends = [];
  }
}

async function freeSlot(): Promise<number | null> {
  for (;;) {
    if (cancelled) return null;
    const slot = free.shift();
    if (slot !== undefined) return slot;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    wake = null;
  }
}

async function tokenise(id: number, setup: TokeniserSetup, path: string): Promise<void> {
  if (slots.length === 0) for (let i = 0; i < HELPER_SLOTS; i++) slots.push(allocateSlot(memory));
  free.length = 0;
  for (let i = 0; i < HELPER_SLOTS; i++) free.push(i);
  cancelled = false;
  const input = new FileInput(path);
  try {
    const tokeniser = new DocumentTokeniser(memory, setup, input);
    for (;;) {
      const slot = await freeSlot();
      if (slot === null) return;
      const areas = slots[slot] as SlotAreas;
      const quads = await tokeniser.next(areas);
      if (quads === null) return;
      post({ id, kind: 'slot', slot, areas, quads, place: tokeniser.place, bytesRead: input.bytesRead });
    }
  } finally {
    input.close();
  }
}

function writeRun(id: number, job: RunJob, bits: KeyBits, predicates: number): unknown {
  const { rows } = job;
  reorderKeys(memory, { keys: job.fromKeys, order: job.fromOrder }, rows, job.scratch, rows.count, bits);
  const parcels = new Parcels(id);
  const run = writeKeyedRun(memory, rows, parcels.put);
  parcels.send();
  const layout = memory.allocate(32);
  const objects =
    rows.order === 'POSG'
      ? countObjectsOf(memory, rows.keys, rows.count, bits, predicates, layout)
      : new Uint32Array(predicates);
  memory.free(layout, 32);
  return { run, objects };
}

function work(id: number, job: Exclude<HelperJob, { kind: 'tokenise' }>): unknown {
  switch (job.kind) {
    case 'sort': {
      const own = new ThreadMemory(shared, job.range, module);
      invariant(sortTermList(own, job.areas, job.list, job.count), 'the stack of the term sort is large enough');
      return null;
    }
    case 'segment': {
      const parcels = new Parcels(id);
      let number = 0;
      const written = writeSegment(memory, job.areas, job.list, job.count, (bytes) => parcels.put(number++, bytes));
      parcels.send();
      return written;
    }
    case 'run':
      return writeRun(id, job.job, job.bits, job.predicates);
  }
}

function answer(id: number, result: unknown): void {
  post({ id, kind: 'done', result });
}

function fail(id: number, error: unknown): void {
  post({ id, kind: 'error', error: sendError(error) });
}

/**
 * Tokenising waits for slots, and the loading thread frees none while it closes an epoch: the jobs of
 * that close are done in between.
 */
function begin(id: number, job: HelperJob): void {
  memory.refresh();
  if (job.kind === 'tokenise') {
    tokenising = id;
    tokenise(id, job.setup, job.path).then(
      () => answer(id, null),
      (error: unknown) => fail(id, error),
    );
    return;
  }
  try {
    answer(id, work(id, job));
  } catch (error) {
    fail(id, error);
  }
}

parentPort?.on('message', (message: ToHelper) => {
  switch (message.kind) {
    case 'job':
      begin(message.id, message.job);
      break;
    case 'free':
      free.push(message.slot);
      wake?.();
      break;
    case 'cancel':
      if (message.id === tokenising) cancelled = true;
      wake?.();
      break;
  }
});
