/**
 * Quads that a program hands over, held to the rules of documents, in batches. There are no bytes to
 * hash: the scope of their blank nodes is the hash of the terms in their order, so that the same quads again are the
 * same nodes again.
 */

import { createHash } from 'node:crypto';
import { SvcError } from '../../base/errors.js';
import { abandon, interruptible } from '../../base/interruptible.js';
import { DocumentBlankNodes } from '../../rdf/blank-node-scope.js';
import { CheckedTerms } from '../../rdf/checked-terms.js';
import type { Quad } from '../../rdf/terms.js';

const BATCH_QUADS = 1024;

export class CheckedQuads {
  readonly #iterator: AsyncIterator<Quad>;
  readonly #checked: CheckedTerms;
  readonly #hash = createHash('sha256');
  /** Read ahead for the hash, not yet delivered. */
  #waiting: Quad[] = [];
  #ended = false;

  constructor(
    quads: Iterable<Quad> | AsyncIterable<Quad>,
    name: string,
    bytesMax: number | undefined,
    signal?: AbortSignal,
  ) {
    this.#iterator = interruptible(iterate(quads), signal, 'the load');
    this.#checked = new CheckedTerms(new DocumentBlankNodes(), name, bytesMax);
    if (typeof quads !== 'object' || quads === null) {
      throw new SvcError('invalid_request', `${name}: quads are given as an iterable or a stream`);
    }
  }

  async *batches(): AsyncGenerator<readonly Quad[]> {
    for (;;) {
      if (this.#waiting.length === 0 && !(await this.#pull(BATCH_QUADS))) return;
      const batch = this.#waiting;
      this.#waiting = [];
      yield batch;
    }
  }

  async #pull(most: number): Promise<boolean> {
    for (let i = 0; i < most && !this.#ended; i++) {
      const { done, value } = await this.#iterator.next();
      if (done) {
        this.#ended = true;
        break;
      }
      const quad = this.#checked.quad(value);
      this.#hash.update(JSON.stringify(quad));
      this.#waiting.push(quad);
    }
    return this.#waiting.length > 0;
  }

  /** Tells the source that nothing more is wanted. */
  close(): void {
    abandon(this.#iterator);
  }

  /** Reads to the end, keeping what was not delivered yet. */
  async sha256(): Promise<string> {
    while (!this.#ended) await this.#pull(BATCH_QUADS);
    return this.#hash.copy().digest('hex');
  }
}

async function* iterate(quads: Iterable<Quad> | AsyncIterable<Quad>): AsyncGenerator<Quad> {
  yield* quads;
}
