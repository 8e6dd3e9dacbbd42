/**
 * The order of ORDER BY between rows of sorted runs: the same as within a run. Equal ids tie, inlined
 * numbers are compared as such, and terms are decoded a small batch of a run at a time, when they are
 * needed.
 */

import { TAG } from '../../../storage/ids/layout.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import type { SortKey } from '../../algebra/algebra.js';
import type { QueryBatch } from '../../runtime/batch.js';
import type { MemoryCounter } from '../../runtime/memory.js';
import type { RunHead, RunOrder } from '../../runtime/spill/merge-runs.js';
import type { QueryTerms } from '../../terms/terms.js';
import { bytesOfTerm, KeyTerm, sortNumber, TERM_BYTES } from './key-encoder.js';

interface DecodedKey {
  readonly terms: readonly KeyTerm[];
  readonly bytes: number;
}

export class SortRunOrder implements RunOrder {
  readonly bytesPerRow: number;
  /** By the number of the head, then by key; null = not decoded yet. */
  private readonly decoded: (DecodedKey | null)[][] = [];

  constructor(
    private readonly keys: readonly SortKey[],
    /** Columns before the keys. */
    private readonly width: number,
    private readonly terms: QueryTerms,
    private readonly memory: MemoryCounter,
  ) {
    this.bytesPerRow = keys.length * TERM_BYTES;
  }

  load(head: RunHead): void {
    for (const key of this.decoded[head.number] ?? []) if (key !== null) this.memory.give(key.bytes);
    this.decoded[head.number] = this.keys.map(() => null);
  }

  compare(a: RunHead, b: RunHead): number {
    for (let key = 0; key < this.keys.length; key++) {
      const order = this.compareKey(key, a, b);
      if (order !== 0) return this.keys[key]?.descending ? -order : order;
    }
    return 0;
  }

  private compareKey(key: number, a: RunHead, b: RunHead): number {
    const columnA = this.columnOf(key, a);
    const columnB = this.columnOf(key, b);
    const lowA = columnA[2 * a.row] as number;
    const highA = columnA[2 * a.row + 1] as number;
    const lowB = columnB[2 * b.row] as number;
    const highB = columnB[2 * b.row + 1] as number;
    if (lowA === lowB && highA === highB) return 0;
    if (!mixesDecimals(highA >>> 24, highB >>> 24)) {
      const numberA = sortNumber('numbers', lowA, highA);
      const numberB = sortNumber('numbers', lowB, highB);
      if (numberA < numberB) return -1;
      if (numberA > numberB) return 1;
      if (numberA === numberB) return 0;
    }
    return this.decode(key, a).compare(this.decode(key, b));
  }

  private columnOf(key: number, head: RunHead): IdColumn {
    return (head.batch as QueryBatch).columns[this.width + key] as IdColumn;
  }

  private decode(key: number, head: RunHead): KeyTerm {
    const keys = this.decoded[head.number] as (DecodedKey | null)[];
    const decoded = keys[key] ?? this.decodeBatch(key, head);
    keys[key] = decoded;
    return decoded.terms[head.row] as KeyTerm;
  }

  private decodeBatch(key: number, head: RunHead): DecodedKey {
    const terms = this.terms.decode(this.columnOf(key, head), (head.batch as QueryBatch).rows);
    const bytes = terms.reduce((sum, term) => sum + bytesOfTerm(term), 0);
    this.memory.take(bytes);
    return { terms: Array.from(terms, (term) => new KeyTerm(term)), bytes };
  }
}

/** A decimal and a double that meet as doubles may differ all the same. */
function mixesDecimals(a: number, b: number): boolean {
  return (a === TAG.decimal && isBinary(b)) || (b === TAG.decimal && isBinary(a));
}

function isBinary(tag: number): boolean {
  return tag === TAG.double || tag === TAG.float;
}
