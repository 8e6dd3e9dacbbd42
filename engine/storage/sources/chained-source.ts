/** Sources one after the other, for scans that need no order. */

import { invariant } from '../../base/errors.js';
import type { RowSource, SourceBatch } from './row-source.js';

export class ChainedSource implements RowSource {
  readonly #sources: readonly RowSource[];
  #at = 0;

  constructor(sources: readonly RowSource[]) {
    this.#sources = sources;
  }

  next(): SourceBatch | null {
    for (; this.#at < this.#sources.length; this.#at++) {
      const batch = (this.#sources[this.#at] as RowSource).next();
      if (batch !== null) return batch;
    }
    return null;
  }

  seek(): void {
    invariant(false, 'a scan without order is not sought in');
  }

  close(): void {
    for (const source of this.#sources) source.close();
  }
}
