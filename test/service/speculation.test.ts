/** Speculation (semantics of graphs, 5.3): what a store would answer if a change had been written, and that nothing is left of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terms } from '../../engine/rdf/terms.js';
import type { Maintainer } from '../../engine/service/pipeline/maintainers.js';
import { Store } from '../../engine/service/store/store.js';
import { idOfHalves } from '../../engine/storage/ids/halves.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { lookInto } from '../../engine/storage/seam/rows.js';
import { openStore, type Quad, type SupposedStore } from '../../interfaces/library/index.js';
import { randomNumbers } from '../storage/scan-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { EX, ex, historyOf, knot, onBothStores, quad, trace } from './time-support.js';

const folder = new StoreFolder();
const P = `PREFIX ex: <${EX}> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> `;

async function values(store: SupposedStore, text: string): Promise<string[]> {
  const answer = await store.select(`${P}SELECT ?o ${text}`);
  const found: string[] = [];
  for await (const [term] of answer.rows()) found.push((term?.value ?? '').replace(EX, ''));
  return found.sort();
}

/** All that a reader can tell of a store: facts, figures, the log, events and refusals. */
async function everything(store: Store): Promise<unknown> {
  const { events } = await store.events.read({ limit: 10_000 });
  const { terms: known, rowsTotal, transactions } = store.stats();
  return {
    ...((await trace(store)) as object),
    events,
    refusals: await store.events.refusals(),
    known,
    rowsTotal,
    transactions,
  };
}

onBothStores('a change is read as if it had been written, and leaves no trace', async (store) => {
  await knot(store, 'ex:a ex:p 1, 2 . ex:Web rdfs:subClassOf ex:Service . ex:w a ex:Web .', {
    timestamp: '2026-01-01',
  });
  const before = await everything(store);
  const change = { retract: [quad('a', 'p', 1)], assert: [quad('a', 'p', 3), quad('new', 'newer', 'newest')] };
  const seen = await store.speculate(
    change,
    async (supposed) => {
      assert.deepEqual(await values(store, '{ ex:a ex:p ?o }'), ['1', '2'], 'the store itself is as it was');
      assert.deepEqual(await everything(store), before);
      assert.equal(await supposed.ask(`${P}ASK { ex:new ex:newer ex:newest }`), true);
      assert.deepEqual(await values(supposed, '{ ?o a ex:Service }'), ['w'], 'classes are read there');
      return values(supposed, '{ ex:a ex:p ?o }');
    },
    { timestamp: '2026-03-01' },
  );
  assert.deepEqual(seen, ['2', '3']);
  const told = await store.speculate(change, (supposed) => historyOf(supposed as Store, 'a'), {
    timestamp: '2026-03-01',
  });
  assert.ok(told.includes('retract ex:p 1 tx2 [T1,)') && told.includes('assert ex:p 3 tx2 [T3,)'), told.join('\n'));
  await assert.rejects(
    store.speculate(change, () => {
      throw new Error('of the caller');
    }),
    /of the caller/,
  );
  assert.deepEqual(await everything(store), before);
  assert.equal((await store.transact({ assert: [quad('x', 'p', 1)] })).tx, 2);
});

onBothStores('a hierarchy that is only supposed is inferred by, and forgotten', async (store) => {
  await knot(store, 'ex:w a ex:Web . ex:s a ex:Service .');
  const subclass = terms.quad(
    ex('Web'),
    terms.namedNode('http://www.w3.org/2000/01/rdf-schema#subClassOf'),
    ex('Service'),
  );
  const q = '{ ?o a ex:Service }';
  assert.deepEqual(await values(store, q), ['s']);
  assert.deepEqual(await store.speculate({ assert: [subclass] }, (supposed) => values(supposed, q)), ['s', 'w']);
  assert.deepEqual(await values(store, q), ['s']);
});

onBothStores('writes go on meanwhile, and it does not see them', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  await store.speculate({ assert: [quad('a', 'p', 2)] }, async (supposed) => {
    await store.transact({ assert: [quad('a', 'p', 7)] });
    await store.fold();
    const inner = await store.speculate({ retract: [quad('a', 'p', 1)] }, (other) => values(other, '{ ex:a ex:p ?o }'));
    assert.deepEqual(inner, ['7'], 'another one begins with what was written by then');
    assert.deepEqual(await values(supposed, '{ ex:a ex:p ?o }'), ['1', '2']);
  });
  assert.deepEqual(await values(store, '{ ex:a ex:p ?o }'), ['1', '7']);
});

onBothStores('what it is given is over with it, and nothing is written through it', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const before = await everything(store);
  let kept: SupposedStore | null = null;
  const answer = await store.speculate({ assert: [quad('a', 'p', 2)] }, async (supposed) => {
    kept = supposed;
    const writing = supposed as Store;
    await assert.rejects(writing.transact({ assert: [quad('a', 'p', 3)] }), { code: 'store_read_only' });
    await assert.rejects(
      writing.speculate({ assert: [] }, () => 1),
      { code: 'invalid_request' },
    );
    await assert.rejects(writing.events.commit('x', 1));
    return supposed.select(`${P}SELECT ?o { ?s ?p ?o }`);
  });
  await assert.rejects(async () => {
    for await (const _ of answer.rows()) assert.fail('an answer ends with its store');
  });
  await assert.rejects((kept as SupposedStore | null)?.ask('ASK {}') as Promise<boolean>, { code: 'store_closed' });
  assert.deepEqual(await everything(store), before);
});

onBothStores('what no write may change can not be supposed, and no refusal is recorded', async (store) => {
  await knot(store, 'ex:a ex:p 1 . ex:g { ex:a ex:p 2 }');
  const before = await everything(store);
  const nothing = () => assert.fail('it is refused before it is read');
  const into = (graph: string) => terms.quad(ex('a'), ex('p'), ex('b'), terms.namedNode(graph));
  for (const graph of ['urn:svc:graph:root#inferred', 'urn:svc:graph:meta', 'urn:svc:graph:registry']) {
    await assert.rejects(store.speculate({ assert: [into(graph)] }, nothing), /can not be written|holds/, graph);
  }
  await assert.rejects(store.speculate({} as never, nothing), /assert and retract/);
  await assert.rejects(store.speculate({ assert: [] }, nothing, { signal: AbortSignal.abort() }), { code: 'aborted' });
  const blank = terms.quad(ex('a'), ex('p'), terms.literal('x'));
  await assert.rejects(store.speculate({ assert: [{ ...blank, predicate: terms.literal('no') } as never] }, nothing), {
    code: 'invalid_request',
  });
  assert.deepEqual(await everything(store), before);
});

test('a frozen graph is read in a supposition, and can not be changed there', async () => {
  const store = await openStore(folder.fresh());
  await knot(store, 'ex:a ex:p 1 . ex:g { ex:a ex:p 2 }');
  await store.freezeGraph(`${EX}g`, { timestamp: '2026-02-01' });
  const q = `FROM <${EX}g> FROM <urn:svc:graph:root> { ex:a ex:p ?o }`;
  assert.deepEqual(await values(store, q), ['1', '2']);
  const open = await store.select(`${P}SELECT ?o ${q}`);
  assert.deepEqual(await store.speculate({ assert: [quad('a', 'p', 3)] }, (supposed) => values(supposed, q)), [
    '1',
    '2',
    '3',
  ]);
  let rows = 0;
  for await (const _ of open.rows()) rows++;
  assert.equal(rows, 2, 'an answer that was open goes on');
  await assert.rejects(
    store.speculate({ assert: [quad('a', 'p', 3, 'g')] }, () => 1),
    { code: 'state_conflict' },
  );
  assert.deepEqual(await values(store, q), ['1', '2']);
  await store.close();
});

/** Whom somebody knows knows them: derived in a transaction of its own, and taken back when it follows no more. */
const symmetric: Maintainer = {
  name: 'symmetric',
  maintain: (context) => {
    const { stage } = context;
    const knows = stage.intern(ex('knows'));
    const [opened, closed]: [Quad[], Quad[]] = [[], []];
    lookInto(stage.snapshot(), (names) => {
      for (const { op, rows, columns } of context.changes.rows()) {
        const [s, o] = [names.decode(columns.s, rows), names.decode(columns.o, rows)];
        for (let row = 0; row < rows; row++) {
          if (idOfHalves(columns.p[2 * row] as number, columns.p[2 * row + 1] as number) !== knows) continue;
          const derived = terms.quad(o[row] as Quad['subject'], ex('knows'), s[row] as Quad['object']);
          (op === 'assert' ? opened : closed).push(derived);
        }
      }
    });
    if (opened.length + closed.length === 0) return;
    context.begin({ source: 'rule:symmetric' });
    stage.retract(closed);
    stage.assert(opened);
  },
};

test('maintainers complete what is supposed, as they complete a write', async () => {
  for (const engine of [openMemoryEngine(), await openLmdbEngine(folder.fresh())]) {
    const store = new Store(engine, { maintainers: [symmetric] });
    await store.transact({ assert: [quad('a', 'knows', 'b')] });
    assert.deepEqual(await values(store, '{ ex:b ex:knows ?o }'), ['a'], 'a write derives');
    const before = await everything(store);
    const q = '{ ?s ex:knows ?o }';
    const more = await store.speculate({ assert: [quad('b', 'knows', 'c')] }, (supposed) => values(supposed, q));
    assert.deepEqual(more, ['a', 'b', 'b', 'c']);
    assert.deepEqual(
      await store.speculate({ retract: [quad('a', 'knows', 'b')] }, (supposed) => values(supposed, q)),
      [],
    );
    assert.deepEqual(await everything(store), before);
    assert.deepEqual(engine.transactionsOf('rule:symmetric'), [2]);
    await store.close();
  }
});

test('one that is read for longer than snapshots may be held ends', async () => {
  const store = await openStore(folder.fresh(), { readerAgeMaxMs: 60 });
  await knot(store, 'ex:a ex:p 1 .');
  const before = await everything(store);
  const ended = { code: 'snapshot_expired' };
  await store.speculate({ assert: [quad('a', 'p', 2)] }, async (supposed) => {
    const reading = async (): Promise<never> => {
      for (;;) await values(supposed, '{ ex:a ex:p ?o }');
    };
    await assert.rejects(reading, ended);
    await assert.rejects(supposed.ask('ASK {}'), ended);
  });
  assert.deepEqual(await everything(store), before);
  await store.close();
});

/** The same change, supposed and then written: the same facts, with what follows. */
test('random changes: what is supposed is what is then written', async () => {
  const next = randomNumbers(46);
  for (const engine of [openMemoryEngine(), await openLmdbEngine(folder.fresh())]) {
    const store = new Store(engine, { maintainers: [symmetric] });
    const some = (): Quad[] =>
      Array.from({ length: next(6) }, () => quad(`n${next(4)}`, next(2) === 0 ? 'knows' : 'likes', `n${next(4)}`));
    const facts = async (read: SupposedStore): Promise<string[]> => {
      const answer = await read.select('SELECT ?s ?p ?o { ?s ?p ?o }');
      const lines: string[] = [];
      for await (const row of answer.rows()) lines.push(row.map((term) => term?.value).join(' '));
      return lines.sort();
    };
    for (let step = 0; step < 30; step++) {
      const change = { retract: some(), assert: some() };
      const before = await facts(store);
      const supposed = await store.speculate(change, facts);
      assert.deepEqual(await facts(store), before);
      await store.transact(change);
      assert.deepEqual(supposed, await facts(store));
    }
    await store.close();
  }
});

test('a store that is open for reading, and one whose writer is in another thread', async () => {
  const path = folder.fresh();
  const made = await openStore(path);
  await knot(made, 'ex:a ex:p 1 .');
  await made.close();
  for (const options of [{ readOnly: true }, { readOnly: true, readers: 1 }, { writerThread: true, readers: 1 }]) {
    const store = await openStore(path, options);
    const before = await everything(store);
    const found = await store.speculate({ assert: [quad('a', 'p', 2)] }, (supposed) =>
      values(supposed, '{ ex:a ex:p ?o }'),
    );
    assert.deepEqual(found, ['1', '2']);
    assert.deepEqual(await everything(store), before);
    await store.close();
  }
});
