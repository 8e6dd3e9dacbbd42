/** What a hash join has to know when it is one step of a larger one that did not fit into memory. */

import type { MemoryCounter } from '../../runtime/memory.js';
import type { Operator } from '../../runtime/operator.js';

export interface JoinRun {
  /** How often the rows have been split by their keys already. */
  readonly level: number;
  /** Something above relies on the order of the probe rows. */
  readonly ordered: boolean;
  /** Set when the build side is a piece of the whole one that fits into memory. */
  readonly piece: JoinPiece | null;
}

/** All pieces are joined with the same probe rows, one piece after the other. */
export interface JoinPiece {
  /** Probe rows that met a partner in this piece or in one before. */
  readonly matched: MatchedRows;
  /** Only now is it known which rows have no partner. */
  readonly last: boolean;
}

/** A join of its own, and nothing above it is known. */
export const WHOLE_JOIN: JoinRun = { level: 0, ordered: true, piece: null };

/** A join that gives its rows in no order anyway. */
export const UNORDERED_JOIN: JoinRun = { ...WHOLE_JOIN, ordered: false };

export function joinRun(unordered = false): JoinRun {
  return unordered ? UNORDERED_JOIN : WHOLE_JOIN;
}

/** The same join over other inputs. */
export type MakeJoin = (probe: Operator, build: Operator, run: JoinRun) => Operator;

const FIRST_BYTES = 1024;

/** A set of row numbers, one bit each. */
export class MatchedRows {
  private bits = new Uint8Array(0);

  constructor(private readonly memory: MemoryCounter) {}

  has(row: number): boolean {
    return (((this.bits[row >>> 3] ?? 0) >>> (row & 7)) & 1) === 1;
  }

  add(row: number): void {
    const at = row >>> 3;
    if (at >= this.bits.length) this.grow(at + 1);
    this.bits[at] = (this.bits[at] as number) | (1 << (row & 7));
  }

  release(): void {
    this.memory.give(this.bits.length);
    this.bits = new Uint8Array(0);
  }

  private grow(bytes: number): void {
    const length = Math.max(bytes, 2 * this.bits.length, FIRST_BYTES);
    this.memory.take(length - this.bits.length);
    const grown = new Uint8Array(length);
    grown.set(this.bits);
    this.bits = grown;
  }
}
