/**
 * What every answer of the library has, and how it ends: read to its last item, left, closed, with its snapshot, or
 * collected because nobody knows it any more.
 */

import { SvcError } from '../../base/errors.js';
import type { AnswerLabels } from '../../graphs/labels/answer-labels.js';
import type { InferenceReport, QueryResult } from '../../query/query.js';
import type { InferredReport } from '../../query/registry/inferred-report.js';
import type { BodyOptions } from '../../query/results/body.js';
import type { ResultFormat } from '../../query/results/formats.js';
import type { StoreSnapshot } from './snapshot.js';

type Encoder = typeof import('../../query/results/encode.js');
type Chunks = AsyncIterable<string | Uint8Array>;

/** What is known of an answer besides its rows. */
export interface AboutAnswer {
  readonly encoder: Encoder;
  readonly labels: AnswerLabels;
  readonly inferred: InferredReport | null;
  readonly graphsRead: number;
}

/** What every answer of the library has; a class for the reason that `query/query.ts` tells. */
export class Answer {
  readonly form: QueryResult['form'];
  readonly inference: InferenceReport | null;
  readonly labels: AnswerLabels;
  readonly inferred: InferredReport | null;
  readonly graphsRead: number;
  private readonly encoder: Encoder;
  private begun = false;
  private watched = false;

  constructor(
    private readonly result: QueryResult,
    { encoder, labels, inferred, graphsRead }: AboutAnswer,
    readonly snapshot: StoreSnapshot,
    private readonly held: Held,
  ) {
    this.encoder = encoder;
    this.labels = labels;
    this.inferred = inferred;
    this.graphsRead = graphsRead;
    this.form = result.form;
    this.inference = result.inference ?? null;
  }

  get rowsRead(): number {
    return this.result.rowsRead;
  }

  encode(format: ResultFormat): Chunks {
    return this.read(this.encoder.encodeResult(this.result, format));
  }

  encodeBody(options: BodyOptions): Chunks {
    return this.read(this.encoder.encodeBody(this.result, options));
  }

  /** Reading goes on where it stopped, so a second reader would find a part of the rows. */
  read<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
    if (this.result.kind === 'ask') return items;
    if (this.begun) {
      throw new SvcError('invalid_request', 'the answer is being read, or was read, and can be read once only', {
        hint: 'ask the query again',
      });
    }
    this.begun = true;
    const iterator = items[Symbol.asyncIterator]();
    this.held.items = iterator;
    return new AnswerItems(this, iterator);
  }

  /** After the last item: throws when it is not the last of the answer. */
  assertWhole(): void {
    if (this.held.failure !== null) throw this.held.failure;
  }

  /** Gives up everything that the answer holds. */
  end(): void {
    young.delete(this);
    if (this.watched) dropped.unregister(this);
    this.snapshot.close();
  }

  /** From now on the answer is given up when it is collected. */
  watch(): void {
    this.watched = true;
    dropped.register(this, this.snapshot, this);
  }
}

/**
 * What is read of an answer, which is over with it. No generator: one that is left before it began would close
 * nothing. It knows the answer, which would be given up otherwise while only its items are in use.
 */
class AnswerItems<Item> implements AsyncIterableIterator<Item> {
  constructor(
    private readonly answer: Answer,
    private readonly items: AsyncIterator<Item>,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    try {
      const step = await this.items.next();
      if (!step.done) return step;
      this.answer.assertWhole();
    } catch (error) {
      this.answer.end();
      throw error;
    }
    this.answer.end();
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Item, undefined>> {
    try {
      await this.items.return?.();
    } finally {
      this.answer.end();
    }
    return { done: true, value: undefined };
  }
}

/**
 * What an answer holds besides its snapshot. The store knows its snapshots, and these know this, but not the
 * answer: so an answer that nobody knows any more, nor what reads from it, is collected.
 */
class Held {
  items: AsyncIterator<unknown> | null = null;
  /** Why the answer is not whole. */
  failure: SvcError | null = null;

  constructor(private readonly result: QueryResult) {}

  /** An encoder has memory of its own, which it gives up when it is left. */
  giveUp(failure: SvcError | null): void {
    this.failure = failure;
    this.result.close(failure);
    // It fails where its reading has failed, and who reads is told.
    this.items?.return?.().catch(() => undefined);
  }
}

/** Of answers that were collected before they were read or closed. */
const dropped = new FinalizationRegistry<StoreSnapshot>((snapshot) => snapshot.close());

/**
 * Answers that were made a moment ago. Nearly all are read and over before they are watched: the registry holds what
 * it watches until the next full collection, which is most of what a small query would cost.
 */
const young = new Set<Answer>();
const YOUNG_MS = 1000;
let isTimed = false;

export function watchSoon(answer: Answer): void {
  young.add(answer);
  if (isTimed) return;
  isTimed = true;
  setTimeout(watchYoung, YOUNG_MS).unref();
}

function watchYoung(): void {
  isTimed = false;
  for (const answer of young) answer.watch();
  young.clear();
}

export function holdIn(snapshot: StoreSnapshot, result: QueryResult): Held {
  const held = new Held(result);
  if (result.kind === 'ask') snapshot.close();
  else snapshot.beforeClose((failure) => held.giveUp(failure));
  return held;
}
