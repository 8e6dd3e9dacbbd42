/** The write pipeline: one at a time, gates in their order, and a refusal that leaves no trace. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { GATES, type Gate, type GateName, GateRefusal, type StagedWrite } from '../../engine/service/pipeline/gates.js';
import { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import type { LoadSource, StorageEngine } from '../../engine/storage/engine.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';

function document(text: string): LoadSource {
  return { kind: 'bytes', bytes: new TextEncoder().encode(text), name: 'text', format: 'turtle' };
}

const ONE = document('<http://e/a> <http://e/p> "one" .');
const TWO = document('<http://e/b> <http://e/q> "two" .');

/** Everything that a write could leave behind. */
function trace(engine: StorageEngine): unknown {
  const snapshot = engine.snapshot();
  try {
    return {
      stats: engine.stats(),
      transactions: engine.transactions(),
      tx: snapshot.tx,
      quads: snapshot.count({ graphs: { kind: 'all' }, pattern: {}, time: { kind: 'current' } }),
      graphs: snapshot.graphs(),
    };
  } finally {
    snapshot.close();
  }
}

function refusing(name: GateName): Gate {
  return {
    name,
    judge: () => ({
      kind: 'refused',
      code: 'policy_denied',
      message: 'no',
      hint: 'ask',
      findings: [{ severity: 'Violation', message: 'because' }],
    }),
  };
}

test('no gate is built yet', () => {
  assert.deepEqual(GATES, []);
});

test('a write is published, and its times are told', async () => {
  const engine = openMemoryEngine();
  const pipeline = new WritePipeline(engine, { now: () => 1000 });
  const receipt = await pipeline.load([ONE], {}, {});
  assert.deepEqual([receipt.tx, receipt.timestamp, receipt.validFrom, receipt.summary.quadsAdded], [1, 1000, 1000, 1]);
  const later = await pipeline.load([TWO], { timestamp: 2000, validFrom: 1500 }, {});
  assert.deepEqual([later.tx, later.timestamp, later.validFrom], [2, 2000, 1500]);
  assert.deepEqual(
    engine.transactions().map((one) => [one.id, one.timestamp]),
    [
      [1, 1000],
      [2, 2000],
    ],
  );
});

test('a refusal leaves no trace', async () => {
  const engine = openMemoryEngine();
  await new WritePipeline(engine).load([ONE], {}, {});
  const before = trace(engine);
  const pipeline = new WritePipeline(engine, { gates: [refusing('policy')] });
  await assert.rejects(pipeline.load([TWO], { graph: 'http://e/g' }, {}), (error: unknown) => {
    assert.ok(error instanceof GateRefusal);
    assert.deepEqual([error.code, error.gate, error.message, error.hint], ['policy_denied', 'policy', 'no', 'ask']);
    assert.deepEqual(error.findings, [{ severity: 'Violation', message: 'because' }]);
    return true;
  });
  assert.deepEqual(trace(engine), before);
});

test('gates are asked in the fixed order, see the write and the state before it, and stop at the first refusal', async () => {
  const engine = openMemoryEngine();
  await new WritePipeline(engine).load([ONE], {}, {});
  const asked: string[] = [];
  const accepting = (name: GateName): Gate => ({
    name,
    judge: async (write: StagedWrite) => {
      asked.push(`${name} ${write.summary.quadsAdded} ${write.before.tx} ${write.options.graph}`);
      return { kind: 'accepted', findings: [{ severity: 'Warning', message: name }] };
    },
  });
  const all = [
    accepting('owl'),
    accepting('policy'),
    accepting('shacl'),
    accepting('placement'),
    accepting('authority'),
  ];
  const receipt = await new WritePipeline(engine, { gates: all }).load([TWO], { graph: 'http://e/g' }, {});
  const order = ['authority', 'shacl', 'placement', 'policy', 'owl'];
  assert.deepEqual(
    asked,
    order.map((name) => `${name} 1 1 http://e/g`),
  );
  assert.deepEqual(
    receipt.findings.map((one) => one.message),
    order,
  );
  asked.length = 0;
  const mixed = [accepting('owl'), refusing('placement'), accepting('shacl')];
  await assert.rejects(
    new WritePipeline(engine, { gates: mixed }).load([document('<http://e/c> <http://e/p> 3 .')], {}, {}),
    /no/,
  );
  assert.equal(asked.length, 1);
});

test('writes wait for each other, and a failure does not stop the queue', async () => {
  const engine = openMemoryEngine();
  let running = 0;
  let most = 0;
  const gate: Gate = {
    name: 'authority',
    judge: async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return { kind: 'accepted', findings: [] };
    },
  };
  const pipeline = new WritePipeline(engine, { gates: [gate] });
  const results = await Promise.allSettled([
    pipeline.load([ONE], {}, {}),
    pipeline.load([document('this is no Turtle')], {}, {}),
    pipeline.load([TWO], {}, {}),
  ]);
  assert.deepEqual(
    results.map((result) => result.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.equal(most, 1);
  assert.equal(engine.stats().factsCurrent, 2);
  await pipeline.idle();
});

test('a gate that throws, and a signal that fires, drop the stage', async () => {
  const engine = openMemoryEngine();
  const before = trace(engine);
  const broken: Gate = {
    name: 'shacl',
    judge: () => {
      throw new Error('broken gate');
    },
  };
  await assert.rejects(new WritePipeline(engine, { gates: [broken] }).load([ONE], {}, {}), /broken gate/);
  const controller = new AbortController();
  const aborting: Gate = {
    name: 'shacl',
    judge: () => {
      controller.abort();
      return { kind: 'accepted', findings: [] };
    },
  };
  const load = new WritePipeline(engine, { gates: [aborting] }).load([ONE], {}, { signal: controller.signal });
  await assert.rejects(load, (error: unknown) => error instanceof SvcError && error.code === 'aborted');
  assert.deepEqual(trace(engine), before);
});

test('a store that is open for reading only is not even staged to', async () => {
  const engine = openMemoryEngine();
  const readOnly = new Proxy(engine, {
    get: (target, key) => {
      if (key === 'readOnly') return true;
      assert.notEqual(key, 'stageLoad');
      return Reflect.get(target, key, target);
    },
  });
  await assert.rejects(
    new WritePipeline(readOnly).load([ONE], {}, {}),
    (error: unknown) => error instanceof SvcError && error.code === 'store_read_only',
  );
});
