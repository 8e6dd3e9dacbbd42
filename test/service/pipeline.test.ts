/** The write pipeline: one at a time, gates in their order, and a refusal that leaves no trace. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { terms } from '../../engine/rdf/terms.js';
import { type Gate, type GateName, GateRefusal, type StagedWrite } from '../../engine/service/gates/gates.js';
import { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import type { StageChange } from '../../engine/service/pipeline/write-control.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { LoadSource, StorageEngine, TransactionOptions } from '../../engine/storage/seam/engine.js';

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
      assert.ok(write.kind === 'load');
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

const A = terms.quad(terms.namedNode('http://e/a'), terms.namedNode('http://e/p'), terms.literal('one'));
const B = terms.quad(terms.namedNode('http://e/b'), terms.namedNode('http://e/p'), terms.literal('two'));

test('a transaction is written, and its times, counts and result are told', async () => {
  const engine = openMemoryEngine();
  const pipeline = new WritePipeline(engine, { now: () => 1000 });
  const first = await pipeline.transact((stage) => stage.assert([A, B]), { actor: 'ana', source: 'test' });
  assert.deepEqual(first, {
    tx: 1,
    timestamp: 1000,
    validFrom: 1000,
    findings: [],
    counts: { asserted: 2, retracted: 0 },
    result: 2,
  });
  const nothing = await pipeline.transact(() => undefined, {});
  assert.deepEqual([nothing.tx, nothing.counts], [0, { asserted: 0, retracted: 0 }]);
  assert.equal((await pipeline.transact(() => undefined, {}, { recordEmpty: true })).tx, 2);
  const later = await pipeline.transact((stage) => stage.retract([A]), { timestamp: 2000, validFrom: 1500 });
  assert.deepEqual([later.tx, later.timestamp, later.validFrom, later.counts.retracted], [3, 2000, 1500, 1]);
});

test('gates judge a transaction by the state after it; a refusal leaves no trace', async () => {
  const engine = openMemoryEngine();
  await new WritePipeline(engine).transact((stage) => stage.assert([A]), {});
  const before = trace(engine);
  const all = { graphs: { kind: 'all' }, pattern: {}, time: { kind: 'current' } } as const;
  const seen: unknown[] = [];
  const gate: Gate = {
    name: 'shacl',
    judge: async (write) => {
      assert.ok(write.kind === 'transaction');
      seen.push([write.before.count(all), write.after.count(all), write.counts, write.options.source]);
      assert.equal(write.before.encode(B.subject), null);
      assert.notEqual(write.after.encode(B.subject), null);
      return write.after.count(all) > 1
        ? { kind: 'refused', code: 'refused_shacl', message: 'one is enough', findings: [] }
        : { kind: 'accepted', findings: [{ severity: 'Info', message: 'fine' }] };
    },
  };
  const pipeline = new WritePipeline(engine, { gates: [gate] });
  const refused = pipeline.transact((stage) => stage.assert([B]), { source: 'x' });
  await assert.rejects(refused, (error: unknown) => error instanceof GateRefusal && error.code === 'refused_shacl');
  assert.deepEqual(trace(engine), before);
  assert.equal(engine.snapshot().encode(B.subject), null);
  const accepted = await pipeline.transact(
    (stage) => {
      stage.retract([A]);
      stage.assert([B]);
    },
    { source: 'y' },
  );
  assert.deepEqual(accepted.findings, [{ severity: 'Info', message: 'fine' }]);
  assert.deepEqual(seen, [
    [1, 2, { asserted: 1, retracted: 0 }, 'x'],
    [1, 1, { asserted: 1, retracted: 1 }, 'y'],
  ]);
});

test('a change that throws, at once or later, and a signal that fires leave no trace', async () => {
  const engine = openMemoryEngine();
  const pipeline = new WritePipeline(engine);
  const before = trace(engine);
  const failures: StageChange<unknown>[] = [
    (stage) => {
      stage.assert([A]);
      throw new Error('of the caller');
    },
    async (stage) => {
      stage.assert([A]);
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('of the caller');
    },
  ];
  for (const change of failures) await assert.rejects(pipeline.transact(change, {}), /of the caller/);
  for (const abortLate of [false, true]) {
    const controller = new AbortController();
    const aborted = pipeline.transact(
      (stage) => {
        stage.assert([A]);
        if (abortLate) controller.abort();
      },
      {},
      { signal: controller.signal },
    );
    if (!abortLate) controller.abort();
    await assert.rejects(aborted, { code: 'aborted' });
  }
  assert.deepEqual(trace(engine), before);
  assert.equal((await pipeline.transact((stage) => stage.assert([A]), {})).tx, 1, 'the queue goes on');
});

test('a write inside a write is refused, since it would wait for itself; one after it is not', async () => {
  const engine = openMemoryEngine();
  const pipeline = new WritePipeline(engine);
  let later: Promise<unknown> = Promise.resolve();
  let over = (): void => undefined;
  const isOver = new Promise<void>((resolve) => {
    over = resolve;
  });
  const inner = pipeline.transact(async (stage) => {
    stage.assert([A]);
    later = isOver.then(() => pipeline.load([ONE], {}, {}));
    await pipeline.transact((other) => other.assert([B]), {});
  }, {});
  await assert.rejects(inner, { code: 'invalid_request' });
  over();
  await later;
  assert.equal(engine.stats().transactions, 1);
});

test('the turn is given away before a transaction is durable, and each waits for its own', async () => {
  const engine = openMemoryEngine();
  const flush: (() => void)[] = [];
  const slow = new Proxy(engine, {
    get: (target, key) => {
      if (key === 'stage') {
        return (options: TransactionOptions) => {
          const stage = target.stage(options);
          const commit = stage.commit.bind(stage);
          stage.commit = (given) => ({
            tx: commit(given).tx,
            durable: new Promise((resolve) => flush.push(resolve)),
            exclusive: false,
          });
          return stage;
        };
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const pipeline = new WritePipeline(slow);
  const acknowledged: string[] = [];
  const both = [A, B].map(async (quad, at) => {
    const { tx } = await pipeline.transact((stage) => stage.assert([quad]), {});
    acknowledged.push(`${at} ${tx}`);
  });
  let idle = false;
  const waiting = pipeline.idle().then(() => {
    idle = true;
  });
  while (flush.length < 2) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([acknowledged, idle], [[], false]);
  flush[1]?.();
  await both[1];
  assert.deepEqual(acknowledged, ['1 2']);
  flush[0]?.();
  await Promise.all([...both, waiting]);
  assert.deepEqual([acknowledged, idle], [['1 2', '0 1'], true]);
});

test('who waits for its turn is told: that it waits, and how long once it begins, also where it fails then', async () => {
  const pipeline = new WritePipeline(openMemoryEngine());
  const told: string[] = [];
  const waited = new Map<string, number>();
  const watching = (name: string) => ({
    wait: {
      waits: () => told.push(`${name} waits`),
      begins: (waitedMs: number) => {
        told.push(`${name} begins`);
        waited.set(name, waitedMs);
      },
    },
  });
  let leave = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const first = pipeline.transact(() => held, {}, watching('first'));
  const second = pipeline.transact(() => undefined, {}, watching('second'));
  const third = pipeline.transact(
    () => {
      throw new SvcError('invalid_request', 'no');
    },
    {},
    watching('third'),
  );
  const beganMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 40));
  assert.deepEqual(told, ['first waits', 'second waits', 'third waits', 'first begins']);
  const leastMs = performance.now() - beganMs - 5;
  leave();
  await Promise.all([first, second, assert.rejects(third, { message: 'no' })]);
  assert.deepEqual(told.slice(4), ['second begins', 'third begins']);
  for (const name of ['second', 'third']) assert.ok((waited.get(name) as number) > leastMs, name);
  assert.ok((waited.get('first') as number) < leastMs + 5);
});
