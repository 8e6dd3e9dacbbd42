/**
 * The second thread of a bulk load. It works on the same memory: it tokenises plain files into
 * slots while the loading thread looks terms up, sorts and packs literals while that one does the other
 * terms, and sorts and packs an order of its own. Threads exchange addresses; only packed blocks
 * travel as messages. Jobs are done in the order in which they were given, but tokenising goes on beside
 * the others: it waits for slots, and the loading thread gives none back while it closes an epoch.
 */

import { invariant } from '../../base/errors.js';
import type { ThreadCall } from '../../base/threads/call.js';
import { ThreadClient } from '../../base/threads/client.js';
import { kernelModule } from '../../kernels/instance.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { QUAD_RECORD_BYTES } from '../../kernels/tokenise-state.js';
import { sortBytes, type TermAreas, type WrittenSegment } from '../dictionary/segment-writer.js';
import type { WrittenRun } from '../runs/writer.js';
import type { Order } from '../seam/scan.js';
import type { TokeniserSetup } from './document-tokeniser.js';
import type { SlotPlace } from './graph-check.js';
import type { SlotAreas } from './slot.js';
import type { KeyBits, KeyedRows } from './sort-keys.js';

/** Address space of the thread's own allocations; pages that are not touched cost nothing. */
const RANGE_BYTES = 192 * 1024 * 1024;

export interface RunJob {
  readonly fromKeys: number;
  readonly fromOrder: Order;
  readonly scratch: number;
  readonly rows: KeyedRows;
}

/** Addresses of more memory for one job. */
export interface JobRange {
  readonly from: number;
  readonly to: number;
}

/** The jobs of the thread, by name. Chunks of `tokenise` are slots, those of `segment` and `run` parcels of blocks. */
export interface HelperJobs {
  readonly tokenise: { input: { readonly setup: TokeniserSetup; readonly path: string }; result: null };
  readonly sort: { input: TermList & { readonly range: JobRange }; result: null };
  readonly segment: { input: TermList; result: WrittenSegment };
  readonly run: {
    input: { readonly job: RunJob; readonly bits: KeyBits; readonly predicates: number };
    result: RunResult;
  };
}

/** A list of terms in shared memory. */
interface TermList {
  readonly areas: TermAreas;
  readonly list: number;
  readonly count: number;
}

/** A slot that the thread has filled. The loading thread has it until it asks for the next one. */
export interface FilledSlot {
  readonly areas: SlotAreas;
  readonly quads: number;
  readonly place: SlotPlace | null;
  readonly bytesRead: number;
}

/** Packed blocks behind each other, with their numbers and where each ends. */
export interface Parcel {
  readonly numbers: readonly number[];
  readonly ends: readonly number[];
  readonly bytes: Uint8Array;
}

export interface RunResult {
  readonly run: WrittenRun;
  readonly objects: Uint32Array;
}

/** What the thread is told when it starts: the memory, and which part of it is its own. */
export interface HelperSetup {
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
  readonly range: JobRange;
}

type PutBlock = (number: number, bytes: Uint8Array) => void;

export class LoadHelper {
  readonly #client: ThreadClient;
  readonly #memory: ThreadMemory;
  /** Predicates of the epoch that is being closed, for the figures of a POSG run. */
  predicates = 1;

  constructor(memory: ThreadMemory) {
    this.#memory = memory;
    const from = memory.allocate(RANGE_BYTES);
    this.#client = new ThreadClient({
      name: 'second of the load',
      script: new URL('./helper-thread.js', import.meta.url),
      setup: {
        memory: memory.memory,
        module: kernelModule(),
        range: { from, to: from + RANGE_BYTES },
      } satisfies HelperSetup,
    });
    // A failure ends the calls too, which tell of it.
    this.#client.ready.catch(() => undefined);
  }

  /** Tokenises a plain file; slots come in the order of the document. */
  async *tokenise(setup: TokeniserSetup, path: string): AsyncGenerator<FilledSlot> {
    for await (const slot of this.#call('tokenise', { setup, path }).values<FilledSlot>()) {
      const { records, quads } = slot.areas;
      invariant(slot.quads <= quads, 'a slot holds no more quads than it has room for');
      invariant(records + quads * QUAD_RECORD_BYTES <= this.#memory.bytes.length, 'a slot lies in the shared memory');
      yield slot;
    }
  }

  /** Sorts a list of terms in place. */
  async sortTerms(areas: TermAreas, list: number, count: number): Promise<void> {
    const bytes = sortBytes(count);
    const from = this.#memory.allocate(bytes);
    try {
      await this.#call('sort', { areas, list, count, range: { from, to: from + bytes } }).result;
    } finally {
      this.#memory.free(from, bytes);
    }
  }

  /** Begins to pack sorted terms; the function that it returns takes the blocks and waits for the end. */
  writeSegment(
    areas: TermAreas,
    list: number,
    count: number,
  ): (put: (bytes: Uint8Array) => void) => Promise<WrittenSegment> {
    const call = this.#call('segment', { areas, list, count });
    return (put) => takeBlocks<'segment'>(call, (_, bytes) => put(bytes));
  }

  /** Sorts and packs one order; the function that it returns takes the blocks and waits for the end. */
  writeRun(job: RunJob, bits: KeyBits): (put: PutBlock) => Promise<RunResult> {
    const call = this.#call('run', { job, bits, predicates: this.predicates });
    return (put) => takeBlocks<'run'>(call, put);
  }

  /** Ends the thread, when it is through with what it does. */
  stop(): Promise<void> {
    return this.#client.close();
  }

  #call<Name extends keyof HelperJobs>(job: Name, input: HelperJobs[Name]['input']): ThreadCall {
    return this.#client.call(job, input, { what: 'the load' });
  }
}

async function takeBlocks<Name extends 'segment' | 'run'>(
  call: ThreadCall,
  put: PutBlock,
): Promise<HelperJobs[Name]['result']> {
  for await (const { numbers, ends, bytes } of call.values<Parcel>()) {
    invariant(numbers.length === ends.length && ends.at(-1) === bytes.length, 'a parcel says where its blocks end');
    let from = 0;
    numbers.forEach((number, i) => {
      const to = ends[i] as number;
      put(number, bytes.subarray(from, to));
      from = to;
    });
  }
  return (await call.result) as HelperJobs[Name]['result'];
}
