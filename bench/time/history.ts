/**
 * Makes the history of a store through the library, and keeps the list of rows beside it. The store
 * is open only while it grows.
 */
import { invariant } from '../../engine/base/errors.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openStore, type Quad, type Store } from '../../interfaces/library/index.js';
import { TripleFile } from '../data/ntriples.js';
import { Random } from '../data/random.js';
import type { HistoryKind } from '../options.js';
import type { SliceName } from './case.js';
import { Facts, LARGE_RANGES, PER_ENTITY, VERSIONS_MAX } from './facts.js';
import { RowList, type Slice } from './row-list.js';

const DAY = 86_400;
/** 2020-01-01: from then on the first facts hold. */
const BEGIN = 1_577_836_800;
/** Past intervals are written so much later, and lie in this many days from the beginning. */
const PAST_DAYS = 1000;
/** Shares of the facts that a transaction changes. */
const UPDATED = 0.01;
const REPLACED = 0.25;
const FILLED_BACK = 0.02;
/** What stays in the delta, and the most facts of that. */
const RECENT = 0.01;
const RECENT_MAX = 20_000;
const SEED = 17;

export class HistoryStore {
  readonly made: HistoryKind;
  readonly facts: Facts;
  readonly rows = new RowList();
  readonly #path: string;
  readonly #scratch: string;
  readonly #random = new Random(SEED);
  /** By fact: its current row, and the next version that was never used. */
  readonly #current: Uint32Array;
  readonly #next: Uint32Array;
  #tx = 0;
  /** Instant of the newest change. */
  #now = BEGIN;
  #closed = 0;

  /** `scratch`: a file for documents to be loaded. */
  constructor(path: string, scratch: string, made: HistoryKind, facts: number) {
    this.#path = path;
    this.#scratch = scratch;
    this.made = made;
    this.facts = new Facts(facts);
    this.#current = new Uint32Array(this.facts.count);
    this.#next = new Uint32Array(this.facts.count).fill(1);
  }

  get transactions(): number {
    return this.#tx;
  }

  async fill(): Promise<void> {
    await this.#open(async (store) => {
      const file = new TripleFile(this.#scratch);
      for (let fact = 0; fact < this.facts.count; fact++) file.add(...this.facts.written(fact, 0));
      file.close();
      const { tx, quadsAdded } = await store.load(this.#scratch, { ...this.#stamp(BEGIN), ...this.#replacing() });
      invariant(quadsAdded === this.facts.count, `${this.facts.count} facts were loaded, not ${quadsAdded}`);
      for (let fact = 0; fact < this.facts.count; fact++) this.#current[fact] = this.rows.open(fact, 0, tx, BEGIN);
      this.#tx = tx;
    });
  }

  /** Makes history until it is so many percent of all rows; then everything becomes runs. */
  async growTo(percent: number): Promise<void> {
    const target = Math.round((this.facts.count * percent) / (100 - percent));
    await this.#open(async (store) => {
      while (this.#closed < target) {
        const left = target - this.#closed;
        if (this.made === 'updates') await this.#update(store, this.#choose(UPDATED, left));
        else if (this.made === 'snapshots') await this.#replace(store, this.#choose(REPLACED, left));
        else await this.#fillBack(store, this.#choose(FILLED_BACK, left));
      }
    });
    const engine = await openLmdbEngine(this.#path);
    await engine.fold({}, true);
    await engine.close();
  }

  /** Changes some facts; the changes stay in the delta. */
  async touch(): Promise<void> {
    const chosen = this.#choose(RECENT, RECENT_MAX);
    const { made } = this;
    // What a snapshot key owns is replaced by that key alone.
    await this.#open((store) => (made === 'snapshots' ? this.#replace(store, chosen) : this.#update(store, chosen)));
  }

  /** The points in time that questions are asked at. */
  slices(): Readonly<Record<SliceName, Slice>> {
    const tx = Math.max(1, this.#tx >> 1);
    const days = this.made === 'backfill' ? PAST_DAYS : Math.floor((this.#now - BEGIN) / DAY);
    const at = (share: number): number => BEGIN + Math.floor(days * share) * DAY + 3600;
    return { current: {}, validAt: { validAt: at(0.5) }, tx: { tx }, both: { tx, validAt: at(0.25) } };
  }

  /** The rows that are visible, in a new document. */
  writeVisible(slice: Slice, path: string): number {
    const { rows, facts } = this;
    const file = new TripleFile(path);
    for (let row = 0; row < rows.count; row++) {
      if (!rows.isVisible(row, slice)) continue;
      file.add(...facts.written(rows.fact[row] as number, rows.version[row] as number));
    }
    file.close();
    return file.triples;
  }

  async #open(work: (store: Store) => Promise<void>): Promise<void> {
    const store = await openStore(this.#path);
    try {
      await work(store);
      const { quadsCurrent } = store.stats();
      invariant(quadsCurrent === this.facts.count, `${this.facts.count} facts are current, not ${quadsCurrent}`);
    } finally {
      await store.close();
    }
  }

  /** Different facts, a share of them and no more than a number. */
  #choose(share: number, most: number): number[] {
    const count = Math.max(1, Math.min(most, Math.round(this.facts.count * share)));
    const chosen = new Set<number>();
    while (chosen.size < count) {
      const fact = this.#random.below(this.facts.count);
      if (this.made !== 'backfill' || LARGE_RANGES.includes(fact % PER_ENTITY)) chosen.add(fact);
    }
    return [...chosen];
  }

  async #update(store: Store, chosen: readonly number[]): Promise<void> {
    this.#now += DAY;
    const options = this.#stamp(this.#now);
    const retract = chosen.map((fact) => this.#quadOf(this.#current[fact] as number));
    const assert = chosen.map((fact) => this.facts.quad(fact, this.#next[fact] as number));
    const { tx, asserted, retracted } = await store.transact({ retract, assert }, options);
    invariant(asserted === chosen.length && retracted === chosen.length, 'every chosen fact is replaced');
    this.#replaceRows(chosen, tx);
  }

  /** A new state of everything, of which some facts have new values. */
  async #replace(store: Store, chosen: readonly number[]): Promise<void> {
    this.#now += DAY;
    const changed = new Set(chosen);
    const file = new TripleFile(this.#scratch);
    for (let fact = 0; fact < this.facts.count; fact++) {
      const version = this.rows.version[this.#current[fact] as number] as number;
      file.add(...this.facts.written(fact, changed.has(fact) ? (this.#next[fact] as number) : version));
    }
    file.close();
    const options = { ...this.#stamp(this.#now), ...this.#replacing() };
    const { tx, quadsAdded, quadsRetracted } = await store.load(this.#scratch, options);
    invariant(quadsAdded === chosen.length && quadsRetracted === chosen.length, 'every changed fact is replaced');
    this.#replaceRows(chosen, tx);
  }

  #replaceRows(chosen: readonly number[], tx: number): void {
    for (const fact of chosen) {
      this.rows.close(this.#current[fact] as number, tx, this.#now);
      this.#current[fact] = this.rows.open(fact, this.#version(fact), tx, this.#now);
    }
    this.#closed += chosen.length;
    this.#tx = tx;
  }

  /** Values that held for a day long ago, beside those that hold until now. */
  async #fillBack(store: Store, chosen: readonly number[]): Promise<void> {
    const from = BEGIN + this.#random.below(PAST_DAYS) * DAY;
    const rows: number[] = [];
    const quads = chosen.map((fact) => this.facts.quad(fact, this.#next[fact] as number));
    const opened = await store.transact({ assert: quads }, this.#stamp(from));
    invariant(opened.asserted === chosen.length, 'every past value is asserted');
    for (const fact of chosen) rows.push(this.rows.open(fact, this.#version(fact), opened.tx, from));
    const closed = await store.transact({ retract: quads }, this.#stamp(from + DAY));
    invariant(closed.retracted === chosen.length, 'every past value is closed');
    for (const row of rows) this.rows.close(row, closed.tx, from + DAY);
    this.#closed += chosen.length;
    this.#tx = closed.tx;
  }

  #version(fact: number): number {
    const version = this.#next[fact] as number;
    invariant(version < VERSIONS_MAX, 'values of a fact do not come again');
    this.#next[fact] = version + 1;
    return version;
  }

  #quadOf(row: number): Quad {
    return this.facts.quad(this.rows.fact[row] as number, this.rows.version[row] as number);
  }

  #stamp(instant: number): { readonly timestamp: Date } {
    return { timestamp: new Date(instant * 1000) };
  }

  #replacing(): { readonly snapshotKey?: string; readonly replaceSnapshot?: boolean } {
    return this.made === 'snapshots' ? { snapshotKey: 'facts', replaceSnapshot: true } : {};
  }
}
