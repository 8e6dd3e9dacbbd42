/** What a store is asked to embed: all that has no vector, or all of it anew with another model. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { type BackfillMeans, type BackfillReport, backfill } from './backfill.js';
import type { Embedder } from './embedder.js';
import { missingTexts, vectorsAt } from './missing-texts.js';

const HOW_TO_EMBED = 'set embedding.provider, with embedding.url and embedding.model or with embedding.model_path';

export function noProvider(): SvcError {
  return new SvcError('invalid_request', `no embedding provider configured; ${HOW_TO_EMBED}`);
}

export interface EmbeddingMeans extends BackfillMeans {
  /** How many entities had a vector. */
  dropAll(): Promise<number>;
}

export interface MigrationOptions extends Control {
  /** The vectors that are there have to be of this model. */
  readonly from?: string | undefined;
  /** The provider has to have this model. */
  readonly to?: string | undefined;
  /** Only tells what would be done; default false. */
  readonly dryRun?: boolean | undefined;
}

export interface MigrationReport extends BackfillReport {
  /** Model and dimension of the vectors that were there; null = there were none. */
  readonly from: { readonly model: string; readonly dimension: number } | null;
  readonly to: { readonly model: string; readonly dimension: number };
  /** Entities whose vectors were dropped, or would be. */
  readonly dropped: number;
}

export async function backfillStore(
  embedder: Embedder | null,
  means: EmbeddingMeans,
  control: Control,
): Promise<BackfillReport> {
  if (embedder === null) throw noProvider();
  const provider = await embedder.provider();
  const { model, dimension } = withVectors(means);
  if (model !== null && (model !== provider.model || dimension !== provider.dimension)) {
    const [is, asked] = [describe(model, dimension), describe(provider.model, provider.dimension)];
    throw new SvcError(
      'invalid_request',
      `the vectors of this store are of the model ${is}, and the provider has ${asked}`,
      {
        hint: 'svc migrate-vectors drops them and embeds all texts anew',
      },
    );
  }
  return alone(embedder, () => backfill(provider, counted(embedder, means), embedder.batchSize, control));
}

export async function migrateStore(
  embedder: Embedder | null,
  means: EmbeddingMeans,
  { from, to, dryRun = false, ...control }: MigrationOptions,
): Promise<MigrationReport> {
  if (embedder === null) throw noProvider();
  const provider = await embedder.provider();
  const { model, dimension, embedded } = withVectors(means);
  checkNamed('from', from, model, 'the vectors of this store are of');
  checkNamed('to', to, provider.model, 'the provider has');
  const before = model === null || dimension === null ? null : { model, dimension };
  const same = model === provider.model && dimension === provider.dimension;
  const dropped = same ? 0 : embedded;
  const ends = { from: before, to: { model: provider.model, dimension: provider.dimension }, dropped };
  return alone(embedder, async () => {
    if (dryRun) return { ...ends, ...(await notBegun(means, same, control)) };
    if (!same && model !== null) await means.dropAll();
    const report = await backfill(provider, counted(embedder, means), embedder.batchSize, control);
    return { ...ends, ...report };
  });
}

/** What a backfill would have to do. */
async function notBegun(means: EmbeddingMeans, same: boolean, control: Control): Promise<BackfillReport> {
  let remaining = same ? 0 : withVectors(means).embedded;
  for await (const texts of missingTexts(() => means.snapshot(), control)) remaining += texts.length;
  return { embedded: 0, failed: 0, remaining, failure: null };
}

/** A second backfill would embed the same texts again. */
async function alone<Result>(embedder: Embedder, work: () => Promise<Result>): Promise<Result> {
  if (embedder.isBusy) {
    throw new SvcError('state_conflict', 'a backfill of embeddings is under way', { hint: 'wait until it is through' });
  }
  embedder.isBusy = true;
  try {
    return await work();
  } finally {
    embedder.isBusy = false;
  }
}

/** Told to the figures of the store as well. */
function counted(embedder: Embedder, means: EmbeddingMeans): BackfillMeans {
  const { figures } = embedder;
  let [embedded, failed] = [0, 0];
  return {
    snapshot: () => means.snapshot(),
    put: (...vectors) => means.put(...vectors),
    onStep(done) {
      figures.embedded += done.embedded - embedded;
      figures.failed += done.failed - failed;
      figures.remaining = done.remaining;
      [embedded, failed] = [done.embedded, done.failed];
    },
  };
}

function withVectors(means: EmbeddingMeans) {
  const snapshot = means.snapshot();
  try {
    const { model, dimension, embedded } = vectorsAt(snapshot);
    return { model, dimension, embedded };
  } finally {
    snapshot.close();
  }
}

function checkNamed(key: string, wanted: string | undefined, is: string | null, what: string): void {
  if (wanted === undefined || wanted === is) return;
  const found = is === null ? 'no model: there are none' : `the model ${JSON.stringify(is)}`;
  throw new SvcError('invalid_request', `'${key}' is ${JSON.stringify(wanted)}, and ${what} ${found}`);
}

function describe(model: string, dimension: number | null): string {
  return `${JSON.stringify(model)} (${dimension} numbers)`;
}
