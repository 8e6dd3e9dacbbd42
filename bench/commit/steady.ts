/**
 * A long run of commits with folds and merges: what they cost in bytes written, and the pauses that
 * commits saw meanwhile. Every commit asserts 20 quads with 20 new terms and closes 5: some that it
 * wrote before, some that stood in the store.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { invariant } from '../../engine/base/errors.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openStore, type Quad, type StorageStats } from '../../interfaces/library/index.js';
import { Random } from '../data/random.js';
import { median, percentile } from '../harness/figures.js';
import type { CommitFigures } from './case.js';
import { writtenBytes } from './disk.js';
import { NewQuads, sampleQuads } from './quads.js';

export const ASSERTED = 20;
export const CLOSED = 5;
/** Of the closed ones, so many were written by earlier commits of the run. */
const CLOSED_OWN = 2;
/** A run's own quads are closed so many commits after they were written, at random. */
const CLOSED_AFTER = 1000;
const CHECKED = 200;
const SEED = 23;

/** Parts of a store that hold what was written; the others are measures, not bytes in the file. */
const STORED = ['SPOG', 'POSG', 'OSPG', 'GSPO', 'directories', 'log', 'terms', 'hashIndex'] as const;

export function storedBytes(stats: StorageStats): number {
  return STORED.reduce((sum, part) => sum + (stats.bytesByPart[part] ?? 0), 0);
}

/** What a commit of the run does. */
export class SteadyChanges {
  readonly news: NewQuads;
  readonly #old: Quad[];
  readonly #own: Quad[] = [];
  readonly #random = new Random(SEED);
  readonly closed: Quad[] = [];
  readonly kept: Quad[] = [];

  /** `old`: quads of the store that may be closed. */
  constructor(known: readonly Quad[], old: readonly Quad[], name: string) {
    this.news = new NewQuads(known, name, SEED);
    this.#old = [...old];
  }

  next(): { readonly assert: Quad[]; readonly retract: Quad[] } {
    const retract: Quad[] = [];
    if (this.#own.length >= CLOSED_AFTER) {
      for (let i = 0; i < CLOSED_OWN; i++) retract.push(this.#takeOwn());
    }
    while (retract.length < CLOSED) {
      const quad = this.#old.pop();
      if (quad === undefined) break;
      retract.push(quad);
    }
    const assert = this.news.take(ASSERTED);
    const [first, second, third] = assert as [Quad, Quad, Quad];
    this.#own.push(first, second);
    if (this.kept.length < CHECKED) this.kept.push(third);
    for (const quad of retract) if (this.closed.length < CHECKED) this.closed.push(quad);
    return { assert, retract };
  }

  #takeOwn(): Quad {
    const at = this.#random.below(this.#own.length);
    const quad = this.#own[at] as Quad;
    this.#own[at] = this.#own[this.#own.length - 1] as Quad;
    this.#own.pop();
    return quad;
  }
}

export async function measureSteady(
  path: string,
  commits: number,
  known: readonly Quad[],
  quadsBefore: number,
): Promise<CommitFigures> {
  // What earlier commits left in the delta is not this run's.
  await foldRest(path);
  const store = await openStore(path);
  const old = sampleQuads(store, Math.min(commits * CLOSED, quadsBefore >> 1), SEED);
  const changes = new SteadyChanges(known, old, 'steady');
  const before = store.stats();
  const writtenBefore = writtenBytes();
  const times = new Float64Array(commits);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let quads = quadsBefore;
  delay.enable();
  const begin = performance.now();
  for (let at = 0; at < commits; at++) {
    const change = changes.next();
    const from = performance.now();
    const { asserted, retracted } = await store.transact(change);
    times[at] = performance.now() - from;
    invariant(asserted === ASSERTED && retracted === change.retract.length, 'a commit changes what it should');
    quads += asserted - retracted;
  }
  const wallMs = performance.now() - begin;
  delay.disable();
  const { quadsCurrent, written: care } = store.stats();
  invariant(quadsCurrent === quads, `the store has ${quads} quads, not ${quadsCurrent}`);
  await store.close();
  const fold = await foldRest(path);
  const written = writtenBytes() - writtenBefore;
  const after = await check(path, changes, quads);
  return {
    steadyCommits: commits,
    steadyMedian: median(times),
    steadyP99: percentile(times, 0.99),
    steadyP999: percentile(times, 0.999),
    steadyMost: Math.max(...times),
    steadyStall: delay.max / 1e6,
    steadyRate: (commits * (ASSERTED + CLOSED)) / (wallMs / 1000),
    steadyWritten: written,
    steadyFolded: care?.rowsFolded ?? Number.NaN,
    steadyMerged: care?.runsMerged ?? Number.NaN,
    steadyCare: care?.maintenanceBytes ?? Number.NaN,
    steadyLog: care?.logBytes ?? Number.NaN,
    steadyText: changes.news.textBytes,
    steadyStored: storedBytes(after) - storedBytes(before),
    amplificationText: written / changes.news.textBytes,
    amplificationStored: written / (storedBytes(after) - storedBytes(before)),
    ...fold,
    runsAfter: after.runs,
  };
}

/** What is left in the delta becomes runs, so that all that was written is paid for. */
async function foldRest(path: string): Promise<CommitFigures> {
  const engine = await openLmdbEngine(path);
  const begin = performance.now();
  const { rowsFolded } = await engine.fold({});
  const foldMs = performance.now() - begin;
  await engine.close();
  return { lastFoldMs: foldMs, lastFoldRows: rowsFolded };
}

async function check(path: string, changes: SteadyChanges, quads: number): Promise<StorageStats> {
  const store = await openStore(path, { readOnly: true });
  const stats = store.stats();
  invariant(stats.quadsCurrent === quads, `after the fold the store has ${quads} quads, not ${stats.quadsCurrent}`);
  const snapshot = store.snapshot();
  for (const quad of changes.kept) invariant(snapshot.has(quad), 'a committed quad is found after the fold');
  for (const quad of changes.closed) invariant(!snapshot.has(quad), 'a closed quad is gone after the fold');
  snapshot.close();
  await store.close();
  return stats;
}
