/** What gates see of a write: its snapshots, its changes, and what costs nothing until it is asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terms } from '../../engine/rdf/terms.js';
import { type Gate, GateRefusal } from '../../engine/service/gates/gates.js';
import { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { LoadSource, StagedTransaction } from '../../engine/storage/seam/engine.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();

function document(text: string): LoadSource {
  return { kind: 'bytes', bytes: new TextEncoder().encode(text), name: 'text', format: 'turtle' };
}

const ONE = document('<http://e/a> <http://e/p> "one" .');
const TWO = document('<http://e/b> <http://e/q> "two" .');
const A = terms.quad(terms.namedNode('http://e/a'), terms.namedNode('http://e/p'), terms.literal('one'));
const B = terms.quad(terms.namedNode('http://e/b'), terms.namedNode('http://e/p'), terms.literal('two'));
const ALL = { graphs: { kind: 'all' }, pattern: {}, time: { kind: 'current' } } as const;

test('gates judge a load as they judge a transaction: before, after, and what changes', async () => {
  for (const engine of [openMemoryEngine(), await openLmdbEngine(folder.fresh())]) {
    await new WritePipeline(engine).load([ONE], {}, {});
    const seen: unknown[] = [];
    const gate: Gate = {
      name: 'shacl',
      judge: ({ before, after, counts }) => {
        const changed = [...after.changes(after.tx)].map(({ op, rows }) => [op, rows]);
        seen.push([before.tx, before.count(ALL), after.tx, after.count(ALL), counts, changed]);
        assert.equal(before.encode(B.subject), null);
        assert.notEqual(after.encode(B.subject), null);
        const accepted = { kind: 'accepted', findings: [] } as const;
        return seen.length === 1 ? { ...accepted, kind: 'refused', code: 'refused_shacl', message: 'no' } : accepted;
      },
    };
    const pipeline = new WritePipeline(engine, { gates: [gate] });
    await assert.rejects(pipeline.load([ONE, TWO], {}, {}), GateRefusal);
    assert.equal(engine.snapshot().encode(B.subject), null);
    assert.equal((await pipeline.load([ONE, TWO], {}, {})).tx, 2);
    const one = [1, 1, 2, 2, { asserted: 1, retracted: 0 }, [['assert', 1]]];
    assert.deepEqual(seen, [one, one]);
    await engine.close();
  }
});

const S = '<http://e/S> a <http://www.w3.org/ns/shacl#NodeShape> .';

test('snapshots are taken for gates that ask for them, and for no others', async () => {
  const engine = openMemoryEngine();
  let taken = 0;
  const counting = new Proxy(engine, {
    get: (target, key) => {
      if (key === 'snapshot') taken++;
      if (key === 'stageLoad') {
        return async (...given: Parameters<typeof engine.stageLoad>) => {
          const stage = await target.stageLoad(...given);
          const [first] = stage.transactions as [StagedTransaction];
          const before = first.before.bind(first);
          first.before = () => {
            taken++;
            return before();
          };
          return stage;
        };
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const told: unknown[] = [];
  const gate: Gate = {
    name: 'shacl',
    judge: ({ counts, shapes, registryState }) => {
      told.push([counts.asserted, shapes, registryState]);
      return { kind: 'accepted', findings: [] };
    },
  };
  const pipeline = new WritePipeline(counting, { gates: [gate] });
  await pipeline.load([ONE], {}, {});
  // Once each to see whether shapes are stored, whether ontologies are loaded, and whether graphs are frozen.
  assert.equal(taken, 3);
  await pipeline.transact((stage) => stage.assert([B]), {}, { shapes: S });
  await pipeline.transact((stage, registry) => {
    registry.register(stage.snapshot(), 'http://e/g');
  }, {});
  await pipeline.transact((stage) => stage.retract([B]), {});
  // Rows of the registry have changed: whether graphs are frozen is looked up again.
  assert.equal(taken, 4);
  assert.deepEqual(told, [
    [1, undefined, 0],
    [1, S, 0],
    [0, undefined, 0],
    [0, undefined, 1],
  ]);
});

test('before a transaction is everything that was accepted, durable or not', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  const seen: number[][] = [];
  const gate: Gate = {
    name: 'shacl',
    judge: ({ before, after }) => {
      seen.push([before.tx, before.count(ALL), after.tx, after.count(ALL)]);
      assert.equal(before.encode(terms.literal('two')) !== null, before.tx >= 2);
      return { kind: 'accepted', findings: [] };
    },
  };
  const pipeline = new WritePipeline(engine, { gates: [gate] });
  await Promise.all([
    pipeline.transact((stage) => stage.assert([A]), {}),
    pipeline.transact((stage) => stage.assert([B]), {}),
    pipeline.transact((stage) => stage.retract([A]), {}),
  ]);
  assert.deepEqual(seen, [
    [0, 0, 1, 1],
    [1, 1, 2, 2],
    [2, 2, 3, 1],
  ]);
  await engine.close();
});
