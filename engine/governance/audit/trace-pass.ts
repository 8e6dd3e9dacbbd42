/** How a trace is looked at: passes that each see every record, while the file is read once. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { readTrace, type TraceCounts, type TraceRecord, type TraceSource } from './trace-file.js';

/** Sees every readable record once, in the order of the file. */
export interface TracePass {
  see(record: TraceRecord, number: number): void;
  /** There are no more. */
  end?(): void;
}

export async function runPasses(
  source: TraceSource,
  passes: readonly TracePass[],
  control: Control,
): Promise<TraceCounts> {
  const counts = await readTrace(
    source,
    (record, number) => {
      for (const pass of passes) pass.see(record, number);
    },
    control,
  );
  for (const pass of passes) pass.end?.();
  return counts;
}

/** An entry that is remembered takes some 100 bytes with its strings, so that all of them take about 400 MB. */
const REMEMBERED_MAX = 4_000_000;

/** Bounds what a pass has to remember of a trace of any size. */
export class Remembered {
  #entries = 0;

  constructor(
    /** In the plural. */
    private readonly what: string,
    private readonly entriesMax = REMEMBERED_MAX,
  ) {}

  add(entries = 1): void {
    this.#entries += entries;
    if (this.#entries <= this.entriesMax) return;
    throw new SvcError('limit_exceeded', `the audit would have to remember more than ${this.entriesMax} ${this.what}`, {
      hint: 'audit the trace in parts, each in a file of its own',
    });
  }
}

/** Whether a chain has all of another one before its own last principals. */
export function extendsChain(chain: readonly string[], other: readonly string[]): boolean {
  return chain.length > other.length && other.every((principal, at) => chain[at] === principal);
}
