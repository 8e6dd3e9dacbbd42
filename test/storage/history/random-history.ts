/**
 * A random history of a store: writes, loads, folds, snapshots that stay open, reopenings, in a random
 * sequence that a seed decides; after each of them the store is asked, and a list of rows knows the answer.
 *
 * Length: everything that can happen to a store stands here, since one thing's outcome is what the next is asked about.
 */

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { type Quad, type Term, terms } from '../../../engine/rdf/terms.js';
import type { TermId } from '../../../engine/storage/ids/layout.js';
import type { QuadColumns, Stage, StorageEngine } from '../../../engine/storage/seam/engine.js';
import { COLUMNS, type IdColumn, type StorageSnapshot } from '../../../engine/storage/seam/scan.js';
import { columnOf, node, ORDERS, randomNumbers, scan, show, toldOf } from '../scan-support.js';
import { committed } from '../stage-support.js';
import { assertSound } from '../support/compare.js';
import { freeze, thaw } from '../support/packing.js';
import { Questions, type Truth, truthAt } from './questions.js';
import {
  freshQuad,
  INSTANTS,
  pick,
  type Random,
  randomOptions,
  randomQuads,
  SOURCES,
  type Vocabulary,
  vocabulary,
} from './random-quads.js';
import { type ModelOptions, type ModelRow, type ModelStage, RowModel } from './row-model.js';

const HELD_MAX = 4;
const BATCH_MAX = 300;

export interface HistoryOptions {
  readonly steps: number;
  /** False for a store that is gone when it is closed. */
  readonly lasting: boolean;
  readonly tripleTerms: boolean;
  /** Another view of the same file, which only reads. */
  readonly openReader?: () => Promise<StorageEngine>;
  /** Where packs of graphs are written that leave and come back; absent = none does. */
  readonly packPath?: () => string;
  /** Called after each step, with the newest transaction that is surely on the disk. */
  readonly observe?: (model: RowModel, durable: number) => Promise<void>;
}

interface Held {
  readonly snapshot: StorageSnapshot;
  readonly truth: Truth;
}

export class RandomHistory {
  readonly #next: Random;
  readonly #open: () => Promise<StorageEngine>;
  readonly #setting: HistoryOptions;
  readonly #words: Vocabulary;
  readonly #model = new RowModel();
  readonly #held: Held[] = [];
  readonly #neverKnown: Term[] = [node('never'), terms.literal('never'), terms.literal('never', 'en')];
  #engine: StorageEngine;
  #reader: StorageEngine | null = null;
  /** The newest transaction that is surely on the disk. */
  #durable = 0;
  #pending: Promise<void>[] = [];
  #fresh = 0;

  private constructor(
    seed: number,
    options: HistoryOptions,
    engine: StorageEngine,
    open: () => Promise<StorageEngine>,
  ) {
    this.#open = open;
    this.#next = randomNumbers(seed * 7919 + 13);
    // The first numbers of neighbouring seeds resemble each other.
    for (let i = 0; i < 20; i++) this.#next(2);
    this.#engine = engine;
    this.#setting = options;
    this.#words = vocabulary(4 + this.#next(16), options.tripleTerms);
  }

  /** Lets a history happen; a failure names the step. */
  static async run(seed: number, options: HistoryOptions, open: () => Promise<StorageEngine>): Promise<void> {
    const { steps } = options;
    const history = new RandomHistory(seed, options, await open(), open);
    let step = 0;
    let what = 'nothing';
    try {
      for (; step < steps; step++) {
        const [name, act] = history.#choose();
        what = name;
        await act.call(history);
        await options.observe?.(history.#model, history.#durable);
      }
      what = 'the end';
      await history.#settle();
      history.#askAgain();
      await history.#reopen();
      await history.#verify();
      history.#ask(30);
    } catch (error) {
      throw new Error(`seed ${seed}, step ${step} (${what}): ${(error as Error).message}`, { cause: error });
    } finally {
      for (const { snapshot } of history.#held) snapshot.close();
      await Promise.allSettled(history.#pending);
      await history.#close();
    }
  }

  #choose(): [string, () => void | Promise<void>] {
    const acts: [number, string, () => void | Promise<void>][] = [
      [45, 'write', this.#write],
      [10, 'ask', () => this.#ask(6)],
      [4, 'ask a reader', this.#askReader],
      [8, 'let time pass', this.#pass],
      [5, 'load', this.#load],
      [4, 'fold', this.#fold],
      [6, 'hold a snapshot', this.#hold],
      [6, 'ask a snapshot again', this.#askAgain],
      [3, 'reopen', this.#reopen],
      [3, 'verify', this.#verify],
    ];
    if (this.#setting.packPath !== undefined) acts.push([4, 'move a graph out and back', this.#moveGraph]);
    let at = this.#next(acts.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, name, act] of acts) {
      if (at < weight) return [name, act];
      at -= weight;
    }
    assert.fail('the weights add up');
  }

  // Writing.

  #quads(): Quad[] {
    const size = this.#next(3) === 0 ? 1 + this.#next(BATCH_MAX) : 1 + this.#next(8);
    const quads = randomQuads(this.#words, this.#next, size);
    for (let more = this.#next(4); more > 0; more--) quads.push(freshQuad(this.#words, this.#next, this.#fresh++));
    return quads;
  }

  /** Quads that are open, and some that are not. */
  #openQuads(quadOf: ReadonlyMap<string, Quad>): Quad[] {
    const keys = [...this.#model.open.keys()];
    const wanted = this.#next(3) === 0 ? this.#next(BATCH_MAX) : this.#next(8);
    const quads = this.#next(2) === 0 ? randomQuads(this.#words, this.#next, this.#next(5)) : [];
    for (let i = 0; i < wanted && keys.length > 0; i++) quads.push(quadOf.get(pick(keys, this.#next)) as Quad);
    return quads;
  }

  readonly #quadOf = new Map<string, Quad>();

  #remember(quads: readonly Quad[]): void {
    for (const quad of quads) {
      const key = [quad.subject, quad.predicate, quad.object, quad.graph].map(show).join(' ');
      if (!this.#quadOf.has(key)) this.#quadOf.set(key, quad);
    }
  }

  async #write(): Promise<void> {
    const options = randomOptions(this.#next);
    const stage = this.#engine.stage(options);
    const model = this.#model.stage(options);
    assert.equal(stage.tx, model.tx, 'the transaction to be');
    const used: Quad[] = [];
    for (let changes = 1 + this.#next(4); changes > 0; changes--) {
      used.push(...this.#change(stage, model, used));
      assert.deepEqual(stage.counts, model.counts, 'the net changes');
      if (this.#next(6) === 0) this.#askStage(stage, model, used);
    }
    if (this.#next(8) === 0) {
      stage.discard();
      const known = new Set([...this.#model.terms.keys()]);
      for (const { object } of used.slice(0, 20)) {
        if (/fresh/.test(object.value) && !known.has(show(object))) this.#neverKnown.push(object);
      }
      return;
    }
    await this.#commit(stage, model, used);
  }

  #change(stage: Stage, model: ModelStage, used: readonly Quad[]): Quad[] {
    if (this.#next(2) === 0) {
      const again = this.#next(3) === 0 ? used.slice(0, this.#next(50)) : [];
      const quads = [...this.#openQuads(this.#quadOf), ...again];
      if (this.#next(4) === 0) {
        const { known, ids } = idsOf(stage, quads);
        assert.equal(stage.retractIds(ids), model.retract(known), 'quads that closed by their ids');
      } else assert.equal(stage.retract(quads), model.retract(quads), 'quads that closed');
      return [];
    }
    const validFrom = this.#next(3) === 0 ? pick(INSTANTS, this.#next) : undefined;
    const quads = [...this.#quads(), ...(this.#next(4) === 0 ? this.#openQuads(this.#quadOf) : [])];
    if (this.#next(6) === 0) {
      const { known, ids } = idsOf(stage, quads);
      assert.equal(stage.assertIds(ids, validFrom), model.assert(known, validFrom), 'quads that opened by their ids');
      return known;
    }
    assert.equal(stage.assert(quads, validFrom), model.assert(quads, validFrom), 'quads that opened');
    return quads;
  }

  async #commit(stage: Stage, model: ModelStage, used: readonly Quad[]): Promise<void> {
    const recordEmpty = this.#next(3) === 0;
    const { asserted, retracted } = model.counts;
    const { tx, durable } = stage.commit({ recordEmpty });
    if (asserted + retracted === 0 && !recordEmpty) {
      assert.equal(tx, 0, 'nothing to write');
      return;
    }
    assert.equal(tx, model.tx);
    this.#model.commit(model, used);
    this.#remember(used);
    this.#pending.push(durable);
    if (this.#next(4) === 0) return;
    await durable;
    this.#durable = tx;
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#pending);
    this.#pending = [];
    this.#durable = this.#model.lastTx;
  }

  async #load(): Promise<void> {
    await this.#settle();
    const options = randomOptions(this.#next);
    const quads = [...this.#quads(), ...this.#quads()];
    const staged = await this.#engine.stageLoad(
      [{ kind: 'quads', quads, name: 'quads' }],
      {
        ...options,
        blankNodeScope: 'store',
        threads: 1,
        bounds: { ownPartitionRows: 40, epochRowsMax: 100 + this.#next(400) },
      },
      {},
    );
    const model = this.#model.stage(options);
    const added = model.assert(quads);
    assert.equal(staged.loaded?.quadsAdded, added, 'quads that a load adds');
    if (this.#next(6) === 0) {
      await staged.discard();
      return;
    }
    assert.equal(await committed(staged.commit()), model.tx);
    this.#model.commit(model, quads);
    this.#remember(quads);
    this.#durable = model.tx;
  }

  // Care.

  async #fold(): Promise<void> {
    const abort = new AbortController();
    const folding = this.#engine.fold({ signal: abort.signal });
    const ended = folding.then(
      () => null,
      (error: { code?: string }) => error,
    );
    // The store is read while it is folded.
    for (let turns = this.#next(4); turns > 0; turns--) {
      await setImmediate();
      this.#ask(1);
    }
    if (this.#next(4) === 0) abort.abort();
    const error = await ended;
    if (error !== null && error.code !== 'aborted') throw error;
    await this.#settle();
  }

  /** A graph goes into a pack, is read there, and comes back. */
  async #moveGraph(): Promise<void> {
    await this.#settle();
    const graphs = [...new Set(this.#model.rows.map(({ g }) => g))].filter((g) => g !== show(terms.defaultGraph()));
    const known = graphs.flatMap((g) => this.#model.terms.get(g)?.term ?? []);
    if (known.length === 0) return;
    const graph = pick(known, this.#next);
    const path = (this.#setting.packPath as () => string)();
    const times = [
      { kind: 'current' },
      { kind: 'all' },
      { kind: 'asOf', tx: this.#next(this.#model.lastTx + 1) },
      { kind: 'validAt', validAt: pick(INSTANTS, this.#next) },
      { kind: 'asOfValidAt', tx: this.#next(this.#model.lastTx + 1), validAt: pick(INSTANTS, this.#next) },
    ] as const;
    const read = (store: boolean): unknown => {
      const snapshot = this.#engine.snapshot();
      const one = { kind: 'one', graph: snapshot.encode(graph) as TermId } as const;
      const graphs = store ? ({ kind: 'store', store: 'pack', graphs: one } as const) : one;
      const order = pick(ORDERS, this.#next);
      try {
        return times.map((time) =>
          scan(snapshot, { graphs, time, order: store ? order : undefined, columns: COLUMNS })
            .map(String)
            .sort(),
        );
      } finally {
        snapshot.close();
      }
    };
    const wanted = read(false);
    const options = randomOptions(this.#next);
    const frozen = await freeze(this.#engine, graph.value, path, options, graph.value);
    this.#noted({ ...options, source: `freeze:${graph.value}` });
    this.#askAgain();
    this.#engine.packs.useArchives(() => path);
    assert.deepEqual(read(true), wanted, 'the graph in its pack');
    if (this.#next(3) === 0) await this.#engine.fold({});
    await assertSound(this.#engine);
    if (this.#next(3) === 0) await this.#reopen();
    await thaw(this.#engine, frozen, options);
    this.#noted({ ...options, source: `thaw:${graph.value}` });
    this.#engine.packs.useArchives(() => null);
    assert.deepEqual(read(false), wanted, 'the graph after it came back');
    assert.deepEqual(await this.#engine.packs.contentOf(graph.value, {}), frozen.content);
    this.#askAgain();
    this.#ask(4);
  }

  /** A transaction without changes. */
  #noted(options: ModelOptions): void {
    const model = this.#model.stage(options);
    this.#model.commit(model, []);
    this.#durable = model.tx;
  }

  async #pass(): Promise<void> {
    for (let turns = this.#next(12); turns > 0; turns--) await setImmediate();
  }

  async #reopen(): Promise<void> {
    for (const { snapshot } of this.#held) snapshot.close();
    this.#held.length = 0;
    if (this.#setting.lasting) {
      await this.#close();
      this.#engine = await this.#open();
    }
    await this.#settle();
  }

  async #close(): Promise<void> {
    await this.#reader?.close();
    this.#reader = null;
    await this.#engine.close();
  }

  async #verify(): Promise<void> {
    await this.#settle();
    await assertSound(this.#engine);
    this.#askStore();
  }

  // Reading.

  #truth(rows: readonly ModelRow[], tx: number): Truth {
    const truth = truthAt(this.#model, tx);
    return { ...truth, rows, unknown: [...this.#neverKnown, ...truth.unknown], instants: INSTANTS };
  }

  #truthOf(snapshot: StorageSnapshot): Truth {
    const { tx } = snapshot;
    assert.ok(tx >= this.#durable && tx <= this.#model.lastTx, `transaction ${tx} of ${this.#model.lastTx}`);
    return this.#truth(this.#model.rows, tx);
  }

  async #askReader(): Promise<void> {
    this.#reader ??= (await this.#setting.openReader?.()) ?? null;
    if (this.#reader !== null) this.#ask(4, this.#reader);
  }

  #ask(questions: number, engine = this.#engine): void {
    const snapshot = engine.snapshot();
    try {
      const asked = new Questions(snapshot, this.#truthOf(snapshot), this.#next);
      if (this.#next(3) === 0) asked.askAll();
      for (let i = 0; i < questions; i++) asked.ask();
    } finally {
      snapshot.close();
    }
  }

  #askStage(stage: Stage, model: ModelStage, used: readonly Quad[]): void {
    const snapshot = stage.snapshot();
    try {
      const truth = this.#truth(model.rows(), stage.tx);
      const shown = new Set(truth.rows.flatMap(({ s, p, o, g }) => [s, p, o, g]));
      const staged = new Map<string, Term>();
      for (const quad of used) {
        for (const term of [quad.subject, quad.predicate, quad.object, quad.graph]) {
          if (shown.has(show(term))) staged.set(show(term), term);
        }
      }
      for (const term of truth.known) staged.set(show(term), term);
      const unknown = truth.unknown.filter((term) => !staged.has(show(term)));
      const asked = new Questions(snapshot, { ...truth, known: [...staged.values()], unknown }, this.#next);
      asked.askAll();
      for (let i = 0; i < 4; i++) asked.ask();
    } finally {
      snapshot.close();
    }
  }

  #hold(): void {
    if (this.#held.length >= HELD_MAX) {
      const [oldest] = this.#held.splice(this.#next(HELD_MAX), 1);
      oldest?.snapshot.close();
    }
    const snapshot = this.#engine.snapshot();
    this.#held.push({ snapshot, truth: this.#truthOf(snapshot) });
  }

  #askAgain(): void {
    for (const { snapshot, truth } of this.#held) {
      const asked = new Questions(snapshot, truth, this.#next);
      asked.askAll();
      for (let i = 0; i < 3; i++) asked.ask();
    }
  }

  /** What the store says of itself, when everything is on the disk. */
  #askStore(): void {
    const { transactions, rows, open } = this.#model;
    assert.deepEqual(toldOf(this.#engine), transactions);
    const since = this.#next(transactions.length + 1);
    const limit = 1 + this.#next(5);
    assert.deepEqual(toldOf(this.#engine, { since, limit }), transactions.slice(since, since + limit));
    for (const source of [...SOURCES, 'none']) {
      if (source === undefined) continue;
      const ids = transactions.filter((one) => one.source === source).map(({ id }) => id);
      assert.deepEqual(this.#engine.transactionsOf(source), ids, `the transactions of ${source}`);
    }
    const stats = this.#engine.stats();
    const current = [...open.values()];
    const root = current.filter(({ g }) => g === show(terms.defaultGraph()));
    assert.equal(stats.transactions, transactions.length);
    assert.equal(stats.rowsTotal, rows.length, 'all rows');
    assert.equal(stats.quadsCurrent, current.length, 'current quads');
    assert.equal(stats.factsCurrent, root.length, 'current facts');
    assert.ok(stats.entities >= new Set(root.map(({ s }) => s)).size, 'entities are an upper bound');
    assert.ok(stats.predicates >= new Set(root.map(({ p }) => p)).size, 'so are the predicates of ROOT');
    assert.equal(stats.graphs, new Set(current.map(({ g }) => g)).size, 'graphs');
  }
}

/** The quads whose terms the stage knows, and their ids. */
function idsOf(stage: Stage, quads: readonly Quad[]): { known: Quad[]; ids: QuadColumns } {
  const snapshot = stage.snapshot();
  try {
    const rows = quads.map((quad) => ({
      quad,
      ids: [quad.subject, quad.predicate, quad.object, quad.graph].map((term) => snapshot.encode(term)),
    }));
    const known = rows.filter(({ ids }) => ids.every((id) => id !== null));
    const column = (at: number): IdColumn => columnOf(known.map(({ ids }) => ids[at] as TermId));
    const ids = { rows: known.length, s: column(0), p: column(1), o: column(2), g: column(3) };
    return { known: known.map(({ quad }) => quad), ids };
  } finally {
    snapshot.close();
  }
}
