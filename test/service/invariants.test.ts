/**
 * Invariants of the semantics text, section 12, on random writes through the library, by their numbers.
 * Stores in memory, and store files that are folded and opened again in between.
 *
 * SVC_PROPERTY_RUNS sets how many histories each invariant is tried on.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BlankNode,
  type Gate,
  type NamedNode,
  openStore,
  type Quad,
  type Store,
  type TimeOptions,
  terms,
  type WriteOptions,
} from '../../interfaces/library/index.js';
import { LARGE, pick, type Random, randomQuads, vocabulary } from '../storage/history/random-quads.js';
import { node, quad, randomNumbers, show, showQuad } from '../storage/scan-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const RUNS = Math.ceil(Number(process.env.SVC_PROPERTY_RUNS ?? 20) / 10);
const WRITES = 14;
const WORDS = vocabulary(6, false);
const SOURCES = ['ops', 'snapshot:k', 'episode:e', undefined];
const folder = new StoreFolder();

const REFUSING: Gate = {
  name: 'policy',
  judge: ({ options }) =>
    options.source === 'refused'
      ? { kind: 'refused', code: 'policy_denied', message: 'not this one', findings: [] }
      : { kind: 'accepted', findings: [] },
};

/** A store under test, with ways to let it age. */
class Subject {
  readonly path: string;
  readonly next: Random;
  store!: Store;

  constructor(path: string, seed: number) {
    this.path = path;
    this.next = randomNumbers(seed * 31 + 7);
  }

  async open(): Promise<this> {
    this.store = await openStore(this.path, { gates: [REFUSING] });
    return this;
  }

  get isFile(): boolean {
    return this.path !== ':memory:';
  }

  async restart(fold: boolean): Promise<void> {
    if (!this.isFile) return;
    if (fold) await this.store.fold();
    await this.store.close();
    await this.open();
  }

  options(): WriteOptions {
    const instant = (): string => `20${10 + this.next(30)}-0${1 + this.next(9)}-01T00:00:00Z`;
    return {
      timestamp: instant(),
      validFrom: this.next(2) === 0 ? undefined : instant(),
      source: pick(SOURCES, this.next),
    };
  }

  quads(count: number, graph?: Quad['graph']): Quad[] {
    const quads = randomQuads(WORDS, this.next, count);
    return graph === undefined ? quads : quads.map((it) => quad(it.subject, it.predicate, it.object, graph));
  }

  /** A random write; several quads of it may be there already. */
  async write(graph?: Quad['graph']): Promise<void> {
    const { store, next } = this;
    const open = (await quadsAt(store, {}, graph)).filter(() => next(3) === 0);
    const retract = [...open.slice(0, next(30)), ...this.quads(2, graph)];
    const change = { retract, assert: this.quads(1 + next(30), graph) };
    if (next(4) === 0) {
      const work = { blankNodeScope: 'store', ...this.options() } as const;
      await store.load({ quads: change.assert }, work);
    } else await store.transact(change, { ...this.options(), recordEmpty: next(2) === 0 });
    if (next(5) === 0) await this.restart(next(2) === 0);
  }
}

async function quadsAt(store: Store, time: TimeOptions, graph?: Quad['graph']): Promise<Quad[]> {
  const snapshot = store.snapshot(time);
  try {
    const quads: Quad[] = [];
    for await (const batch of snapshot.quads(graph === undefined ? {} : { graph })) quads.push(...batch);
    assert.equal(snapshot.count(null, null, null, graph ?? null), quads.length, 'the count');
    return quads;
  } finally {
    snapshot.close();
  }
}

async function linesAt(store: Store, time: TimeOptions, graph?: Quad['graph']): Promise<string[]> {
  return (await quadsAt(store, time, graph)).map(showQuad).sort();
}

async function exported(store: Store, graph?: string): Promise<string> {
  const parts: Uint8Array[] = [];
  const document = graph === undefined ? store.export('nquads') : store.export('ntriples', { graph });
  for await (const part of document) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}

const TIMES: readonly TimeOptions[] = [
  {},
  { validAt: '2020-01-01' },
  { validAt: '2041-01-01' },
  { tx: 3 },
  { tx: 5, validAt: '2024-05-05' },
];

/** Everything that a caller can observe. */
async function observed(store: Store): Promise<unknown> {
  const { factsCurrent, quadsCurrent, rowsTotal, graphs, terms: known, transactions } = store.stats();
  const snapshot = store.snapshot();
  const names = snapshot.graphs().map(show);
  snapshot.close();
  return {
    stats: { factsCurrent, quadsCurrent, rowsTotal, graphs, known, transactions },
    transactions: store.transactions(),
    names,
    exports: [await exported(store), await exported(store, LARGE.value)],
    states: await Promise.all(TIMES.map((time) => linesAt(store, time))),
  };
}

function invariant(number: number, name: string, holds: (subject: Subject) => Promise<void>): void {
  for (const kind of ['memory', 'file']) {
    test(`invariant ${number}: ${name} (${kind})`, async () => {
      for (let seed = 1; seed <= RUNS; seed++) {
        const path = kind === 'memory' ? ':memory:' : folder.fresh();
        const subject = await new Subject(path, seed * 100 + number).open();
        try {
          await holds(subject);
        } catch (error) {
          throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
        } finally {
          await subject.store.close();
        }
      }
    });
  }
}

invariant(1, 'the answer at a transaction is what was current when it was the latest', async (subject) => {
  const recorded: { readonly tx: number; readonly all: string[]; readonly large: string[] }[] = [];
  for (let i = 0; i < WRITES; i++) {
    await subject.write();
    const tx = subject.store.transactions().length;
    recorded.push({ tx, all: await linesAt(subject.store, {}), large: await linesAt(subject.store, {}, LARGE) });
  }
  for (const restart of [false, true]) {
    if (restart) await subject.restart(true);
    for (const { tx, all, large } of recorded) {
      assert.deepEqual(await linesAt(subject.store, { tx }), all, `tx ${tx}`);
      assert.deepEqual(await linesAt(subject.store, { tx }, LARGE), large, `tx ${tx} in one graph`);
    }
  }
});

invariant(2, 'the latest transaction is current; history only grows', async (subject) => {
  let history = 0;
  for (let i = 0; i < WRITES; i++) {
    await subject.write();
    const current = await linesAt(subject.store, {});
    const tx = subject.store.transactions().length;
    assert.deepEqual(await linesAt(subject.store, { tx }), current);
    await assert.rejects(linesAt(subject.store, { tx: tx + 7 }), /there is no transaction/);
    const { rowsTotal, quadsCurrent } = subject.store.stats();
    assert.equal(quadsCurrent, current.length);
    assert.ok(rowsTotal >= history, 'rows are never deleted');
    history = rowsTotal;
  }
  assert.deepEqual(await linesAt(subject.store, { tx: 0 }), []);
});

invariant(3, 'an open quad has one open row and one owner', async (subject) => {
  for (let i = 0; i < WRITES; i++) await subject.write();
  const { store } = subject;
  const tx = store.transactions().length;
  const known = new Set(store.transactions().map(({ id }) => id));
  const current = await quadsAt(store, {});
  const { facts } = await store.unravel({ tx });
  const open = facts.filter(({ validTo }) => validTo === null);
  const inRoot = current.filter((it) => it.graph.termType === 'DefaultGraph');
  const text = (...parts: Parameters<typeof show>[0][]): string => parts.map(show).join(' ');
  assert.deepEqual(
    open.map(({ entity, predicate, value }) => text(entity, predicate, value)).sort(),
    inRoot.map((it) => text(it.subject, it.predicate, it.object)).sort(),
  );
  for (const fact of open) assert.ok(known.has(fact.tx));
  for (const one of current.filter(() => subject.next(8) === 0)) {
    const graph = one.graph.termType === 'DefaultGraph' ? undefined : one.graph.value;
    const { history } = await store.history(one.subject as NamedNode | BlankNode, { graph });
    const rows = history.filter(
      ({ op, predicate, value }) =>
        op === 'assert' && show(predicate) === show(one.predicate) && show(value) === show(one.object),
    );
    assert.equal(rows.filter(({ validTo }) => validTo === null).length, 1, showQuad(one));
  }
});

invariant(4, 'a write into one graph changes no answer of another', async (subject) => {
  for (let i = 0; i < WRITES / 2; i++) await subject.write();
  const [written, other] = [LARGE, node('graph/1')];
  const answers = async (): Promise<unknown> => [
    await exported(subject.store, other.value),
    ...(await Promise.all(TIMES.map((time) => linesAt(subject.store, time, other)))),
    ...(await Promise.all(TIMES.map((time) => linesAt(subject.store, time, terms.defaultGraph())))),
  ];
  await subject.write(other);
  const before = await answers();
  for (let i = 0; i < WRITES / 2; i++) await subject.write(written);
  assert.deepEqual(await answers(), before);
});

/** The code of the refusal, and the request. */
type Refused = readonly [string, (subject: Subject) => Promise<unknown>];

const thrower = (): never => {
  throw new TypeError('of the caller');
};

const REFUSALS: Readonly<Record<string, Refused>> = {
  'a malformed document': ['parse_error', ({ store }) => store.load({ text: '<a> <b> .', format: 'turtle' })],
  'a malformed replacement': [
    'parse_error',
    ({ store }) =>
      store.load({ text: '<http://e/a> <b', format: 'turtle' }, { snapshotKey: 'k', replaceSnapshot: true }),
  ],
  'a replacement without a key': [
    'invalid_request',
    ({ store }) => store.load({ text: '', format: 'turtle' }, { replaceSnapshot: true }),
  ],
  'a malformed time': [
    'invalid_request',
    (subject) => subject.store.transact({ assert: subject.quads(5) }, { timestamp: '2026-02-30T00:00:00Z' }),
  ],
  'a malformed valid time': [
    'invalid_request',
    (subject) => subject.store.transact({ assert: subject.quads(5) }, { validFrom: 'yesterday' }),
  ],
  'a gate': ['policy_denied', (subject) => subject.store.transact({ assert: subject.quads(9) }, { source: 'refused' })],
  'a gate of a load': [
    'policy_denied',
    (subject) => subject.store.load({ quads: subject.quads(9) }, { source: 'refused' }),
  ],
  'a caller that throws': [
    'of the caller',
    (subject) =>
      subject.store.transact((draft) => {
        draft.assert([...subject.quads(5), quad(node('new'), node('new'), node('new'), node('new-graph'))]);
        thrower();
      }),
  ],
  'an aborted signal': [
    'aborted',
    (subject) => subject.store.transact({ assert: subject.quads(5) }, { signal: AbortSignal.abort() }),
  ],
  'a term that no document could hold': [
    'invalid_request',
    (subject) => subject.store.transact({ assert: [...subject.quads(3), quad(node('a b'), node('p'), node('o'))] }),
  ],
  'an unexpected plan': [
    'invalid_request',
    ({ store }) => store.retractSource('ops', { repair: 'r', apply: true, expect: 1_000_000, graph: LARGE.value }),
  ],
  'a repair without a reason': [
    'invalid_request',
    ({ store }) => store.retractSource('ops', { repair: ' ', apply: true }),
  ],
  'a value of the wrong kind': [
    'invalid_request',
    ({ store }) => store.set('http://example.org/thing/0/', 'not an iri', { int: 1.5 }),
  ],
};

invariant(5, 'a refused request leaves everything as it was', async (subject) => {
  for (let i = 0; i < WRITES; i++) await subject.write();
  await subject.store.transact({ assert: subject.quads(5, LARGE) });
  const before = await observed(subject.store);
  for (const [what, [code, attempt]] of Object.entries(REFUSALS)) {
    const failed = await attempt(subject).then(
      () => 'nothing',
      (error: { code?: string; message: string }) => error.code ?? error.message,
    );
    assert.equal(failed, code, `${what} is refused`);
    assert.deepEqual(await observed(subject.store), before, what);
  }
  await subject.restart(false);
  assert.deepEqual(await observed(subject.store), before);
});

invariant(13, 'speculation leaves every observable unchanged', async (subject) => {
  for (let i = 0; i < WRITES; i++) await subject.write();
  const before = await observed(subject.store);
  for (let i = 0; i < 4; i++) {
    const [come, gone] = [subject.quads(40), await quadsAt(subject.store, {})];
    const fresh = quad(node(`fresh/${i}`), node('p'), terms.literal(`fresh ${i}`), node(`fresh-graph/${i}`));
    const speculation = subject.store.transact(async (draft) => {
      draft.retract(gone);
      draft.assert([fresh, ...come]);
      assert.equal(draft.count(), new Set([fresh, ...come].map(showQuad)).size, 'what would be');
      assert.ok(draft.has(fresh));
      for await (const batch of draft.quads()) assert.ok(batch.length > 0);
      thrower();
    });
    await assert.rejects(speculation, /of the caller/);
    assert.deepEqual(await observed(subject.store), before);
  }
  await subject.restart(true);
  assert.deepEqual(await observed(subject.store), before);
});

invariant(14, 'exports of a restarted store are byte-identical', async (subject) => {
  for (let i = 0; i < WRITES; i++) {
    await subject.write();
    if (i % 4 !== 3) continue;
    const before = [await exported(subject.store), await exported(subject.store, LARGE.value)];
    await subject.restart(false);
    assert.deepEqual([await exported(subject.store), await exported(subject.store, LARGE.value)], before);
    await subject.restart(true);
    assert.deepEqual([await exported(subject.store), await exported(subject.store, LARGE.value)], before);
  }
});
