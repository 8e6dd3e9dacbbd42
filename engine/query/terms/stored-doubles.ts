/**
 * The numbers of doubles that the dictionary keeps (`1.5E300`; most others are their own ids), read from their stored
 * bytes once for each distinct id: neither a term nor a value is made of them.
 */

import { XSD } from '../../rdf/terms.js';
import { parseLexical } from '../../rdf/values/index.js';
import { lexicalStart } from '../../storage/dictionary/stored-term.js';
import { datatypeCode, TAG } from '../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';
import { IdNumbers } from './id-numbers.js';
import type { QueryScope } from './query-scope.js';

const DOUBLE = `${XSD}double`;
/** The upper 16 bits of their ids. */
const PREFIX = (TAG.typed << 8) | datatypeCode(DOUBLE);

export function isStoredDouble(high: number): boolean {
  return high >>> 16 === PREFIX;
}

export class StoredDoubles {
  private readonly known = new IdNumbers();
  /** By entry. */
  private values = new Float64Array(0);

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly scope: QueryScope,
  ) {}

  /** Looks for those among the first `rows` ids together; `numberOf` then finds them. */
  prepare(ids: IdColumn, rows: number): void {
    const { known } = this;
    known.begin();
    const first = known.count;
    for (let row = 0; row < rows; row++) {
      const high = ids[2 * row + 1] as number;
      if (isStoredDouble(high)) known.entryOf(ids[2 * row] as number, high);
    }
    if (known.count > first) this.find(first);
  }

  /** The number of such an id; NaN for NaN, and for what is written wrongly. */
  numberOf(low: number, high: number): number {
    const { known } = this;
    const before = known.count;
    const entry = known.entryOf(low, high);
    if (entry === before) this.find(before);
    return this.values[entry] as number;
  }

  private find(first: number): void {
    const { known, scope } = this;
    if (this.values.length < known.numbers.length) {
      const { values } = this;
      this.values = new Float64Array(known.numbers.length);
      this.values.set(values);
    }
    this.snapshot.stored(known.idsFrom(first), known.count - first, ({ bytes, count, places, starts, ends }) => {
      scope.spend((ends[count - 1] as number) - (starts[0] as number) + count);
      for (let index = 0; index < count; index++) {
        const end = ends[index] as number;
        const lexical = bytes.toString('latin1', lexicalStart(bytes, starts[index] as number, end), end);
        const value = parseLexical(DOUBLE, lexical);
        this.values[first + (places[index] as number)] = value.kind === 'double' ? value.value : Number.NaN;
      }
    });
  }
}
