/**
 * The helpers of a thread that answers queries: threads that follow programs over its kernel memory. All of a process are counted
 * together, one fewer than the threads that queries may use; they start when a second large query comes, or a very large one, and end after
 * a while without work or with the last store. They touch no store file, so that ending one at any moment harms nothing: whatever
 * it had taken, the query does itself.
 */

import { Worker } from 'node:worker_threads';
import { whenStoresEnd } from '../../../kernels/thread-memory.js';
import type { MorselControl } from './control.js';
import { givePlace, takePlace } from './helper-counts.js';
import type { MorselProgram } from './program.js';

/** A helper without work ends after so long. */
const IDLE_MS = 10_000;

/** What a helper is told of a query. */
export interface HelperCall {
  /** The helper's number within the query. */
  readonly number: number;
  readonly memoryId: number;
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
  /** Memory of its own. */
  readonly range: { readonly from: number; readonly to: number };
  readonly program: MorselProgram;
  readonly words: Int32Array<SharedArrayBuffer>;
  /** Addresses of the slots. */
  readonly slots: readonly number[];
}

export class Helper {
  /** The query that it works for, and its number there. */
  private work: { readonly control: MorselControl; readonly number: number } | null = null;
  private readonly worker = new Worker(new URL('./morsel-thread.js', import.meta.url));

  constructor(private readonly onEnd: (helper: Helper) => void) {
    this.worker.unref();
    // Without a listener an error would end the process; the end of the thread says all there is to know.
    this.worker.on('error', () => undefined);
    this.worker.once('exit', () => {
      this.work?.control.setWorking(this.work.number, false);
      this.onEnd(this);
    });
  }

  get isFree(): boolean {
    return this.work === null || !this.work.control.isWorking(this.work.number);
  }

  call(control: MorselControl, call: HelperCall): void {
    this.work = { control, number: call.number };
    control.setWorking(call.number, true);
    this.worker.postMessage(call);
  }

  end(): void {
    this.onEnd(this);
    void this.worker.terminate();
  }
}

const helpers = new Set<Helper>();
const memoryIds = new WeakMap<WebAssembly.Memory, number>();
let memories = 0;
let asked = 0;
let timer: NodeJS.Timeout | undefined;

/** Ends all of this thread; queries that they work for go on without. */
export function endHelpers(): void {
  clearTimeout(timer);
  timer = undefined;
  asked = 0;
  for (const helper of helpers) helper.end();
}

whenStoresEnd(endHelpers);

/** How many of this thread there are, for tests and figures. */
export function helpersRunning(): number {
  return helpers.size;
}

export function memoryIdOf(memory: WebAssembly.Memory): number {
  let id = memoryIds.get(memory);
  if (id === undefined) {
    id = ++memories;
    memoryIds.set(memory, id);
  }
  return id;
}

/**
 * Helpers without work, at most so many, some of them new where the process may have more than it has. `large`: it is worth starting the first of
 * them at once.
 */
export function freeHelpers(wanted: number, processMax: number, large: boolean): readonly Helper[] {
  asked++;
  awaitIdle();
  const free = [...helpers].filter((helper) => helper.isFree).slice(0, wanted);
  if (!large && asked === 1) return free;
  while (free.length < wanted) {
    const helper = start(processMax);
    if (helper === null) break;
    free.push(helper);
  }
  return free;
}

function start(processMax: number): Helper | null {
  if (!takePlace(processMax)) return null;
  try {
    const helper = new Helper((ended) => {
      if (helpers.delete(ended)) givePlace();
    });
    helpers.add(helper);
    return helper;
  } catch {
    // Where a process may start no threads, queries do without.
    givePlace();
    return null;
  }
}

function awaitIdle(): void {
  timer = timer?.refresh() ?? setTimeout(endIdle, IDLE_MS).unref();
}

function endIdle(): void {
  timer = undefined;
  let isWorked = false;
  for (const helper of helpers) {
    if (helper.isFree) helper.end();
    else isWorked = true;
  }
  if (isWorked) awaitIdle();
}
