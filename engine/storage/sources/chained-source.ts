/** Sources one after the other, for scans that need no order. */

import { invariant } from '../../base/errors.js';
import type { PackedScan } from '../seam/packed-scan.js';
import type { RowSource, SourceBatch } from './row-source.js';
import { ChainedBlocks, PACKED_TESTS_MAX } from './run-blocks.js';

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

  packed(): PackedScan | null {
    const scans: PackedScan[] = [];
    for (const source of this.#sources) {
      const scan = source.packed?.() ?? null;
      if (scan !== null) scans.push(scan);
    }
    const tests = scans.reduce((sum, scan) => sum + scan.tests.length, 0);
    if (scans.length === this.#sources.length && tests <= PACKED_TESTS_MAX) return new ChainedBlocks(scans);
    for (const scan of scans) scan.close();
    return null;
  }

  seek(): void {
    invariant(false, 'a scan without order is not sought in');
  }

  close(): void {
    for (const source of this.#sources) source.close();
  }
}
