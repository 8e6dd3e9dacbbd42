/** Hash and merge joins against a search by hand: keys of all kinds, batch borders, duplicates, unbound ids. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HashJoinOperator } from '../../engine/query/execute/join/hash-join.js';
import { HashLeftJoinOperator } from '../../engine/query/execute/join/hash-left-join.js';
import { HashSemiJoinOperator } from '../../engine/query/execute/join/hash-semi-join.js';
import { MergeJoinOperator } from '../../engine/query/execute/join/merge-join.js';
import type { HashJoinKeys } from '../../engine/query/execute/tables/build-table.js';
import { joinRun } from '../../engine/query/execute/tables/join-run.js';
import { RowGroups } from '../../engine/query/execute/tables/row-groups.js';
import { KernelNumbers } from '../../engine/query/runtime/kernel-columns.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { PENDING } from '../../engine/query/runtime/operator.js';
import { RowStore } from '../../engine/query/runtime/row-store.js';
import { BATCH_ROWS } from '../../engine/storage/seam/scan.js';
import { RowsInput, rowsOf, termsOver } from './operator-support.js';

const MEBIBYTE = 2 ** 20;
const mix = (value: number) => (Math.imul(value ^ (value >>> 15), 0x9e3779b1) ^ (value >>> 7)) >>> 0;

/** How numbers become ids: close together, far apart, in both halves, above 2^63. */
const SPREADS: Readonly<Record<string, (value: number) => bigint>> = {
  dense: (value) => (0x20n << 56n) + BigInt(value),
  sparse: (value) => (0x20n << 56n) + BigInt(value) * 1_000_003n,
  'low half alike': (value) => (BigInt(value) << 32n) + 7n,
  'above 2^63': (value) => (0xf0n << 56n) + BigInt(value) * 4_294_967_311n,
  'around a border of the halves': (value) => (0x20n << 56n) + 0xffff_fff0n + BigInt(value),
};

interface Sizes {
  readonly probe: number;
  readonly build: number;
  readonly keys: number;
}

const SIZES: readonly Sizes[] = [
  { probe: 0, build: 5, keys: 5 },
  { probe: 5, build: 0, keys: 5 },
  { probe: 1, build: 1, keys: 1 },
  { probe: 40, build: 30, keys: 12 },
  { probe: 4096, build: 4096, keys: 4096 },
  { probe: 5000, build: 9000, keys: 3000 },
  { probe: 9000, build: 90, keys: 60 },
  { probe: 30, build: 6000, keys: 1 },
];

type Ids = readonly bigint[];

function idsOf(input: RowsInput): Ids[] {
  return Array.from({ length: input.size }, (_, row) =>
    input.variables.map((_name, column) => input.idAt(row, column)),
  );
}

const textOf = (id: bigint) => `${(id >> 32n).toString(16)}:${(id & 0xffffffffn).toString(16)}`;

function compatible(mine: bigint | undefined, other: bigint | undefined): boolean {
  return mine === 0n || other === 0n || mine === other;
}

interface Sides {
  readonly probe: RowsInput;
  readonly build: RowsInput;
  readonly keys: HashJoinKeys;
}

/** [probe row, build row] of all pairs that agree, in the order of the probe rows. */
function agreeing({ probe, build }: Sides): [number, number][] {
  const shared = probe.variables
    .map((name, column) => [column, build.variables.indexOf(name)] as const)
    .filter(([, column]) => column >= 0);
  const right = idsOf(build);
  const [first] = shared;
  const bound = first !== undefined && idsOf(probe).every((ids) => ids[first[0]] !== 0n);
  const byFirst = new Map<bigint | undefined, number[]>();
  right.forEach((other, candidate) => {
    const key = bound ? other[first[1]] : 0n;
    const rows = byFirst.get(key);
    if (rows === undefined) byFirst.set(key, [candidate]);
    else rows.push(candidate);
  });
  const found: [number, number][] = [];
  idsOf(probe).forEach((mine, row) => {
    for (const candidate of byFirst.get(bound ? mine[first[0]] : 0n) ?? []) {
      const other = right[candidate] as Ids;
      if (shared.every(([left, column]) => compatible(mine[left], other[column]))) found.push([row, candidate]);
    }
  });
  return found;
}

function joinedRow({ probe, build }: Sides, row: number, other: number): string {
  const names = [...probe.variables, ...build.variables.filter((name) => !probe.variables.includes(name))];
  return names
    .map((name) => {
      const first = probe.variables.indexOf(name);
      const second = build.variables.indexOf(name);
      const mine = first < 0 ? 0n : probe.idAt(row, first);
      return textOf(mine === 0n && second >= 0 && other >= 0 ? build.idAt(other, second) : mine);
    })
    .join(' ');
}

function sidesOf({ probe, build, keys }: Sizes, keyColumns: number, spread: (value: number) => bigint): Sides {
  const names = ['k', 'l', 'm'].slice(0, keyColumns);
  const idAt = (salt: number) => (row: number, column: number) =>
    column < keyColumns ? spread(mix(row * 31 + salt + 7 * column) % keys) : spread(row);
  return {
    probe: new RowsInput([...names, 'a'], probe, idAt(1)),
    build: new RowsInput([...names, 'b'], build, idAt(2)),
    keys: { certain: names, loose: [] },
  };
}

function looseOf(sizes: Sizes, keys: HashJoinKeys = { certain: ['k'], loose: ['l'] }): Sides {
  const idAt = (salt: number) => (row: number, column: number) => {
    const value = mix(row * 13 + salt + 5 * column);
    const mayBeUnbound = keys.loose.includes(column === 0 ? 'k' : 'l') && column < 2;
    return mayBeUnbound && value % 3 === 0 ? 0n : (SPREADS.dense as (value: number) => bigint)(value % sizes.keys);
  };
  return {
    probe: new RowsInput(['k', 'l', 'a'], Math.min(300, sizes.probe), idAt(3)),
    build: new RowsInput(['k', 'l', 'b'], Math.min(400, sizes.build), idAt(4)),
    keys,
  };
}

/** MINUS without keys that are always bound takes away what a partner binds one of the others with. */
function share({ probe, build, keys }: Sides, row: number, other: number): boolean {
  if (keys.certain.length > 0) return true;
  return keys.loose.some((name) => {
    const [mine, theirs] = [probe.variables.indexOf(name), build.variables.indexOf(name)];
    return probe.idAt(row, mine) !== 0n && build.idAt(other, theirs) !== 0n;
  });
}

function checkHashJoins(sides: Sides, name: string): void {
  const { probe, build, keys } = sides;
  const budget = new MemoryBudget(256 * MEBIBYTE);
  const pairs = agreeing(sides);
  const inner = pairs.map(([row, other]) => joinedRow(sides, row, other));
  const joined = rowsOf(new HashJoinOperator(probe.again(), build.again(), keys, budget));
  const inOrder = keys.loose.length === 0;
  assert.deepEqual(inOrder ? joined : joined.sort(), inOrder ? inner : [...inner].sort(), `${name}: inner`);
  const matched = new Set(pairs.map(([row]) => row));
  const alone = idsOf(probe).flatMap((_, row) => (matched.has(row) ? [] : [joinedRow(sides, row, -1)]));
  const left = rowsOf(new HashLeftJoinOperator(probe.again(), build.again(), keys, null, termsOver(budget), budget));
  assert.deepEqual(left.sort(), [...inner, ...alone].sort(), `${name}: left`);
  const partnered = new Set(pairs.filter(([row, other]) => share(sides, row, other)).map(([row]) => row));
  for (const anti of [false, true]) {
    const rows = idsOf(probe).flatMap((ids, row) => (partnered.has(row) === anti ? [] : [ids.map(textOf).join(' ')]));
    const semi = new HashSemiJoinOperator(probe.again(), build.again(), keys, anti, budget);
    assert.deepEqual(rowsOf(semi), rows, `${name}: ${anti ? 'anti' : 'semi'}`);
  }
  assert.equal(budget.usedBytes, 0, `${name}: memory`);
  budget.close();
}

for (const [spread, idOf] of Object.entries(SPREADS)) {
  test(`hash joins on ${spread} ids give what nested loops give`, () => {
    for (const sizes of SIZES.filter(({ probe, build }) => probe * build <= 2e7)) {
      checkHashJoins(sidesOf(sizes, 1, idOf), JSON.stringify(sizes));
    }
  });
}

test('hash joins on several keys, on none, and on ids that may be unbound', () => {
  for (const sizes of SIZES.filter(({ probe, build }) => probe * build <= 1e6)) {
    const name = JSON.stringify(sizes);
    const few = { ...sizes, keys: Math.ceil(Math.sqrt(sizes.keys)) };
    for (const keyColumns of [2, 3]) {
      checkHashJoins(
        sidesOf(few, keyColumns, SPREADS.sparse as (value: number) => bigint),
        `${name}, ${keyColumns} keys`,
      );
    }
    checkHashJoins(looseOf(few), `${name}, loose`);
    checkHashJoins(looseOf(few, { certain: [], loose: ['k', 'l'] }), `${name}, all loose`);
  }
  const cross = sidesOf({ probe: 70, build: 130, keys: 1 }, 0, SPREADS.dense as (value: number) => bigint);
  const rows = agreeing(cross).map(([row, other]) => joinedRow(cross, row, other));
  const budget = new MemoryBudget(MEBIBYTE);
  assert.deepEqual(rowsOf(new HashJoinOperator(cross.probe, cross.build, cross.keys, budget)), rows);
});

test('rows whose key may be unbound are looked up, not compared with all', () => {
  const rows = 20_000;
  const keys = { certain: [], loose: ['k'] };
  const budget = new MemoryBudget(256 * MEBIBYTE);
  const side = (name: string, unbound: number) =>
    new RowsInput(['k', name], rows, (row, column) => (column === 0 && row < unbound ? 0n : BigInt(row + 1)));
  for (const [open, without, expected] of [
    [0, 0, rows],
    [2, 0, 2 * rows + rows - 2],
    [0, 2, 2 * rows + rows - 2],
  ] as const) {
    const join = new HashJoinOperator(side('a', open), side('b', without), keys, budget);
    let steps = 0;
    let found = 0;
    for (let step = join.next(); step !== null; step = join.next()) {
      steps++;
      found += step === PENDING ? 0 : step.rows;
    }
    join.close();
    assert.equal(found, expected);
    assert.ok(steps < 120, `${steps} steps`);
  }
  assert.equal(budget.usedBytes, 0);
});

test('joins carry the columns that are shown', () => {
  const sides = sidesOf({ probe: 50, build: 60, keys: 20 }, 1, SPREADS.dense as (value: number) => bigint);
  const budget = new MemoryBudget(MEBIBYTE);
  const pairs = agreeing(sides);
  const shown = rowsOf(
    new HashJoinOperator(sides.probe.again(), sides.build.again(), sides.keys, budget, joinRun(), ['b']),
  );
  assert.deepEqual(
    shown,
    pairs.map(([, other]) => textOf(sides.build.idAt(other, 1))),
  );
  const none = rowsOf(new HashJoinOperator(sides.probe, sides.build, sides.keys, budget, joinRun(), []));
  assert.equal(none.length, pairs.length);
});

/** Ascending keys with runs of various lengths, some of them longer than a batch. */
function sorted(
  name: string,
  rows: number,
  keyOf: (row: number) => number,
  idOf: (value: number) => bigint,
): RowsInput {
  const keys = Array.from({ length: rows }, (_, row) => keyOf(row)).sort((a, b) => a - b);
  return new RowsInput(['k', 'l', name], rows, (row, column) => {
    if (column === 0) return idOf(keys[row] as number);
    return column === 1 ? idOf(mix(row) % 3) : idOf(row);
  });
}

test('merge joins give what nested loops give', () => {
  const shapes: readonly [number, number, number][] = [
    [0, 10, 5],
    [1, 1, 1],
    [10, 10, 3],
    [300, 4096, 200],
    [4096, 4096, 4096],
    [9000, 2000, 1500],
    [20, 9000, 2],
    [9000, 20, 2],
  ];
  for (const [left, right, keys] of shapes) {
    for (const idOf of [SPREADS.dense, SPREADS['above 2^63']] as ((value: number) => bigint)[]) {
      for (const further of [false, true]) {
        const probe = sorted('a', left, (row) => mix(row) % keys, idOf);
        const all = sorted('b', right, (row) => mix(row + 5) % (2 * keys), idOf);
        const renamed = further ? all.variables : ['k', 'x', 'b'];
        const build = new RowsInput(renamed, right, (row, column) => all.idAt(row, column));
        const sides = { probe, build, keys: { certain: ['k'], loose: [] } };
        const budget = new MemoryBudget(64 * MEBIBYTE);
        const rows = rowsOf(new MergeJoinOperator(probe.again(), build.again(), 'k', budget));
        const expected = agreeing(sides).map(([row, other]) => joinedRow(sides, row, other));
        assert.deepEqual(rows, expected, `${left} x ${right}, ${keys} keys`);
        assert.equal(budget.usedBytes, 0);
      }
    }
  }
});

test('a key table numbers keys by their first rows and lists the rows of each', () => {
  for (const [name, idOf] of Object.entries(SPREADS)) {
    for (const [rows, keys] of [
      [1, 1],
      [257, 257],
      [1000, 10],
      [300_000, 150_000],
      [200_000, 3],
    ] as const) {
      const column = new Uint32Array(2 * rows);
      for (let row = 0; row < rows; row++) {
        const id = idOf(rows === keys ? row : mix(row) % keys);
        column[2 * row] = Number(id & 0xffffffffn);
        column[2 * row + 1] = Number(id >> 32n);
      }
      const budget = new MemoryBudget(256 * MEBIBYTE);
      const store = new RowStore(1, { take: () => undefined, give: () => undefined }, 'kernel');
      store.appendBatch({ rows, columns: [column] });
      const table = new RowGroups(store, [0], budget.openAccount());
      const most = table.bytesToHold(rows);
      let calls = 1;
      for (const work = table.build(10_000); !work.next().done; ) calls++;
      assert.ok(rows < 10_000 || calls > rows / 10_000, 'in steps');
      assert.ok(budget.peakBytes <= most, `${name}: ${budget.peakBytes} of ${most} bytes`);
      assert.equal(table.unique, rows === keys);
      checkGroups(table, column, rows, `${name}, ${rows} rows, ${keys} keys`);
      table.release();
      store.release();
      assert.equal(budget.usedBytes, 0);
    }
  }
});

function checkGroups(table: RowGroups, column: Uint32Array, rows: number, name: string): void {
  const groups = new Int32Array(rows);
  const numbers = new KernelNumbers(BATCH_ROWS);
  numbers.reserve(BATCH_ROWS);
  for (let from = 0; from < rows; from += BATCH_ROWS) {
    const count = Math.min(BATCH_ROWS, rows - from);
    table.probe([column.subarray(2 * from, 2 * (from + count))], [0], count, numbers.words);
    groups.set(numbers.words.subarray(0, count), from);
  }
  const seen = new Int32Array(table.groups);
  for (let row = 0; row < rows; row++) {
    const group = groups[row] as number;
    assert.ok(group >= 0 && group < table.groups, name);
    const at = seen[group] as number;
    if (table.rowAt(group, at) !== row) assert.fail(`${name}: row ${row} is not number ${at} of group ${group}`);
    seen[group] = at + 1;
  }
  for (let group = 0; group < table.groups; group++) assert.equal(table.rowsIn(group), seen[group], name);
  const others = Uint32Array.of(
    5,
    5,
    column[0] as number,
    (column[1] as number) ^ 0x800000,
    (column[0] as number) ^ 0x40000000,
    column[1] as number,
  );
  table.probe([others], [0], 3, numbers.words);
  assert.deepEqual([...numbers.words.subarray(0, 3)], [-1, -1, -1], `${name}: keys that are not there`);
  numbers.release();
}
