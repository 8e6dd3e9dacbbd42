/**
 * How many rows of a run's key range a time slice shows: counted where the range is short, elsewhere guessed
 * from short stretches that are spread over it. Tests the packed columns in place; a few blocks at most.
 */

import { PADDING_BYTES } from '../../../kernels/memory.js';
import type { Estimate } from '../../seam/scan.js';
import { BlockTests } from '../../sources/block-tests.js';
import type { ScanPlan } from '../../sources/scan-plan.js';
import type { VisibleRun } from '../../sources/visible-run.js';
import type { View } from '../view.js';
import { type Place, placesOfKeys, rowsBetween } from './key-range.js';

/** Ranges up to this length are counted. */
const COUNTED_ROWS_MAX = 1024;
/** A longer one is judged by so many stretches of so many rows. */
const STRETCHES = 4;
const STRETCH_ROWS = 256;

const SELECTION_BYTES = 4 * COUNTED_ROWS_MAX + PADDING_BYTES;
const DEAD_BYTES = 2 * COUNTED_ROWS_MAX;
const NO_DEAD = new Uint16Array(0);

export function visibleRows(view: View, run: VisibleRun, plan: ScanPlan): Estimate {
  const { from, to } = placesOfKeys(view, run, plan);
  const living = rowsBetween(run, from, to);
  if (run.slice.tests.length === 0 || living === 0) return { rows: living, exact: true };
  const { directory } = run;
  const first = numberOf(directory.rowsBefore, from);
  const rows = numberOf(directory.rowsBefore, to) - first;
  const counter = new VisibleCounter(view, run);
  try {
    if (rows <= COUNTED_ROWS_MAX) return { rows: counter.count(from, rows).visible, exact: true };
    let [visible, seen] = [0, 0];
    for (let stretch = 0; stretch < STRETCHES; stretch++) {
      const number = first + Math.floor(((stretch + 0.5) * rows) / STRETCHES) - STRETCH_ROWS / 2;
      const found = counter.count(placeOf(directory.rowsBefore, number), STRETCH_ROWS);
      visible += found.visible;
      seen += found.living;
    }
    // Half a row more: what a sample misses may be there all the same.
    return { rows: (living * (visible + 0.5)) / (seen + 1), exact: false };
  } finally {
    counter.release();
  }
}

function numberOf(rowsBefore: Float64Array, { block, row }: Place): number {
  return (rowsBefore[block] as number) + row;
}

/** The place of a row by its number in the run. */
function placeOf(rowsBefore: Float64Array, number: number): Place {
  let [low, high] = [0, rowsBefore.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((rowsBefore[middle] as number) <= number) low = middle;
    else high = middle;
  }
  return { block: low, row: number - (rowsBefore[low] as number) };
}

class VisibleCounter {
  readonly #view: View;
  readonly #run: VisibleRun;
  readonly #tests: BlockTests;
  readonly #selection: number;
  readonly #dead: number;

  constructor(view: View, run: VisibleRun) {
    const { memory } = view.context;
    this.#view = view;
    this.#run = run;
    this.#tests = new BlockTests(memory, run.directory, run.slice.tests);
    this.#selection = memory.allocate(SELECTION_BYTES);
    this.#dead = memory.allocate(DEAD_BYTES);
  }

  /** Of so many rows from a place on, fewer at the end of the run, those that live and those of them that pass. */
  count(from: Place, rows: number): { living: number; visible: number } {
    const { directory } = this.#run;
    let [living, visible] = [0, 0];
    let { block, row } = from;
    for (let left = rows; left > 0 && block < directory.blocks; block++, row = 0) {
      const taken = Math.min(left, (directory.rows[block] as number) - row);
      left -= taken;
      if (taken === 0) continue;
      const found = this.#countIn(block, row, row + taken);
      living += found.living;
      visible += found.visible;
    }
    return { living, visible };
  }

  #countIn(block: number, from: number, to: number): { living: number; visible: number } {
    const { run, dead } = this.#run;
    const { context, transaction } = this.#view;
    const gone = (dead?.of(block) ?? NO_DEAD).filter((row) => row >= from && row < to);
    const living = to - from - gone.length;
    const tests = this.#tests.open(block);
    if (living === 0 || tests === null) return { living, visible: 0 };
    if (tests.length === 0) return { living, visible: living };
    const address = context.blocks.load(run.firstBlock + block, transaction);
    const part = { address, block, from, to, tests };
    return { living, visible: this.#tests.select(part, gone, this.#dead, this.#selection) };
  }

  release(): void {
    const { memory } = this.#view.context;
    memory.free(this.#selection, SELECTION_BYTES);
    memory.free(this.#dead, DEAD_BYTES);
  }
}
