/**
 * What comes before and after a write on its stage: authority, asked before anything is staged, and a maintainer that derives
 * a fact in a transaction of its own, which is judged, refused and published together with the write.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { type Gate, GateRefusal, type Verdict } from '../../engine/service/gates/gates.js';
import type { Authority, IntendedWrite } from '../../engine/service/pipeline/authority.js';
import type { Maintainer } from '../../engine/service/pipeline/maintainers.js';
import { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import { idOfHalves } from '../../engine/storage/ids/halves.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { LoadSource, StagedTransaction, StorageEngine } from '../../engine/storage/seam/engine.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const node = (name: string) => terms.namedNode(`http://e/${name}`);
const knows = (one: string, other: string): Quad => terms.quad(node(one), node('knows'), node(other));
const document: LoadSource = {
  kind: 'bytes',
  bytes: Buffer.from('<http://e/a> <http://e/knows> <http://e/b> .'),
  name: 'text',
  format: 'turtle',
};
const ALL = { graphs: { kind: 'all' }, pattern: {}, time: { kind: 'current' } } as const;

/** Whom somebody knows knows them: derived in a transaction of its own, and a note of it in that of the write. */
const symmetric: Maintainer = {
  name: 'symmetric',
  maintain: (context) => {
    const { stage } = context;
    const predicate = stage.intern(node('knows'));
    const derived: Quad[] = [];
    const names = stage.snapshot();
    for (const { graph, asserted } of context.changes.graphs) {
      if (asserted === 0) continue;
      for (const { op, rows, columns } of context.changes.rows(graph)) {
        const [s, o] = [names.decode(columns.s, rows), names.decode(columns.o, rows)];
        for (let row = 0; row < rows; row++) {
          const p = idOfHalves(columns.p[2 * row] as number, columns.p[2 * row + 1] as number);
          if (op !== 'assert' || p !== predicate) continue;
          derived.push(terms.quad(o[row] as Quad['subject'], node('knows'), s[row] as Quad['object']));
        }
      }
    }
    names.close();
    if (derived.length === 0) return;
    stage.assert([terms.quad(node('rule'), node('ran'), terms.literal(String(derived.length)))]);
    context.begin({ source: 'rule:symmetric' });
    stage.assert(derived);
  },
};

interface Seen {
  readonly before: number;
  readonly after: number;
  readonly changed: readonly string[];
  readonly counts: unknown;
}

function watching(verdict: () => Verdict, seen: Seen[]): Gate {
  return {
    name: 'policy',
    judge: ({ before, after, changes, counts }) => {
      const changed = [...changes.rows()].flatMap(({ op, rows, columns }) =>
        after.decode(columns.s, rows).map(({ value }) => `${op} ${value.slice('http://e/'.length)}`),
      );
      seen.push({ before: before.count(ALL), after: after.count(ALL), changed: changed.sort(), counts });
      return verdict();
    },
  };
}

const accepted: Verdict = { kind: 'accepted', findings: [] };
const refused: Verdict = { kind: 'refused', code: 'policy_denied', message: 'no', findings: [] };

const engines = async (): Promise<[string, StorageEngine][]> => [
  ['memory', openMemoryEngine()],
  ['LMDB', await openLmdbEngine(folder.fresh())],
];

function trace(engine: StorageEngine): unknown {
  const snapshot = engine.snapshot();
  const graphs = snapshot.graphs();
  const quads = snapshot.count(ALL);
  snapshot.close();
  return { transactions: engine.transactions(), quads, graphs, rule: engine.transactionsOf('rule:symmetric') };
}

test('a maintainer derives in the stage of the write: judged once, refused together, published together', async () => {
  for (const [name, engine] of await engines()) {
    const seen: Seen[] = [];
    let verdict: Verdict = refused;
    type Write = () => Promise<{ readonly tx: number }>;
    const gates = [watching(() => verdict, seen)];
    const pipeline = new WritePipeline(engine, { gates, maintainers: [symmetric], now: () => 1000 });
    const untouched = trace(engine);
    const writes: readonly Write[] = [
      () => pipeline.transact((stage) => stage.assert([knows('a', 'b')]), { source: 'me' }),
      () => pipeline.load([document], { source: 'me' }, {}),
    ];
    for (const write of writes) {
      await assert.rejects(write(), GateRefusal, name);
      assert.deepEqual(trace(engine), untouched, `${name}: nothing of either is there`);
    }
    const derived = {
      before: 0,
      after: 3,
      changed: ['assert a', 'assert b', 'assert rule'],
      counts: { asserted: 2, retracted: 0 },
    };
    assert.deepEqual(seen, [derived, derived], name);
    verdict = accepted;
    for (const [at, write] of writes.entries()) {
      await pipeline.transact((stage) => stage.retract([knows('a', 'b'), knows('b', 'a')]), {});
      const { tx } = await write();
      assert.equal(tx, at === 0 ? 1 : 4, name);
      const [own, rule] = engine.transactions({ since: tx - 1 });
      assert.deepEqual(
        [own?.source, own?.quadsAdded, rule?.id, rule?.source, rule?.quadsAdded],
        ['me', at === 0 ? 2 : 1, tx + 1, 'rule:symmetric', 1],
      );
      // Events of both, in the order of their transactions.
      assert.deepEqual([own?.events?.derived !== undefined, rule?.events?.derived !== undefined], [true, true]);
      assert.equal((rule?.events?.after ?? 0) > (own?.events?.after ?? 0), true);
      const snapshot = engine.snapshot();
      const between = { ...ALL, time: { kind: 'asOf', tx } } as const;
      assert.deepEqual([snapshot.count(ALL), snapshot.count(between)], [3, 2], name);
      snapshot.close();
    }
    assert.deepEqual((await engine.verify({})).problems, [], name);
    const later = await pipeline.transact((stage) => stage.assert([knows('c', 'd')]), {});
    assert.equal(later.tx, 6, name);
    await engine.close();
  }
});

test('a derivation that fails takes the write along', async () => {
  for (const [name, engine] of await engines()) {
    const broken: Maintainer = {
      name: 'broken',
      maintain: (context) => {
        context.begin({});
        context.stage.assert([knows('x', 'y')]);
        throw new Error('of the rule');
      },
    };
    const pipeline = new WritePipeline(engine, { maintainers: [broken] });
    await assert.rejects(
      pipeline.transact((stage) => stage.assert([knows('a', 'b')]), {}),
      /of the rule/,
    );
    assert.deepEqual(engine.transactions(), [], name);
    const whole = new WritePipeline(engine);
    assert.equal((await whole.transact((stage) => stage.assert([knows('a', 'b')]), {})).tx, 1, name);
    assert.deepEqual((await engine.verify({})).problems, [], name);
    await engine.close();
  }
});

test('authority is asked before anything is staged; a refusal is told and comes into the event log', async () => {
  for (const [name, engine] of await engines()) {
    const asked: IntendedWrite[] = [];
    let staged = 0;
    const counting = new Proxy(engine, {
      get: (target, key) => {
        if (key === 'stage' || key === 'stageLoad') staged++;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const authority: Authority = {
      allows: (write) => {
        asked.push(write);
        return write.principal.authenticated?.principal === 'http://e/ana'
          ? accepted
          : { kind: 'refused', code: 'authority_denied', message: 'you may not', findings: [] };
      },
    };
    const pipeline = new WritePipeline(counting, { authority });
    const isDenied = (error: unknown) =>
      error instanceof GateRefusal && error.gate === 'authority' && error.code === 'authority_denied';
    const change = () => assert.fail('it is not begun');
    await assert.rejects(pipeline.transact(change, { source: 'x' }), isDenied, name);
    await assert.rejects(pipeline.load([document], { graph: 'http://e/g' }, {}), isDenied, name);
    assert.equal(staged, 0, name);
    const told = engine.events.stored(0, 10).map(({ type, payload }) => [type, payload.gate, payload.graph]);
    assert.equal(told.length, 2);
    assert.deepEqual(told[1]?.slice(1), ['authority', 'http://e/g'], name);
    const authenticated = { principal: 'http://e/ana', credential_id: null, auth_class: 'named_bearer' } as const;
    const command = { name: 'test', request: { some: 1 } };
    const allowed = pipeline.transact((stage) => stage.assert([knows('a', 'b')]), { authenticated }, { command });
    assert.equal((await allowed).tx, 1, name);
    const [first, second, third] = asked;
    assert.deepEqual([first?.kind, second?.kind, third?.kind], ['transaction', 'load', 'transaction']);
    assert.deepEqual([second?.options.source, third?.command], [undefined, command]);
    await engine.close();
  }
});

test('gates and events read the changes of a write once', async () => {
  const engine = openMemoryEngine();
  const read: string[] = [];
  const counting = new Proxy(engine, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== 'stage') return typeof value === 'function' ? value.bind(target) : value;
      return (options: object) => {
        const stage = target.stage(options);
        const first = stage.transactions[0] as StagedTransaction;
        const snapshot = first.snapshot.bind(first);
        first.snapshot = () => {
          const opened = snapshot();
          const changes = opened.changes.bind(opened);
          opened.changes = (...given) => {
            read.push('changes');
            return changes(...given);
          };
          return opened;
        };
        return stage;
      };
    },
  });
  const gate = (name: 'shacl' | 'policy'): Gate => ({
    name,
    judge: ({ changes }) => {
      for (const { graph } of changes.graphs) assert.ok([...changes.rows(graph)].length > 0);
      return accepted;
    },
  });
  const pipeline = new WritePipeline(counting, { gates: [gate('shacl'), gate('policy')] });
  const graphs = ['g', 'h', 'i'].map((graph) => terms.quad(node('s'), node('p'), node('o'), node(graph)));
  await pipeline.transact((stage) => stage.assert(graphs), {});
  assert.deepEqual(read, ['changes']);
  await engine.close();
});
