/**
 * Whether terms contain a text without regard to case. IRIs and the lexical forms of literals are looked into as they are
 * stored, block by block; a term beyond ASCII is folded as a text, since its letters may have other cases.
 */

import { KIND } from '../../storage/dictionary/stored-term.js';
import { isDictionaryTag, TAG } from '../../storage/ids/layout.js';
import { foldCase } from '../../storage/indexes/text/fold-case.js';
import type { IdColumn, StorageSnapshot, StoredTerms } from '../../storage/seam/scan.js';

const BEYOND_ASCII = /[^\0-\x7f]/;

export type Wanted = 'iris' | 'literals' | 'both';

export class Containment {
  readonly #text: string;
  readonly #isAscii: boolean;

  constructor(text: string) {
    this.#text = foldCase(text);
    this.#isAscii = !BEYOND_ASCII.test(this.#text);
  }

  /** 1 for each of the first `count` ids whose term is wanted and contains the text. */
  test(snapshot: StorageSnapshot, ids: IdColumn, count: number, wanted: Wanted): Uint8Array {
    const found = new Uint8Array(count);
    const [stored, inlined] = [new Uint32Array(count), new Uint32Array(count)];
    let [storedCount, inlinedCount] = [0, 0];
    for (let at = 0; at < count; at++) {
      const tag = (ids[2 * at + 1] as number) >>> 24;
      if (tag === TAG.blank || tag === TAG.triple || (tag === TAG.iri ? wanted === 'literals' : wanted === 'iris'))
        continue;
      if (isDictionaryTag(tag)) stored[storedCount++] = at;
      else inlined[inlinedCount++] = at;
    }
    if (storedCount > 0) {
      const places = stored.subarray(0, storedCount);
      snapshot.stored(picked(ids, places), storedCount, (terms) => this.#look(terms, places, found));
    }
    if (inlinedCount > 0) {
      const places = inlined.subarray(0, inlinedCount);
      const terms = snapshot.decode(picked(ids, places), inlinedCount);
      for (const [at, term] of terms.entries()) {
        if (this.isIn(term.value)) found[places[at] as number] = 1;
      }
    }
    return found;
  }

  isIn(text: string): boolean {
    return foldCase(text).includes(this.#text);
  }

  #look({ count, bytes, places, starts, ends }: StoredTerms, of: Uint32Array, found: Uint8Array): void {
    for (let at = 0; at < count; at++) {
      const end = ends[at] as number;
      const start = lexicalStart(bytes, starts[at] as number, end);
      if (this.#isWithin(bytes, start, end)) found[of[places[at] as number] as number] = 1;
    }
  }

  #isWithin(bytes: Buffer, start: number, end: number): boolean {
    if (isPlain(bytes, start, end)) {
      return this.#isAscii && bytes.toString('latin1', start, end).toLowerCase().includes(this.#text);
    }
    return this.isIn(bytes.toString('utf8', start, end));
  }
}

/** Behind the kind, and the qualifier of a literal that has one. */
function lexicalStart(bytes: Buffer, start: number, end: number): number {
  const kind = bytes[start] as number;
  if (kind < KIND.language || kind > KIND.typed) return start + 1;
  let at = start + 1;
  while (at < end && bytes[at] !== 0) at++;
  return at + 1;
}

function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] as number) >= 0x80) return false;
  return true;
}

function picked(ids: IdColumn, places: Uint32Array): IdColumn {
  const chosen = new Uint32Array(2 * places.length);
  for (let at = 0; at < places.length; at++) {
    const place = places[at] as number;
    chosen[2 * at] = ids[2 * place] as number;
    chosen[2 * at + 1] = ids[2 * place + 1] as number;
  }
  return chosen;
}
