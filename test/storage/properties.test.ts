/**
 * The LMDB store against the one in memory, on random data in random loads: small epochs, one and
 * two threads, loads that are dropped or repeated, so many that runs merge, graphs that get a
 * partition of their own early or late.
 */

import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Quad } from '../../engine/rdf/terms.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { LoadBounds, LoadSource, StorageEngine } from '../../engine/storage/seam/engine.js';
import { assertSame, assertSound } from './support/compare.js';
import { quadsOf, toNQuads } from './support/datasets.js';
import { StoreFolder } from './support/store-folder.js';

const RUNS = Number(process.env.SVC_PROPERTY_RUNS ?? 20);
/** Shrinking a failure takes this long at most. */
const LIMITS = { interruptAfterTimeLimit: 240_000, includeErrorInReport: true };
const folder = new StoreFolder();

interface Step {
  /** Ends of the documents, as shares of the dataset. */
  readonly cuts: readonly number[];
  readonly via: 'quads' | 'bytes' | 'file';
  readonly publish: boolean;
  readonly threads: number;
  readonly bounds: LoadBounds;
  readonly graph: string | undefined;
  readonly blankNodeScope: 'document' | 'store';
  readonly snapshotKey: string | undefined;
}

const share = fc.double({ min: 0, max: 1, noNaN: true });
const step: fc.Arbitrary<Step> = fc.record({
  cuts: fc.array(share, { minLength: 2, maxLength: 4 }).map((cuts) => [...cuts].sort((a, b) => a - b)),
  via: fc.constantFrom('quads' as const, 'bytes' as const, 'file' as const),
  publish: fc.nat(5).map((n) => n > 0),
  threads: fc.constantFrom(1, 1, 2),
  bounds: fc.record({
    epochRowsMax: fc.constantFrom(1, 3, 17, 100, 100_000),
    epochTermsMax: fc.constantFrom(6, 20, 100, 100_000),
    ownPartitionRows: fc.constantFrom(1, 5, 100_000),
    helperInputBytesMin: fc.constant(0),
  }),
  graph: fc.constantFrom(undefined, undefined, 'http://g/1', 'http://other/'),
  blankNodeScope: fc.constantFrom('document' as const, 'document' as const, 'store' as const),
  snapshotKey: fc.constantFrom(undefined, undefined, 'key'),
});

function sourcesOf(quads: readonly Quad[], { cuts, via }: Step): LoadSource[] {
  return cuts.slice(1).map((to, i): LoadSource => {
    const from = cuts[i] as number;
    const part = quads.slice(Math.floor(from * quads.length), Math.ceil(to * quads.length));
    if (via === 'quads') return { kind: 'quads', quads: part, name: `part ${i}` };
    const bytes = toNQuads(part);
    if (via === 'bytes') return { kind: 'bytes', bytes, name: `part ${i}`, format: 'nquads' };
    return { kind: 'file', path: folder.file(bytes, '.nq'), name: `part ${i}` };
  });
}

async function apply(engine: StorageEngine, sources: readonly LoadSource[], step: Step, at: number): Promise<void> {
  const { threads, bounds, graph, blankNodeScope, snapshotKey } = step;
  const options = { threads, bounds, graph, blankNodeScope, snapshotKey, timestamp: 1000 + at };
  const staged = await engine.stageLoad(sources, options, {});
  if (step.publish) await staged.commit().durable;
  else await staged.discard();
}

async function compare(quads: readonly Quad[], steps: readonly Step[]): Promise<void> {
  const path = folder.fresh();
  const [oracle, engine] = [openMemoryEngine(), await openLmdbEngine(path)];
  try {
    for (const [at, one] of steps.entries()) {
      const sources = sourcesOf(quads, one);
      await apply(engine, sources, one, at);
      await apply(oracle, sources, one, at);
    }
    await assertSound(engine);
    assertSame(engine, oracle);
  } finally {
    await engine.close();
  }
  const reader = await openLmdbEngine(path, { readOnly: true });
  try {
    assertSame(reader, oracle);
    await assertSound(reader);
  } finally {
    await reader.close();
  }
  for (const name of [path, `${path}-lock`]) await rm(name, { force: true });
}

test('random loads: the store is the one in memory', { timeout: 600_000 }, async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 12, size: 'max' });
  await fc.assert(fc.asyncProperty(quadsOf({ graphs: 8, maxLength: 60 }), steps, compare), {
    ...LIMITS,
    numRuns: RUNS,
  });
});

test('random loads into many graphs', { timeout: 600_000 }, async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 4, size: 'max' });
  await fc.assert(fc.asyncProperty(quadsOf({ graphs: 400, maxLength: 300 }), steps, compare), {
    ...LIMITS,
    numRuns: Math.ceil(RUNS / 5),
  });
});
