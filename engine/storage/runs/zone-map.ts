/**
 * What the least and greatest values of columns say about a test on rows, for one block or for a
 * whole run: that no row passes, that every row does, or that the rows must be looked at.
 */

import { OPEN } from '../ids/layout.js';
import { COLUMNS } from '../seam/scan.js';
import type { KnownEndTest, ScanTest } from '../seam/scan-tests.js';
import { compareHalves, type RunDirectory } from './directory.js';

const [TX_TO, VALID_TO] = [COLUMNS.indexOf('txTo'), COLUMNS.indexOf('validTo')];

export type Verdict = 'none' | 'some' | 'all';

/** Least and greatest values of some rows, per column. */
export interface Bounds {
  least(column: number): bigint;
  greatest(column: number): bigint;
}

/** The bounds of one block at a time; `block` may be moved. */
export class BlockBounds implements Bounds {
  readonly #directory: RunDirectory;
  block = 0;

  constructor(directory: RunDirectory) {
    this.#directory = directory;
  }

  least(column: number): bigint {
    return valueAt(this.#directory.least[column] as Uint32Array, this.block);
  }

  greatest(column: number): bigint {
    return valueAt(this.#directory.greatest[column] as Uint32Array, this.block);
  }
}

function valueAt(halves: Uint32Array, i: number): bigint {
  return (BigInt(halves[2 * i + 1] as number) << 32n) | BigInt(halves[2 * i] as number);
}

const runBounds = new WeakMap<RunDirectory, Bounds>();

/** The bounds of all rows of a run; those of a column are found once per directory. */
export function boundsOfRun(directory: RunDirectory): Bounds {
  let bounds = runBounds.get(directory);
  if (bounds === undefined) {
    bounds = new RunBounds(directory);
    runBounds.set(directory, bounds);
  }
  return bounds;
}

class RunBounds implements Bounds {
  readonly #directory: RunDirectory;
  readonly #least: bigint[] = [];
  readonly #greatest: bigint[] = [];

  constructor(directory: RunDirectory) {
    this.#directory = directory;
  }

  least(column: number): bigint {
    this.#least[column] ??= valueAt(this.#extreme(this.#directory.least[column] as Uint32Array, -1), 0);
    return this.#least[column];
  }

  greatest(column: number): bigint {
    this.#greatest[column] ??= valueAt(this.#extreme(this.#directory.greatest[column] as Uint32Array, 1), 0);
    return this.#greatest[column];
  }

  /** The least (sign -1) or greatest (1) of the values. */
  #extreme(halves: Uint32Array, sign: number): Uint32Array {
    let found = 0;
    for (let i = 1; i < this.#directory.blocks; i++) {
      if (sign * compareHalves(halves, i, halves[2 * found] as number, halves[2 * found + 1] as number) > 0) found = i;
    }
    return halves.subarray(2 * found, 2 * found + 2);
  }
}

export function verdictOf(test: ScanTest, bounds: Bounds): Verdict {
  if (test.kind === 'knownEnd') return verdictOfEnd(test, bounds);
  const [least, greatest] = [bounds.least(test.column), bounds.greatest(test.column)];
  if (test.kind === 'equal') {
    if (least > test.id || greatest < test.id) return 'none';
    return least === greatest ? 'all' : 'some';
  }
  if (!test.ranges.some((range) => range.from <= greatest && range.to > least)) return 'none';
  return test.ranges.some((range) => range.from <= least && range.to > greatest) ? 'all' : 'some';
}

function verdictOfEnd({ tx, at }: KnownEndTest, bounds: Bounds): Verdict {
  const [firstClose, lastClose] = [bounds.least(TX_TO), bounds.greatest(TX_TO)];
  if (firstClose > tx && lastClose < OPEN) return 'all';
  if (bounds.least(VALID_TO) > at) return 'all';
  const closesKnown = lastClose <= tx || firstClose === OPEN;
  return closesKnown && bounds.greatest(VALID_TO) <= at ? 'none' : 'some';
}
