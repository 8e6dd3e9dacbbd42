/**
 * A number for each distinct id of a column, found from the stored bytes of its term and kept from batch to
 * batch: neither a term nor a string is made of what only its length, its language or its number is asked for.
 */

import { XSD } from '../../rdf/terms.js';
import { parseLexical } from '../../rdf/values/index.js';
import { lexicalStart } from '../../storage/dictionary/stored-term.js';
import { datatypeCode, TAG } from '../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot, StoredPart, StoredTerms } from '../../storage/seam/scan.js';
import { IdNumbers } from './id-numbers.js';
import type { QueryScope } from './query-scope.js';

/** Puts the number of each of the terms at its place. */
export type ReadFacts = (terms: StoredTerms, put: (place: number, fact: number) => void) => void;

export class StoredFacts {
  private readonly known = new IdNumbers();
  private entries = new Uint32Array(0);

  constructor(
    private readonly snapshot: Pick<StorageSnapshot, 'stored'>,
    private readonly scope: QueryScope,
    private readonly read: ReadFacts,
    /** By the upper 16 bits of an id: whether it is one of the dictionary that is asked for. */
    private readonly wanted: Uint8Array,
    private readonly part: StoredPart = 'whole',
  ) {}

  /** Looks for the wanted ones among the first `rows` ids together; `factOf` then finds them. */
  prepare(ids: IdColumn, rows: number): void {
    const { known, wanted } = this;
    known.begin();
    if (this.entries.length < rows) this.entries = new Uint32Array(rows);
    const { entries } = this;
    const first = known.count;
    for (let row = 0; row < rows; row++) {
      const high = ids[2 * row + 1] as number;
      entries[row] = wanted[high >>> 16] === 0 ? 0 : known.entryOf(ids[2 * row] as number, high);
    }
    if (known.count > first) this.find(first);
  }

  /** Gives `take` the number of each row whose id is wanted. */
  resolve(ids: IdColumn, rows: number, take: (row: number, fact: number) => void): void {
    this.prepare(ids, rows);
    for (let row = 0; row < rows; row++) {
      const entry = this.entries[row] as number;
      if (entry > 0) take(row, this.known.numbers[entry] as number);
    }
  }

  factOf(low: number, high: number): number {
    const { known } = this;
    const before = known.count;
    const entry = known.entryOf(low, high);
    if (entry === before) this.find(before);
    return known.numbers[entry] as number;
  }

  private find(first: number): void {
    const { known, scope, part } = this;
    const take = (terms: StoredTerms): void => {
      const { count, starts, ends } = terms;
      scope.spend((ends[count - 1] as number) - (starts[0] as number) + count);
      this.read(terms, (place, fact) => {
        known.numbers[first + place] = fact;
      });
    };
    this.snapshot.stored(known.idsFrom(first), known.count - first, take, part);
  }
}

/** Of the ids with these tags, for `wanted`. */
export function prefixesOf(tags: readonly number[]): Uint8Array {
  return Uint8Array.from({ length: 2 ** 16 }, (_, prefix) => Number(tags.includes(prefix >>> 8)));
}

const DOUBLE = `${XSD}double`;
/** The upper 16 bits of the ids of doubles that the dictionary keeps (`1.5E300`; most others are their own ids). */
const DOUBLE_PREFIX = (TAG.typed << 8) | datatypeCode(DOUBLE);

export function isStoredDouble(high: number): boolean {
  return high >>> 16 === DOUBLE_PREFIX;
}

/** The numbers of stored doubles; NaN for NaN, and for what is written wrongly. */
export function storedDoubles(snapshot: StorageSnapshot, scope: QueryScope): StoredFacts {
  return new StoredFacts(snapshot, scope, readDoubles, DOUBLES);
}

const DOUBLES = new Uint8Array(2 ** 16);
DOUBLES[DOUBLE_PREFIX] = 1;

const readDoubles: ReadFacts = ({ bytes, count, places, starts, ends }, put) => {
  for (let index = 0; index < count; index++) {
    const end = ends[index] as number;
    const value = parseLexical(
      DOUBLE,
      bytes.toString('latin1', lexicalStart(bytes, starts[index] as number, end), end),
    );
    put(places[index] as number, value.kind === 'double' ? value.value : Number.NaN);
  }
};
