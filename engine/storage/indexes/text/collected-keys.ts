/** Answers of what a collector has gathered, as a segment; made anew when it has gathered more. */

import { getOrInsert } from '../../../base/maps.js';
import type { KeyCollector } from './key-collector.js';
import type { Postings } from './postings.js';
import type { TextSegment } from './segment-reader.js';

export class CollectedKeys {
  readonly #collector: KeyCollector;
  readonly #postings = new Map<number, Postings>();
  readonly #made = new Map<string, object>();
  #sorted: Buffer[] | null = null;

  constructor(collector: KeyCollector) {
    this.#collector = collector;
  }

  /** What stands below the number `to`. `texts`, `words`: of all of it. */
  segment(to: number, { texts, words, languages }: Pick<TextSegment, 'texts' | 'words' | 'languages'>): TextSegment {
    const { from } = this.#collector;
    const cut = (postings: Postings): Postings | null => {
      const { docs, impacts } = postings;
      let count = docs.length;
      while (count > 0 && (docs[count - 1] as number) >= to - from) count--;
      if (count === docs.length) return postings;
      return count === 0 ? null : { docs: docs.subarray(0, count), impacts: impacts?.subarray(0, count) ?? null, from };
    };
    return {
      from,
      to,
      texts,
      words,
      languages,
      kept: (name, make) => getOrInsert(this.#made, `${name} ${to}`, make) as ReturnType<typeof make>,
      find: (key) => {
        const id = this.#collector.idOf(key);
        return id === null ? null : cut(this.#postingsOf(id));
      },
      keysFrom: (prefix, take) => {
        for (const key of this.#keysSorted(prefix)) {
          const postings = cut(this.#postingsOf(this.#collector.idOf(key) as number));
          if (postings !== null) take(key, key.length, () => postings);
        }
      },
    };
  }

  #postingsOf(id: number): Postings {
    return getOrInsert(this.#postings, id, () => this.#collector.postingsOf(id));
  }

  #keysSorted(prefix: Buffer): Buffer[] {
    this.#sorted ??= Array.from({ length: this.#collector.keys }, (_, id) => this.#collector.keyAt(id)).sort((a, b) =>
      a.compare(b),
    );
    const sorted = this.#sorted;
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] as Buffer).compare(prefix) < 0) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (end < sorted.length && (sorted[end] as Buffer).subarray(0, prefix.length).equals(prefix)) end++;
    return sorted.slice(low, end);
  }
}
