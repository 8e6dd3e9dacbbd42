/**
 * Keys of words in the index: `w` and the word; and for texts in a language with a stemmer `s`, the language, a zero byte and
 * the stem, once for each word of the text. The stemmers are those of Snowball.
 */

import stemmers from 'snowball-stemmers';
import { getOrInsert } from '../../../base/maps.js';
import type { KeyCollector } from './key-collector.js';
import { WordReader } from './words.js';

const WORD = 0x77;

/** By primary language subtag. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  ar: 'arabic',
  da: 'danish',
  de: 'german',
  en: 'english',
  es: 'spanish',
  fi: 'finnish',
  fr: 'french',
  hu: 'hungarian',
  it: 'italian',
  nb: 'norwegian',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sv: 'swedish',
  tr: 'turkish',
};

interface Stemmer {
  stem(word: string): string;
}

/** Stems that are remembered of each language. */
const STEMS_MAX = 200_000;

class Stems {
  readonly #stemmer: Stemmer;
  #known = new Map<string, string>();

  constructor(algorithm: string) {
    this.#stemmer = stemmers.newStemmer(algorithm) as Stemmer;
  }

  of(word: string): string {
    if (this.#known.size > STEMS_MAX) this.#known = new Map();
    return getOrInsert(this.#known, word, () => this.#stemmer.stem(word));
  }
}

const known = new Map<string, Stems | null>();

function stemsOf(language: string): Stems | null {
  return getOrInsert(known, language, () => {
    const algorithm = ALGORITHMS[language];
    return algorithm === undefined ? null : new Stems(algorithm);
  });
}

/** The primary subtag of a tag, if its language has a stemmer. */
export function stemmedLanguage(tag: string): string | null {
  const language = tag.split('-', 1)[0]?.toLowerCase() ?? '';
  return language in ALGORITHMS ? language : null;
}

export const STEMMED_LANGUAGES: readonly string[] = Object.keys(ALGORITHMS);

export function wordKey(word: string): Buffer {
  return Buffer.from(`w${word}`);
}

/** What begins every key of a stem of a language. */
export function stemPrefix(language: string): Buffer {
  return Buffer.from(`s${language}\0`);
}

export function stemKey(language: string, word: string): Buffer {
  return Buffer.from(`s${language}\0${stemsOf(language)?.of(word) ?? word}`);
}

/** Adds the keys of one literal after another to a collector. */
export class WordKeys {
  readonly #collector: KeyCollector;
  readonly #words = new WordReader(WORD);
  readonly #stems = new Map<string, StemIds | null>();
  /** Words of all texts so far. */
  words = 0;
  texts = 0;

  constructor(collector: KeyCollector) {
    this.#collector = collector;
  }

  /** The text is UTF-8 in `[from, to)`; `tag`: its language, or empty. */
  add(doc: number, bytes: Buffer, from: number, to: number, tag: string): void {
    const reader = this.#words;
    const collector = this.#collector;
    reader.read(bytes, from, to);
    this.texts++;
    this.words += reader.count;
    collector.beginText();
    const stems = tag === '' ? null : this.#stemsOf(tag);
    let begin = 0;
    for (let i = 0; i < reader.count; i++) {
      const end = reader.ends[i] as number;
      const key = collector.add(reader.bytes, begin, end, doc);
      if (stems !== null) collector.addId(stems.of(key, reader.bytes, begin, end), doc);
      begin = end;
    }
    collector.endText(reader.count);
  }

  #stemsOf(tag: string): StemIds | null {
    return getOrInsert(this.#stems, tag, () => {
      const language = stemmedLanguage(tag);
      return language === null ? null : new StemIds(language, this.#collector);
    });
  }
}

/** Keys of the stems of words by the keys of the words: each word is stemmed once. */
class StemIds {
  readonly #language: string;
  readonly #collector: KeyCollector;
  /** By key, one more than that of its stem; 0 = not known yet. */
  #known = new Uint32Array(1 << 12);

  constructor(language: string, collector: KeyCollector) {
    this.#language = language;
    this.#collector = collector;
  }

  /** The word stands behind a byte, in `[from, to)`. */
  of(key: number, bytes: Buffer, from: number, to: number): number {
    if (key >= this.#known.length) {
      const larger = new Uint32Array(2 * key);
      larger.set(this.#known);
      this.#known = larger;
    }
    const known = this.#known[key] as number;
    if (known !== 0) return known - 1;
    const stem = stemKey(this.#language, bytes.toString('utf8', from + 1, to));
    const id = this.#collector.idFor(stem);
    this.#known[key] = id + 1;
    return id;
  }
}
