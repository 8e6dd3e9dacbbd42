/**
 * A number for each distinct id of a column, found from the stored bytes of its term and kept from batch to
 * batch: neither a term nor a string is made of what only its length or its language is asked for.
 */

import { keeping, threadMemory, whenGivenUp } from '../../kernels/thread-memory.js';
import { KIND, qualifierEnd } from '../../storage/dictionary/stored-term.js';
import type { IdColumn, StoredPart, StoredTerms } from '../../storage/seam/scan.js';
import { ByteArea } from '../terms/byte-area.js';
import { IdNumbers } from '../terms/id-numbers.js';
import type { BatchContext } from './batch-context.js';

/** Puts the number of each of the terms at its place. */
export type ReadFacts = (terms: StoredTerms, put: (place: number, fact: number) => void) => void;

export class StoredFacts {
  private readonly known = new IdNumbers();
  private entries = new Uint32Array(0);

  constructor(
    private readonly context: BatchContext,
    private readonly part: StoredPart,
    private readonly read: ReadFacts,
  ) {}

  /** Gives `take` the number of each row whose id is one of the dictionary with a wanted tag. */
  resolve(ids: IdColumn, rows: number, wanted: Uint8Array, take: (row: number, fact: number) => void): void {
    const { known } = this;
    known.begin();
    if (this.entries.length < rows) this.entries = new Uint32Array(rows);
    const { entries } = this;
    const first = known.count;
    for (let row = 0; row < rows; row++) {
      const high = ids[2 * row + 1] as number;
      entries[row] = wanted[high >>> 24] === 0 ? 0 : known.entryOf(ids[2 * row] as number, high);
    }
    if (known.count > first) this.find(first);
    for (let row = 0; row < rows; row++) {
      const entry = entries[row] as number;
      if (entry > 0) take(row, known.numbers[entry] as number);
    }
  }

  private find(first: number): void {
    const { known, context, part } = this;
    context.terms.stored(
      known.idsFrom(first),
      known.count - first,
      (terms) => {
        const { count, starts, ends } = terms;
        context.terms.scope.spend((ends[count - 1] as number) - (starts[0] as number) + count);
        this.read(terms, (place, fact) => {
          known.numbers[first + place] = fact;
        });
      },
      part,
    );
  }
}

const texts = new ByteArea();
const lengths = new ByteArea();
whenGivenUp(() => {
  texts.forget();
  lengths.forget();
});

/** Lengths of texts in code points. */
export const readLengths: ReadFacts = ({ bytes, count, places, starts, ends }, put) => {
  const from = starts[0] as number;
  const to = ends[count - 1] as number;
  const text = keeping(() => texts.reserve(to - from));
  const at = keeping(() => lengths.reserve(12 * count));
  const { bytes: all, words, kernels } = threadMemory();
  all.set(bytes.subarray(from, to), text);
  const first = at >>> 2;
  for (let index = 0; index < count; index++) {
    words[first + index] = (starts[index] as number) - from;
    words[first + count + index] = (ends[index] as number) - from;
  }
  kernels.textLengths(text, at, at + 4 * count, count, at + 8 * count);
  for (let index = 0; index < count; index++) put(places[index] as number, words[first + 2 * count + index] as number);
};

type ReadQualifier = (bytes: Buffer, start: number, end: number) => string;

/** Gives each qualifier of literals, as `read` has it, its number in a list that grows. */
function numberedBy(qualifiers: string[], read: ReadQualifier): ReadFacts {
  const numbers = new Map(qualifiers.map((qualifier, number) => [qualifier, number]));
  return ({ bytes, count, places, starts, ends }, put) => {
    let last = 0;
    for (let index = 0; index < count; index++) {
      const start = starts[index] as number;
      const qualifier = read(bytes, start, qualifierEnd(bytes, start, ends[index] as number));
      // Neighbours mostly have the same one.
      if (qualifiers[last] !== qualifier) {
        last = numbers.get(qualifier) ?? qualifiers.push(qualifier) - 1;
        numbers.set(qualifier, last);
      }
      put(places[index] as number, last);
    }
  };
}

/** Gives each datatype IRI of literals its number in a list that grows. */
export function datatypeReader(datatypes: string[]): ReadFacts {
  return numberedBy(datatypes, (bytes, start, end) => bytes.toString('utf8', start + 1, end));
}

/** Gives each language of literals its number in a list that grows. */
export function languageReader(languages: string[]): ReadFacts {
  return numberedBy(languages, (bytes, start, end) => {
    const tag = bytes.toString('latin1', start + 1, end);
    return bytes[start] === KIND.direction ? tag.slice(0, tag.lastIndexOf('--')) : tag;
  });
}
