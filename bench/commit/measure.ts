/**
 * Commits, measured through the library in a process of its own. Bare syncs of the same disk take
 * turns with the commits, so that a slow minute hits both. What was written is looked up afterwards,
 * in the same store and in one that was opened anew.
 */
import { invariant } from '../../engine/base/errors.js';
import { openStore, type Quad, type Store } from '../../interfaces/library/index.js';
import { peakMemoryBytes } from '../harness/child.js';
import { median, percentile, percentile95 } from '../harness/figures.js';
import { type CommitFigures, SIZES, WRITERS } from './case.js';
import { PAGE_BYTES, SyncProbe, writtenBytes } from './disk.js';
import { NewQuads, prepareEmpty, sampleQuads } from './quads.js';
import { measureSteady } from './steady.js';

export interface CommitTask {
  readonly task: 'commit';
  /** A store file of its own for this run. */
  readonly store: string;
  /** Commits of the long run, with folds and merges. */
  readonly commits: number;
}

/** Commits of each size, fewer when the long run is short too; those of a thousand quads are fewer. */
const COMMITS_MAX = { 1: 300, 20: 300, 1000: 60 } as const;
/** So many commits, then as many bare syncs, and so on. */
const TURN = 10;
const WARM_UP = 20;
const KNOWN = 2000;
const CHECKED = 200;
const SEED = 11;

export async function measureCommit(task: CommitTask): Promise<CommitFigures> {
  const store = await openStore(task.store);
  const figures: CommitFigures = {};
  if (store.stats().quadsCurrent === 0) await prepareEmpty(store);
  const known = sampleQuads(store, KNOWN, SEED);
  const probe = new SyncProbe(`${task.store}-probe`);
  const ledger = new Ledger(store);
  await ledger.commit(new NewQuads(known, 'warm-up', SEED).take(WARM_UP));
  const syncs: number[] = [];
  const session: Session = { ledger, probe, syncs, known, figures };
  for (const size of SIZES) await oneWriter(session, size, Math.min(COMMITS_MAX[size], task.commits));
  for (const size of [1, 20] as const) {
    await tenWriters(session, size, Math.min(COMMITS_MAX[size], task.commits) / TURN);
  }
  figures.sync = median(syncs);
  figures.syncP95 = percentile95(syncs);
  for (const name of ['one1', 'one20', 'one1000', 'ten1', 'ten20']) {
    figures[`${name}Ratio`] = (figures[name] as number) / figures.sync;
  }
  probe.close();
  ledger.check(store);
  const expected = ledger.quads;
  await store.close();
  await checkReopened(task.store, ledger);
  Object.assign(figures, await measureSteady(task.store, task.commits, known, expected));
  figures.peakBytes = peakMemoryBytes();
  return figures;
}

interface Session {
  readonly ledger: Ledger;
  readonly probe: SyncProbe;
  /** Milliseconds of every bare sync so far. */
  readonly syncs: number[];
  /** Quads of the store, whose predicates and objects new ones have. */
  readonly known: readonly Quad[];
  readonly figures: CommitFigures;
}

/** What was committed, to hold the store against. */
class Ledger {
  readonly #store: Store;
  quads: number;
  readonly #sample: Quad[] = [];

  constructor(store: Store) {
    this.#store = store;
    this.quads = store.stats().quadsCurrent;
  }

  /** Commits new quads; milliseconds until they are durable. */
  async commit(quads: readonly Quad[]): Promise<number> {
    const begin = performance.now();
    const { asserted } = await this.#store.transact({ assert: quads });
    const ms = performance.now() - begin;
    invariant(asserted === quads.length, `${quads.length} new quads were asserted, not ${asserted}`);
    this.quads += quads.length;
    if (this.#sample.length < CHECKED) this.#sample.push(quads[quads.length - 1] as Quad);
    return ms;
  }

  check(store: Store): void {
    const { quadsCurrent } = store.stats();
    invariant(quadsCurrent === this.quads, `the store has ${this.quads} quads, not ${quadsCurrent}`);
    const snapshot = store.snapshot();
    for (const quad of this.#sample) invariant(snapshot.has(quad), 'a committed quad is found');
    snapshot.close();
  }
}

async function checkReopened(path: string, ledger: Ledger): Promise<void> {
  const store = await openStore(path, { readOnly: true });
  ledger.check(store);
  await store.close();
}

async function oneWriter(session: Session, size: number, commits: number): Promise<void> {
  const { ledger, probe, syncs, known, figures } = session;
  const quads = new NewQuads(known, `one-${size}`, SEED);
  const times: number[] = [];
  let written = 0;
  for (let done = 0; done < commits; done += TURN) {
    for (let turn = 0; turn < TURN; turn++) syncs.push(probe.once());
    const batches = Array.from({ length: TURN }, () => quads.take(size));
    const before = writtenBytes();
    for (const batch of batches) times.push(await ledger.commit(batch));
    written += writtenBytes() - before;
  }
  const wallMs = times.reduce((sum, ms) => sum + ms, 0);
  figures[`one${size}`] = median(times);
  figures[`one${size}Least`] = Math.min(...times);
  figures[`one${size}P95`] = percentile95(times);
  figures[`one${size}P99`] = percentile(times, 0.99);
  figures[`one${size}Most`] = Math.max(...times);
  figures[`pages${size}`] = written / PAGE_BYTES / times.length;
  figures[`rate${size}`] = (times.length * size) / (wallMs / 1000);
}

/** Ten writers that each wait for their own commit: the time of all, a write. */
async function tenWriters(session: Session, size: number, rounds: number): Promise<void> {
  const { ledger, probe, syncs, known, figures } = session;
  const quads = new NewQuads(known, `ten-${size}`, SEED);
  const perWrite: number[] = [];
  const waits: number[] = [];
  let written = 0;
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < TURN; turn++) syncs.push(probe.once());
    const work = Array.from({ length: WRITERS }, () => Array.from({ length: TURN }, () => quads.take(size)));
    const before = writtenBytes();
    const begin = performance.now();
    await Promise.all(
      work.map(async (batches) => {
        for (const batch of batches) waits.push(await ledger.commit(batch));
      }),
    );
    perWrite.push((performance.now() - begin) / (WRITERS * TURN));
    written += writtenBytes() - before;
  }
  figures[`ten${size}`] = median(perWrite);
  figures[`ten${size}Least`] = Math.min(...perWrite);
  figures[`ten${size}Most`] = Math.max(...perWrite);
  figures[`ten${size}Wait`] = median(waits);
  figures[`ten${size}WaitMost`] = Math.max(...waits);
  figures[`tenPages${size}`] = written / PAGE_BYTES / (perWrite.length * WRITERS * TURN);
}
