/**
 * Views of overlays against algebra on sets (semantics of graphs, invariants 4 and 10): random overlays over random parents, in
 * memory and in a file that is folded now and then, read by composition, by scans in every order, by probes and by counts.
 * And what reading a view costs beside its parent, by the blocks that are read.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composedView, PRECEDENCES, type Precedence } from '../../engine/query/registry/overlay-rows.js';
import type { TermId } from '../../engine/storage/ids/layout.js';
import { columnOf, decodeIds, exactly, idIn, patternOf, readRows } from '../../engine/storage/seam/rows.js';
import { CURRENT, type GraphSet, type IdColumn, type StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { EX, ex, integer, ROOT } from '../service/time-support.js';
import { randomNumbers } from '../storage/scan-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const RUNS = Math.ceil(Number(process.env.SVC_PROPERTY_RUNS ?? 20) / 10);
const STEPS = 36;
const folder = new StoreFolder();
const ORDERS = ['SPOG', 'POSG', 'OSPG'] as const;
const ORDER_KEYS = { SPOG: ['s', 'p', 'o'], POSG: ['p', 'o', 's'], OSPG: ['o', 's', 'p'] } as const;

type Triple = readonly [s: string, p: string, o: number];
const textOf = (triple: Triple): string => triple.join(' ');
const sorted = (some: Iterable<string>): string[] => [...some].sort();

/** What should be seen: the parent, what the overlay asserts, what it takes away. */
class Model {
  readonly parents = new Map<string, Set<string>>();
  readonly asserted = new Map<string, Set<string>>();
  readonly gone = new Map<string, Set<string>>();

  view(overlay: string, parent: string, precedence: Precedence): string[] {
    const [base, own, gone] = [this.parents.get(parent), this.asserted.get(overlay), this.gone.get(overlay)];
    const kept = [...(base ?? [])].filter((one) => precedence === 'governed' || gone?.has(one) !== true);
    return sorted(new Set([...kept, ...(own ?? [])]));
  }
}

const local = (iri: string): string => iri.replace(EX, '');

async function composed(store: Store, overlay: string, precedence: Precedence): Promise<string[]> {
  const { triples } = await store.composeOverlay(overlay, { precedence });
  return triples.map(({ subject, predicate, object }) =>
    [subject, predicate, object].map(({ value }) => local(value)).join(' '),
  );
}

/** Rows of a set of graphs as texts, in the order in which they come. */
function scanned(snapshot: StorageSnapshot, graphs: GraphSet, order: (typeof ORDERS)[number]): TermId[][] {
  const request = { graphs, pattern: {}, order, time: CURRENT, columns: ['s', 'p', 'o'] } as const;
  return [...readRows(snapshot, request)].flatMap((batch) =>
    Array.from({ length: batch.rows }, (_, row) => [batch.id('s', row), batch.id('p', row), batch.id('o', row)]),
  );
}

function texts(snapshot: StorageSnapshot, rows: readonly (readonly TermId[])[]): string[] {
  const decoded = decodeIds(snapshot, rows.flat());
  return rows.map((_, at) => [0, 1, 2].map((part) => local(decoded[3 * at + part]?.value as string)).join(' '));
}

const ascend = (a: TermId, b: TermId): number => (a < b ? -1 : a > b ? 1 : 0);

/** Holds every way of reading a set to the rows that it should have. */
function checkReads(snapshot: StorageSnapshot, graphs: GraphSet, wanted: readonly string[]): void {
  for (const order of ORDERS) {
    const rows = scanned(snapshot, graphs, order);
    assert.deepEqual(sorted(texts(snapshot, rows)), wanted, order);
    const at = ORDER_KEYS[order].map((position) => ['s', 'p', 'o'].indexOf(position));
    const inOrder = [...rows].sort(
      (a, b) => at.map((i) => ascend(a[i] as TermId, b[i] as TermId)).find((n) => n !== 0) ?? 0,
    );
    assert.deepEqual(rows, inOrder, `sorted in ${order}`);
  }
  const rows = scanned(snapshot, graphs, 'SPOG');
  assert.equal(snapshot.count({ graphs, pattern: {}, time: CURRENT }), rows.length);
  const predicates = [...new Set(rows.map(([, p]) => p as TermId))];
  for (const p of predicates) {
    const of = rows.filter((row) => row[1] === p);
    const pattern = { p: exactly(p) };
    assert.equal(snapshot.count({ graphs, pattern, time: CURRENT }), of.length);
    const { rows: estimated, exact } = snapshot.estimate({ graphs, pattern, time: CURRENT });
    if (exact) assert.equal(estimated, of.length, 'an exact estimate is the count');
    checkProbes(snapshot, graphs, p, of);
    const [first] = of as [TermId[]];
    const one = patternOf({ s: first[0], p, o: first[2] });
    assert.equal(snapshot.count({ graphs, pattern: one, time: CURRENT }), 1);
  }
}

function checkProbes(snapshot: StorageSnapshot, graphs: GraphSet, p: TermId, of: readonly TermId[][]): void {
  const keys = [...new Set(of.map(([s]) => s as TermId))].sort(ascend);
  const ask = { graphs, pattern: { p: exactly(p) }, order: 'SPOG', time: CURRENT, keys: ['s'] } as const;
  for (const columns of [['o'], ['s', 'o'], []] as const) {
    const probe = snapshot.probe({ ...ask, columns });
    // Twice, and in between other keys: a cursor serves any number of them.
    for (const some of [keys, keys.slice(1, 2), keys]) {
      probe.begin([columnOf(some)], some.length);
      const found: unknown[] = [];
      for (let batch = probe.next(); batch !== null; batch = probe.next()) {
        for (let row = 0; row < batch.rows; row++) {
          const key = some[batch.keys[row] as number] as TermId;
          found.push([key, ...columns.map((name) => idIn(batch.columns[name] as IdColumn, row))]);
        }
      }
      const wanted = some.flatMap((key) =>
        of
          .filter(([s]) => s === key)
          .map(([s, , o]) => [key, ...columns.map((name) => (name === 's' ? s : o) as TermId)]),
      );
      assert.deepEqual(found, wanted, columns.join());
    }
    probe.close();
  }
  const counts = snapshot.probe({ ...ask, columns: [], counted: true });
  counts.begin([columnOf(keys)], keys.length);
  const counted = new Map<TermId, number>();
  for (let batch = counts.next(); batch !== null; batch = counts.next()) {
    for (let row = 0; row < batch.rows; row++) {
      counted.set(keys[batch.keys[row] as number] as TermId, (batch.counts as Uint32Array)[row] as number);
    }
  }
  counts.close();
  assert.deepEqual(counted, new Map(keys.map((key) => [key, of.filter(([s]) => s === key).length])));
}

async function checkAll(store: Store, model: Model, overlays: ReadonlyMap<string, string>): Promise<void> {
  const snapshot = store.snapshot();
  try {
    for (const [overlay, parent] of overlays) {
      for (const precedence of PRECEDENCES) {
        const wanted = model.view(overlay, parent, precedence);
        const name = `${local(overlay)} over ${local(parent)}, ${precedence}`;
        assert.deepEqual(sorted(await composed(store, overlay, precedence)), wanted, name);
        const view = composedView(snapshot.storage, { iri: overlay, parent }, precedence);
        if (view === null) assert.deepEqual(wanted, [], name);
        else checkReads(snapshot.storage, view, wanted);
      }
    }
  } finally {
    snapshot.close();
  }
}

/** Invariant 10, and 4 for overlays: what parents and other overlays show is what their own writes say. */
for (const kind of ['memory', 'file'] as const) {
  test(`invariant 10: views are algebra on sets; invariant 4: no write of an overlay shows elsewhere (${kind})`, async () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const pick = randomNumbers(seed * 977 + (kind === 'file' ? 1 : 0));
      const path = kind === 'memory' ? ':memory:' : folder.fresh();
      let store = await openStore(path);
      const model = new Model();
      const overlays = new Map([
        [`${EX}ov1`, ROOT],
        [`${EX}ov2`, `${EX}g`],
        [`${EX}ov3`, `${EX}g`],
      ]);
      const triple = (): Triple => [`s${pick(12)}`, `p${pick(3)}`, pick(6)];
      const quadOf = ([s, p, o]: Triple, graph: string) =>
        terms.quad(ex(s), ex(p), integer(o), graph === ROOT ? terms.defaultGraph() : terms.namedNode(graph));
      for (const parent of [ROOT, `${EX}g`]) {
        const some = Array.from({ length: 80 }, triple);
        model.parents.set(parent, new Set(some.map(textOf)));
        await store.transact({ assert: some.map((one) => quadOf(one, parent)) });
      }
      if (pick(10) < 7) await store.fold();
      for (const [overlay, parent] of overlays) {
        await store.createOverlay(overlay, { parent });
        model.asserted.set(overlay, new Set());
        model.gone.set(overlay, new Set());
      }
      for (let step = 0; step < STEPS; step++) {
        const one = triple();
        const text = textOf(one);
        if (pick(4) === 0) {
          const parent = [ROOT, `${EX}g`][pick(2)] as string;
          const held = model.parents.get(parent) as Set<string>;
          const change = [quadOf(one, parent)];
          if (pick(2) === 0) {
            await store.transact({ assert: change });
            held.add(text);
          } else {
            await store.transact({ retract: change });
            held.delete(text);
          }
        } else {
          const overlay = [...overlays.keys()][pick(3)] as string;
          const [own, gone] = [model.asserted.get(overlay) as Set<string>, model.gone.get(overlay) as Set<string>];
          const op = (['assert', 'tombstone', 'retract'] as const)[pick(3)] as 'assert' | 'tombstone' | 'retract';
          const isNoOp =
            op === 'assert' ? own.has(text) : op === 'tombstone' ? gone.has(text) : !own.has(text) && !gone.has(text);
          const [s, p, o] = one;
          const { tx } = await store.writeOverlay(overlay, {
            op,
            subject: ex(s),
            predicate: ex(p),
            object: { int: o },
          });
          assert.equal(tx === 0, isNoOp, `${op} ${text}`);
          own.delete(text);
          gone.delete(text);
          if (op === 'assert') own.add(text);
          if (op === 'tombstone') gone.add(text);
        }
        const chance = pick(100);
        if (chance < 5) await store.fold();
        if (chance > 96 && kind === 'file') {
          await store.close();
          store = await openStore(path);
        }
        if (step % 6 === 5) await checkAll(store, model, overlays);
      }
      await checkAll(store, model, overlays);
      const snapshot = store.snapshot();
      for (const [parent, held] of model.parents) {
        const graph = snapshot.storage.encode(terms.namedNode(parent)) as TermId;
        assert.deepEqual(
          sorted(texts(snapshot.storage, scanned(snapshot.storage, { kind: 'one', graph }, 'SPOG'))),
          sorted(held),
        );
      }
      for (const [overlay, own] of model.asserted) {
        const graph = snapshot.storage.encode(terms.namedNode(overlay)) as TermId;
        assert.deepEqual(
          sorted(texts(snapshot.storage, scanned(snapshot.storage, { kind: 'one', graph }, 'SPOG'))),
          sorted(own),
        );
      }
      snapshot.close();
      await store.close();
    }
  });
}

const SUBJECTS = 30_000;
const CHANGES = 100;

/** Blocks and rows that work on a snapshot reads. */
function work(
  snapshot: StorageSnapshot,
  read: () => number,
): { readonly blocks: number; readonly scanned: number; readonly rows: number } {
  const { blocksRead, rowsScanned } = snapshot.counters;
  const rows = read();
  return {
    blocks: snapshot.counters.blocksRead - blocksRead,
    scanned: snapshot.counters.rowsScanned - rowsScanned,
    rows,
  };
}

test('a view of few changes over many facts reads the blocks of its parent, and the changes', async () => {
  const store = await openStore(folder.fresh());
  const lines = Array.from(
    { length: SUBJECTS },
    (_, at) => `<${EX}s${at}> <${EX}p> ${at} ; <${EX}q> <${EX}o${at % 50}> .`,
  );
  await store.load({ text: lines.join('\n'), format: 'turtle' });
  const overlay = `${EX}ov`;
  await store.createOverlay(overlay);
  for (let at = 0; at < CHANGES / 2; at++) {
    const subject = `${EX}s${at * 577}`;
    await store.writeOverlay(overlay, { op: 'tombstone', subject, predicate: `${EX}p`, object: { int: at * 577 } });
    await store.writeOverlay(overlay, { op: 'assert', subject, predicate: `${EX}p`, object: { int: -1 - at } });
  }
  const shot = store.snapshot();
  const { storage } = shot;
  const root = storage.encode(terms.namedNode(ROOT)) as TermId;
  const parent: GraphSet = { kind: 'one', graph: root };
  const view = composedView(storage, { iri: overlay, parent: ROOT }, 'nearest') as GraphSet;
  const p = storage.encode(ex('p')) as TermId;
  const q = storage.encode(ex('q')) as TermId;
  // The changes are looked up once in each order.
  for (const order of ORDERS) scanned(storage, view, order);
  const scan = (graphs: GraphSet, predicate: TermId, columns: readonly ('s' | 'o')[]) => () =>
    [
      ...readRows(storage, { graphs, pattern: { p: exactly(predicate) }, order: 'POSG', time: CURRENT, columns }),
    ].reduce((sum, batch) => sum + batch.rows, 0);
  for (const columns of [['s'], ['s', 'o']] as const) {
    const plain = work(storage, scan(parent, p, columns));
    const composedWork = work(storage, scan(view, p, columns));
    assert.equal(composedWork.rows, SUBJECTS);
    assert.equal(composedWork.blocks, plain.blocks);
    assert.ok(composedWork.scanned <= plain.scanned + CHANGES);
  }
  assert.deepEqual(
    work(storage, scan(view, q, ['s'])),
    work(storage, scan(parent, q, ['s'])),
    'nothing of it is changed',
  );
  const count = (graphs: GraphSet) => () => storage.count({ graphs, pattern: { p: exactly(p) }, time: CURRENT });
  const counted = work(storage, count(view));
  assert.equal(counted.rows, SUBJECTS);
  assert.ok(counted.blocks <= 4 && counted.scanned <= CHANGES, 'counts come from the directory');
  const keys = scanned(storage, parent, 'SPOG').map(([s]) => s as TermId);
  const some = [...new Set(keys)].filter((_, at) => at % 10 === 0);
  const probe = (graphs: GraphSet) => () => {
    const cursor = storage.probe({
      graphs,
      pattern: { p: exactly(p) },
      order: 'SPOG',
      time: CURRENT,
      keys: ['s'],
      columns: ['o'],
    });
    cursor.begin([columnOf(some)], some.length);
    let rows = 0;
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) rows += batch.rows;
    cursor.close();
    return rows;
  };
  const [plain, patched] = [work(storage, probe(parent)), work(storage, probe(view))];
  assert.equal(patched.rows, some.length);
  assert.equal(patched.blocks, plain.blocks);
  assert.ok(patched.scanned <= plain.scanned + CHANGES);
  const estimate = storage.estimate({ graphs: view, pattern: { p: exactly(p) }, time: CURRENT });
  assert.deepEqual(estimate, { rows: SUBJECTS, exact: true }, 'as exact as its parent, and looked up in one place');
  shot.close();
  await store.close();
});
