/** Scans that learn from a join which keys are of use: they give what a whole scan gives of these keys, and less else. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HashJoinOperator } from '../../engine/query/execute/join/hash-join.js';
import { HashLeftJoinOperator } from '../../engine/query/execute/join/hash-left-join.js';
import { HashSemiJoinOperator } from '../../engine/query/execute/join/hash-semi-join.js';
import { ProjectOperator } from '../../engine/query/execute/rows/project.js';
import { ScanOperator, type ScanSpec } from '../../engine/query/execute/scan/scan.js';
import type { HashJoinKeys } from '../../engine/query/execute/tables/build-table.js';
import { UNORDERED_JOIN } from '../../engine/query/execute/tables/join-run.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import type { Operator } from '../../engine/query/runtime/operator.js';
import type { TermId } from '../../engine/storage/ids/layout.js';
import { CURRENT, type Order, type PositionTest, type StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { RowsInput, rowsOf, termsOver } from './operator-support.js';
import { storeOf } from './support.js';

const MANY = 1_000_000;
const SUBJECTS = 6000;

/** Nodes with two properties, some of them related to themselves, one in another graph too. */
async function snapshotOfNodes(): Promise<StorageSnapshot> {
  const lines = Array.from({ length: SUBJECTS }, (_, at) => `:n${at} :to :n${(at * 7) % 900} ; :kind :k${at % 5} .`);
  return (await storeOf(`${lines.join('\n')}\n:n3 :to :n3 .\n:g { :n1 :to :n7 . :n2 :other :n7 }`)).snapshot();
}

function idOf(snapshot: StorageSnapshot, name: string): TermId {
  const id = snapshot.encode({ termType: 'NamedNode', value: `http://example.org/${name}` } as never);
  assert.ok(id !== null, name);
  return id;
}

/** Some that are there, one twice, not in their order; one that is not. */
function keysOf(snapshot: StorageSnapshot): TermId[] {
  return [...['n70', 'n3', 'n7', 'n14', 'n3', 'n5000', 'k2'].map((name) => idOf(snapshot, name)), (0xf0n << 56n) + 9n];
}

function specOf(
  pattern: ScanSpec['request']['pattern'],
  order: Order | undefined,
  equal: ScanSpec['equal'] = [],
): ScanSpec {
  const free = (['s', 'p', 'o', 'g'] as const).filter(
    (position) => position === 'g' || pattern[position] === undefined,
  );
  const hidden = new Set(equal.map(([, second]) => second));
  const outputs = free.filter((at) => !hidden.has(at)).map((position) => ({ variable: position, position }));
  return {
    request: { graphs: { kind: 'all' }, pattern, time: CURRENT, order, unordered: order === undefined },
    outputs,
    equal,
  };
}

function inputOf(variable: string, ids: readonly TermId[]): RowsInput {
  return new RowsInput([variable], ids.length, (row) => ids[row] as bigint);
}

function filterOf(variable: string, ids: readonly TermId[]) {
  const keys = new Uint32Array(2 * ids.length);
  new BigUint64Array(keys.buffer).set(ids);
  return { variable, keys, rows: ids.length };
}

function narrowed(snapshot: StorageSnapshot, spec: ScanSpec, variable: string, ids: readonly TermId[]): string[] {
  const scan = new ScanOperator(snapshot, spec, MANY);
  scan.narrow(filterOf(variable, ids));
  return rowsOf(scan);
}

/** The rows of the whole scan that have one of the keys. */
function picked(snapshot: StorageSnapshot, spec: ScanSpec, variable: string, ids: readonly TermId[]): string[] {
  const column = spec.outputs.findIndex((output) => output.variable === variable);
  const texts = new Set(rowsOf(inputOf(variable, ids)));
  return rowsOf(new ScanOperator(snapshot, spec)).filter((row) => texts.has(row.split(' ')[column] as string));
}

test('a narrowed scan gives the rows of its keys', async () => {
  const snapshot = await snapshotOfNodes();
  const is = (name: string): PositionTest => ({ kind: 'id', id: idOf(snapshot, name) });
  const below: PositionTest = { kind: 'ranges', ranges: [{ from: 0n, to: idOf(snapshot, 'n800') }] };
  const specs = [
    specOf({}, undefined),
    specOf({ p: is('to') }, undefined),
    specOf({ o: is('n7') }, undefined),
    specOf({ p: is('to'), o: is('n7') }, undefined),
    specOf({ s: is('n7') }, undefined),
    specOf({ s: is('n7'), p: is('to') }, undefined),
    specOf({ p: is('to'), o: below }, undefined),
    specOf({ p: is('to') }, undefined, [['s', 'o']]),
  ];
  const keys = keysOf(snapshot);
  for (const spec of specs) {
    for (const { variable } of spec.outputs) {
      const [found, expected] = [narrowed, picked].map((rows) => rows(snapshot, spec, variable, keys));
      const whole = rowsOf(new ScanOperator(snapshot, spec)).length;
      const label = `${Object.keys(spec.request.pattern)} by ${variable}`;
      if (variable === 's' || variable === 'o') assert.deepEqual(found?.sort(), expected?.sort(), label);
      else assert.equal(found?.length, whole, label);
    }
  }
  snapshot.close();
});

test('a scan whose order matters is narrowed where its order stays', async () => {
  const snapshot = await snapshotOfNodes();
  const p: PositionTest = { kind: 'id', id: idOf(snapshot, 'to') };
  const keys = keysOf(snapshot);
  const bySubject = specOf({}, 'SPOG');
  assert.deepEqual(narrowed(snapshot, bySubject, 's', keys), picked(snapshot, bySubject, 's', keys));
  const byObject = specOf({ p }, 'POSG');
  assert.deepEqual(narrowed(snapshot, byObject, 'o', keys), picked(snapshot, byObject, 'o', keys));
  assert.deepEqual(narrowed(snapshot, byObject, 's', keys), rowsOf(new ScanOperator(snapshot, byObject)));
  snapshot.close();
});

test('joins narrow the scan that they go through, and only where rows without a partner are dropped', async () => {
  const snapshot = await snapshotOfNodes();
  const budget = new MemoryBudget(2 ** 26);
  const spec = specOf({ p: { kind: 'id', id: idOf(snapshot, 'to') } }, undefined);
  const partners = () => inputOf('s', keysOf(snapshot));
  const joinsOn = (keys: HashJoinKeys): Record<string, (probe: Operator) => Operator> => ({
    join: (probe) =>
      new HashJoinOperator(new ProjectOperator(probe, ['o', 's']), partners(), keys, budget, UNORDERED_JOIN),
    nested: (probe) => {
      const inner = new HashJoinOperator(partners(), probe, keys, budget, UNORDERED_JOIN);
      return new HashJoinOperator(inner, partners(), keys, budget, UNORDERED_JOIN);
    },
    semi: (probe) => new HashSemiJoinOperator(probe, partners(), keys, false, budget, UNORDERED_JOIN),
    anti: (probe) => new HashSemiJoinOperator(probe, partners(), keys, true, budget, UNORDERED_JOIN),
    left: (probe) => new HashLeftJoinOperator(probe, partners(), keys, null, termsOver(budget), budget, UNORDERED_JOIN),
  });
  const joins = [
    ...Object.entries(joinsOn({ certain: ['s'], loose: [] })),
    ...Object.entries(joinsOn({ certain: [], loose: ['s'] })),
  ];
  for (const [name, join] of joins) {
    const [whole, narrow] = [new ScanOperator(snapshot, spec), new ScanOperator(snapshot, spec, MANY)];
    assert.deepEqual(rowsOf(join(narrow)).sort(), rowsOf(join(whole)).sort(), name);
    const drops = name !== 'anti' && name !== 'left';
    if (drops) assert.ok(narrow.statistics.rows < 10, `${name}: ${narrow.statistics.rows} rows`);
    else assert.equal(narrow.statistics.rows, whole.statistics.rows, name);
    assert.equal(budget.usedBytes, 0);
  }
  // A row without the key is a partner of all.
  const whole = new ScanOperator(snapshot, spec, MANY);
  const unbound = inputOf('s', [...keysOf(snapshot), 0n as TermId]);
  const loose = { certain: [], loose: ['s'] };
  const rows = rowsOf(new HashJoinOperator(whole, unbound, loose, budget, UNORDERED_JOIN));
  assert.ok(rows.length >= whole.statistics.rows && whole.statistics.rows > 10);
  snapshot.close();
});
