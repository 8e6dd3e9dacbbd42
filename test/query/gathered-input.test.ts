/** Small batches put together: the same rows in the same sequence, in fewer batches, and none held back for long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatheredInput } from '../../engine/query/execute/scan/gathered-input.js';
import type { QueryBatch } from '../../engine/query/runtime/batch.js';
import { Operator, PENDING, type Step, slice } from '../../engine/query/runtime/operator.js';

/** Gives batches of the sizes, of rows that are numbered; 0 = PENDING. Each batch is spoilt when the next is asked for. */
class Numbered extends Operator {
  private at = 0;
  private row = 0;
  private last: Uint32Array[] = [];

  constructor(
    private readonly sizes: readonly number[],
    width = 2,
  ) {
    super(Array.from({ length: width }, (_, column) => `v${column}`));
    // The time of a query that this process ran before has long been over.
    slice.endMs = Number.POSITIVE_INFINITY;
  }

  get calls(): number {
    return this.at;
  }

  protected step(): Step {
    for (const column of this.last) column.fill(7);
    const size = this.sizes[this.at++];
    if (size === undefined) return null;
    if (size === 0) return PENDING;
    const from = this.row;
    this.row += size;
    this.last = this.variables.map((_, column) =>
      Uint32Array.from({ length: 2 * size }, (_, half) => (half % 2 === 0 ? from + (half >> 1) : column)),
    );
    return { rows: size, columns: this.last };
  }
}

interface Given {
  readonly sizes: number[];
  readonly rows: number[];
  pending: number;
}

function note({ rows, columns }: QueryBatch, given: Given): void {
  given.sizes.push(rows);
  for (const [at, column] of columns.entries()) {
    for (let row = 0; row < rows; row++) {
      assert.equal(column[2 * row + 1], at);
      if (at === 0) given.rows.push(column[2 * row] as number);
      else assert.equal(column[2 * row], given.rows[given.rows.length - rows + row]);
    }
  }
}

function gathered(sizes: readonly number[], width = 2): Given {
  const input = new GatheredInput(new Numbered(sizes, width));
  const given: Given = { sizes: [], rows: [], pending: 0 };
  for (const step of input.batches()) {
    if (step === PENDING) given.pending++;
    else note(step, given);
  }
  input.release();
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.deepEqual(given.rows, [...Array(total).keys()], 'every row, once, in its sequence');
  return given;
}

test('small batches grow by what has been given', () => {
  const { sizes } = gathered(Array(1000).fill(10));
  assert.deepEqual(sizes.slice(0, 4), [10, 40, 200, 1000]);
  assert.ok(sizes.length < 9, String(sizes));
});

test('large batches pass, behind what was gathered before them', () => {
  assert.deepEqual(gathered([4096, 4096, 3000]).sizes, [4096, 4096, 3000]);
  assert.deepEqual(gathered([500, 5, 5, 4096, 5]).sizes, [500, 10, 4096, 5]);
  assert.deepEqual(gathered([2000, 900, 900, 900, 900, 900]).sizes, [2000, 3600, 900]);
});

test('an input that has nothing yet is not waited for, and one row, no rows and no columns', () => {
  const { pending } = gathered([3, 0, 4, 0, 0, 5]);
  assert.equal(pending, 3);
  assert.deepEqual(gathered([1]).sizes, [1]);
  assert.deepEqual(gathered([]).sizes, []);
  const bare = new GatheredInput(new Numbered([2, 3, 4], 0));
  const sizes: number[] = [];
  for (const step of bare.batches()) if (step !== PENDING) sizes.push(step.rows);
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    9,
  );
});

test('who asks for one batch has no more than one read', () => {
  const source = new Numbered(Array(50).fill(10));
  const input = new GatheredInput(source);
  const batches = input.batches();
  assert.ok(!batches.next().done);
  assert.equal(source.calls, 1);
  batches.next();
  assert.equal(source.calls, 5);
  input.release();
});

test('wide rows, of which a batch holds few', () => {
  const { sizes } = gathered(Array(100).fill(3), 1500);
  assert.ok(sizes.every((size) => size <= 64) && sizes.length < 40, String(sizes));
});
