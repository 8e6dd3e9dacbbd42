/** The body of a helper of queries: takes morsels of the query that called it until there are none, and knows nothing else of the store. */

import { parentPort } from 'node:worker_threads';
import { ThreadMemory } from '../../../kernels/memory.js';
import { MORSEL, MorselControl } from './control.js';
import type { HelperCall } from './helpers.js';
import { MorselWorker } from './morsel-worker.js';

/** So long it waits for more morsels before it looks again whether it is still wanted. */
const WAIT_MS = 20;

/** The memory of the last call: kernels over it are made once. */
let last: { readonly id: number; readonly memory: ThreadMemory } | null = null;

function memoryOf({ memoryId, memory, module }: HelperCall): ThreadMemory {
  if (last?.id !== memoryId) last = { id: memoryId, memory: new ThreadMemory(memory, { from: 0, to: 0 }, module) };
  last.memory.refresh();
  return last.memory;
}

function help(call: HelperCall): void {
  const { range, program, slots } = call;
  const control = new MorselControl(call.words);
  try {
    const worker = new MorselWorker(memoryOf(call).within(range), program);
    const isStopped = (): boolean => control.isStopped;
    while (!control.isStopped) {
      const { published, isComplete } = control;
      const slot = control.take();
      if (slot < 0) {
        if (isComplete) break;
        control.awaitMore(published, WAIT_MS);
        continue;
      }
      let state: number = MORSEL.lost;
      try {
        state = worker.run(slots[slot] as number, isStopped) ? MORSEL.done : MORSEL.rows;
      } finally {
        control.finish(slot, state);
      }
    }
  } finally {
    control.setWorking(call.number, false);
  }
}

parentPort?.on('message', help);
