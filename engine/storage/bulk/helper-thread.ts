/** The body of a load's second thread; `helper.ts` is its other end and has the protocol. */

import { parentPort, workerData } from 'node:worker_threads';
import { ThreadMemory } from '../../kernels/memory.js';
import '../../kernels/webassembly.js';
import { FileInput } from './byte-input.js';
import { DocumentTokeniser, type TokeniserSetup } from './document-tokeniser.js';
import { countObjectsOf } from './epoch-rows.js';
import { type FromHelper, HELPER_SLOTS, type RunJob, sendError, type ToHelper } from './helper.js';
import { allocateSlot, type SlotAreas } from './slot.js';
import { type KeyBits, reorderKeys, writeKeyedRun } from './sort-keys.js';

/** Blocks are sent in parcels of about this size. */
const PARCEL_BYTES = 1 << 20;

const { memory: shared, module, from, to } = workerData as {
  memory: WebAssembly.Memory;
  module: WebAssembly.Module;
  from: number;
  to: number;
};
const memory = new ThreadMemory(shared, { from, to }, module);
const slots: SlotAreas[] = [];
const free: number[] = [];
let wake: (() => void) | null = null;
let cancelled = false;

function post(message: FromHelper, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

async function freeSlot(): Promise<number> {
  for (;;) {
    const slot = free.shift();
    if (slot !== undefined) return slot;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    wake = null;
    if (cancelled) return 0;
  }
}

async function tokenise(setup: TokeniserSetup, path: string): Promise<void> {
  if (slots.length === 0) for (let i = 0; i < HELPER_SLOTS; i++) slots.push(allocateSlot(memory));
  free.length = 0;
  for (let i = 0; i < HELPER_SLOTS; i++) free.push(i);
  cancelled = false;
  const input = new FileInput(path);
  try {
    const tokeniser = new DocumentTokeniser(memory, setup, input);
    while (!cancelled) {
      const slot = await freeSlot();
      if (cancelled) break;
      const quads = await tokeniser.next(slots[slot] as SlotAreas);
      if (quads === null) {
        post({ kind: 'end', bytesRead: input.bytesRead });
        return;
      }
      post({ kind: 'slot', slot, areas: slots[slot] as SlotAreas, quads, bytesRead: input.bytesRead });
    }
  } catch (error) {
    post({ kind: 'error', error: sendError(error) });
  } finally {
    input.close();
  }
}

function writeRun(job: RunJob, bits: KeyBits, predicates: number): void {
  const { rows } = job;
  reorderKeys(memory, { keys: job.fromKeys, order: job.fromOrder }, rows, job.scratch, rows.count, bits);
  let parcel = Buffer.from(new ArrayBuffer(PARCEL_BYTES + 65536));
  let used = 0;
  let numbers: number[] = [];
  let ends: number[] = [];
  const send = (): void => {
    if (numbers.length === 0) return;
    const bytes = new Uint8Array(parcel.buffer as ArrayBuffer, 0, used);
    post({ kind: 'blocks', numbers, ends, bytes }, [parcel.buffer as ArrayBuffer]);
    parcel = Buffer.from(new ArrayBuffer(PARCEL_BYTES + 65536));
    used = 0;
    numbers = [];
    ends = [];
  };
  const run = writeKeyedRun(memory, rows, (number, bytes) => {
    if (used + bytes.length > parcel.length) send();
    if (bytes.length > parcel.length) parcel = Buffer.from(new ArrayBuffer(bytes.length));
    parcel.set(bytes, used);
    used += bytes.length;
    numbers.push(number);
    ends.push(used);
  });
  send();
  const layout = memory.allocate(32);
  const objects =
    rows.order === 'POSG'
      ? countObjectsOf(memory, rows.keys, rows.count, bits, predicates, layout)
      : new Uint32Array(predicates);
  memory.free(layout, 32);
  post({ kind: 'run', run, objects });
}

parentPort?.on('message', (message: ToHelper) => {
  memory.refresh();
  switch (message.kind) {
    case 'tokenise':
      tokenise(message.setup, message.path).catch((error: unknown) => post({ kind: 'error', error: sendError(error) }));
      break;
    case 'free':
      free.push(message.slot);
      wake?.();
      break;
    case 'cancel':
      cancelled = true;
      wake?.();
      post({ kind: 'cancelled' });
      break;
    case 'run':
      try {
        writeRun(message.job, message.bits, message.predicates);
      } catch (error) {
        post({ kind: 'error', error: sendError(error) });
      }
      break;
  }
});
post({ kind: 'ready' });
