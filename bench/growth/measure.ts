/**
 * The size of the file over many commits, while readers hold snapshots for seconds each. Every commit
 * replaces values: what is current stays as large as it is, and history grows. What the store's own
 * accounts say of data is taken from the size; what is left, free pages and room within
 * pages, must not grow.
 */
import { statSync } from 'node:fs';
import { invariant } from '../../engine/base/errors.js';
import { openStore, type Quad, type Store, type StoreSnapshot, terms } from '../../interfaces/library/index.js';
import { storedBytes } from '../commit/steady.js';
import { Random } from '../data/random.js';
import { percentile } from '../harness/figures.js';

export interface GrowthTask {
  readonly task: 'growth';
  readonly store: string;
  readonly commits: number;
  readonly readers: number;
  /** How long a reader holds its snapshot: from a half of it to all of it. */
  readonly holdMs: number;
}

export interface GrowthPoint {
  readonly commits: number;
  readonly fileBytes: number;
  readonly dataBytes: number;
  /** Pages that wait to be used again. */
  readonly freeBytes: number;
  /** Open snapshots at that moment. */
  readonly readers: number;
}

export interface GrowthMeasurement {
  readonly points: readonly GrowthPoint[];
  /** Snapshots that were held and checked. */
  readonly snapshots: number;
  readonly commitMsMost: number;
  readonly commitMsP99: number;
  readonly seconds: number;
}

/** Values that are replaced, and how many of them a commit replaces. */
const ITEMS = 20_000;
const REPLACED = 20;
const TENTHS = 10;
const NAMES = 'http://growth.example/';
const SEED = 31;

interface Reader {
  readonly snapshot: StoreSnapshot;
  readonly until: number;
  readonly tx: number;
  readonly item: number;
  readonly version: number;
}

export async function measureGrowth(task: GrowthTask): Promise<GrowthMeasurement> {
  const store = await openStore(task.store);
  const run = new GrowthRun(store, task);
  await run.fill();
  const measurement = await run.run();
  await store.close();
  return measurement;
}

class GrowthRun {
  readonly #store: Store;
  readonly #task: GrowthTask;
  readonly #random = new Random(SEED);
  readonly #versions = new Uint32Array(ITEMS);
  readonly #readers: Reader[] = [];
  #snapshots = 0;

  constructor(store: Store, task: GrowthTask) {
    this.#store = store;
    this.#task = task;
  }

  async fill(): Promise<void> {
    const quads = Array.from({ length: ITEMS }, (_, item) => quadOf(item, 0));
    await this.#store.transact({ assert: quads });
  }

  async run(): Promise<GrowthMeasurement> {
    const { commits } = this.#task;
    const times = new Float64Array(commits);
    const points = [this.#point(0)];
    const begin = performance.now();
    for (let at = 0; at < commits; at++) {
      this.#turnOver();
      times[at] = await this.#commit();
      if (Math.floor(((at + 1) * TENTHS) / commits) > points.length - 1) points.push(this.#point(at + 1));
    }
    const seconds = (performance.now() - begin) / 1000;
    for (const reader of this.#readers.splice(0)) this.#leave(reader);
    const { quadsCurrent } = this.#store.stats();
    invariant(quadsCurrent === ITEMS, `the store has ${ITEMS} current quads, not ${quadsCurrent}`);
    return {
      points,
      snapshots: this.#snapshots,
      commitMsMost: Math.max(...times),
      commitMsP99: percentile(times, 0.99),
      seconds,
    };
  }

  /** Replaces the values of random items. */
  async #commit(): Promise<number> {
    const items = new Set<number>();
    while (items.size < REPLACED) items.add(this.#random.below(ITEMS));
    const retract: Quad[] = [];
    const assert: Quad[] = [];
    for (const item of items) {
      const version = this.#versions[item] as number;
      retract.push(quadOf(item, version));
      assert.push(quadOf(item, version + 1));
      this.#versions[item] = version + 1;
    }
    const begin = performance.now();
    const { asserted, retracted } = await this.#store.transact({ assert, retract });
    const ms = performance.now() - begin;
    invariant(asserted === REPLACED && retracted === REPLACED, 'a commit replaces what it should');
    return ms;
  }

  /** Readers whose time is over leave, and others come. */
  #turnOver(): void {
    const now = performance.now();
    for (let at = this.#readers.length - 1; at >= 0; at--) {
      if ((this.#readers[at] as Reader).until <= now) this.#leave(this.#readers.splice(at, 1)[0] as Reader);
    }
    while (this.#readers.length < this.#task.readers) {
      const snapshot = this.#store.snapshot();
      const item = this.#random.below(ITEMS);
      const until = now + this.#task.holdMs * (0.5 + this.#random.fraction() / 2);
      this.#readers.push({ snapshot, until, tx: snapshot.tx, item, version: this.#versions[item] as number });
    }
  }

  /** What a reader saw at first it must see to the end. */
  #leave({ snapshot, tx, item, version }: Reader): void {
    const subject = quadOf(item, version).subject;
    invariant(snapshot.tx === tx, 'a snapshot stays at its transaction');
    invariant(snapshot.has(quadOf(item, version)), 'a snapshot sees the value of its time');
    invariant(snapshot.count(subject) === 1, 'a snapshot sees one value');
    invariant(snapshot.count() === ITEMS, 'a snapshot sees every item once');
    snapshot.close();
    this.#snapshots++;
  }

  #point(commits: number): GrowthPoint {
    const stats = this.#store.stats();
    return {
      commits,
      fileBytes: statSync(this.#task.store).size,
      dataBytes: storedBytes(stats),
      freeBytes: (stats.pages?.freePages ?? 0) * (stats.pages?.pageBytes ?? 0),
      readers: this.#readers.length,
    };
  }
}

function quadOf(item: number, version: number): Quad {
  return terms.quad(
    terms.namedNode(`${NAMES}item/${item}`),
    terms.namedNode(`${NAMES}value`),
    terms.literal(`value ${version} of item ${item}`),
  );
}
