/**
 * The texts of a snapshot's store, to be searched: the text index of a file, or, of a store without one, what its terms hold,
 * read once for each state. Both are over all terms of the store: what may be seen of them, and when, rows tell.
 */

import { isDictionaryTag, type TermId, tagOf } from '../../storage/ids/layout.js';
import type { FileView } from '../../storage/indexes/secondary-index.js';
import { DUE_TERMS } from '../../storage/indexes/text/build-texts.js';
import { CollectedKeys } from '../../storage/indexes/text/collected-keys.js';
import { foldCase } from '../../storage/indexes/text/fold-case.js';
import { KeyCollector } from '../../storage/indexes/text/key-collector.js';
import type { Pace } from '../../storage/indexes/text/pace.js';
import { WORTH_UNIT } from '../../storage/indexes/text/rank.js';
import { rankTexts, type TextQueryOptions } from '../../storage/indexes/text/rank-texts.js';
import { TEXT } from '../../storage/indexes/text/text-index.js';
import { parseTextQuery } from '../../storage/indexes/text/text-query.js';
import type { RankedTexts, TextReader } from '../../storage/indexes/text/text-reader.js';
import { coveredTo, readTextState } from '../../storage/indexes/text/text-store.js';
import { WordKeys } from '../../storage/indexes/text/word-keys.js';
import { decodeIds, idIn, readRows } from '../../storage/seam/rows.js';
import type { IdColumn, IndexView, StorageSnapshot } from '../../storage/seam/scan.js';
import { idSet } from './entity-set.js';

/** What of a `TextReader` a search asks. */
export type Texts = Pick<TextReader, 'best' | 'containing' | 'bitOf'>;

export function textsOf(snapshot: StorageSnapshot): Texts {
  const view = snapshot.indexView();
  if (isOfFile(view)) return TEXT.at(view);
  return snapshot.derived('texts of all terms', () => new ReadTexts(snapshot));
}

/** Somebody has said whether the store has an index of its texts; one without a file has none. */
export function isIndexDecided(snapshot: StorageSnapshot): boolean {
  const view = snapshot.indexView();
  return !isOfFile(view) || TEXT.at(view).isDecided;
}

/** So many texts are in no index that each search is slow by them, and nobody has said whether there is to be one. */
export function lacksIndex(snapshot: StorageSnapshot): boolean {
  const view = snapshot.indexView();
  if (!isOfFile(view)) return false;
  const state = readTextState(view.file, view.transaction);
  return state.isDecided !== true && view.head.nextTermNumber - coveredTo(state, 'words') >= DUE_TERMS;
}

/** Some graphs of the store may not be read: figures of all of them must not show. */
export function isNarrowed(snapshot: StorageSnapshot): boolean {
  return snapshot.indexView().isNarrowed === true;
}

function isOfFile(view: IndexView): view is FileView {
  return 'dictionary' in view;
}

/** The texts of all rows of a state, of every time and graph. */
class ReadTexts implements Texts {
  readonly #terms: readonly { readonly id: TermId; readonly text: string; readonly isIri: boolean }[];
  readonly #keys: WordKeys;
  readonly #asked: CollectedKeys;

  constructor(snapshot: StorageSnapshot) {
    const ids = new Set<TermId>();
    const all = { graphs: { kind: 'all' }, pattern: {}, time: { kind: 'all' }, columns: ['s', 'p', 'o'] } as const;
    for (const batch of readRows(snapshot, all)) {
      for (const name of ['s', 'p', 'o'] as const) {
        const column = batch.column(name);
        for (let row = 0; row < batch.rows; row++) ids.add(idIn(column, row));
      }
    }
    const sorted = [...ids].filter((id) => isDictionaryTag(tagOf(id))).sort((a, b) => numberOf(a) - numberOf(b));
    const collector = new KeyCollector(0, { impacts: true, asked: true });
    this.#keys = new WordKeys(collector);
    const terms: { id: TermId; text: string; isIri: boolean }[] = [];
    for (const [at, term] of decodeIds(snapshot, sorted).entries()) {
      if (term.termType !== 'Literal' && term.termType !== 'NamedNode') continue;
      const isIri = term.termType === 'NamedNode';
      const doc = terms.push({ id: sorted[at] as TermId, text: term.value, isIri }) - 1;
      if (isIri) continue;
      const bytes = Buffer.from(term.value);
      this.#keys.add(doc, bytes, 0, bytes.length, term.language);
    }
    this.#terms = terms;
    this.#asked = new CollectedKeys(collector);
  }

  bitOf(ids: Iterable<TermId>): Uint32Array {
    const wanted = new Set(ids);
    const bits = new Uint32Array((this.#terms.length >>> 5) + 1);
    for (const [doc, { id }] of this.#terms.entries()) {
      if (wanted.has(id)) bits[doc >>> 5] = (bits[doc >>> 5] as number) | (1 << (doc & 31));
    }
    return bits;
  }

  best(query: string, limit: number, options: TextQueryOptions, pace: Pace): RankedTexts {
    const segments = [this.#asked.segment(this.#terms.length, this.#keys)];
    const most = Math.min(limit, this.#terms.length);
    const best = rankTexts({
      clauses: parseTextQuery(query),
      segments,
      limit: most,
      pace,
      verify: (docs, _from, take) => {
        for (const doc of docs) take(doc, () => this.#terms[doc]?.text ?? '');
      },
      ...options,
    });
    const ranked = best.sorted();
    return {
      ids: ranked.map(({ number }) => (this.#terms[number] as { readonly id: TermId }).id),
      scores: Float64Array.from(ranked, ({ worth }) => worth / WORTH_UNIT),
      isAll: best.count < most || most < limit,
    };
  }

  containing(text: string, kinds: 'literals' | 'iris' | 'both', pace: Pace): IdColumn {
    const folded = foldCase(text);
    pace();
    const found = this.#terms
      .filter(({ isIri }) => kinds === 'both' || isIri === (kinds === 'iris'))
      .filter((term) => foldCase(term.text).includes(folded));
    return idSet(found.map(({ id }) => id));
  }
}

const NUMBER_MASK = 0xffff_ffff_ffffn;

function numberOf(id: TermId): number {
  return Number(id & NUMBER_MASK);
}
