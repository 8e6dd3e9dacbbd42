/**
 * Keys of words in the index: `w` and the word; and for texts in a language with a stemmer `s`, the language, a zero byte and
 * the stem, once for each word of the text. The stemmers are those of Snowball.
 */

import stemmers from 'snowball-stemmers';
import { getOrInsert } from '../../../base/maps.js';
import type { KeyCollector } from './key-collector.js';
import { WordReader } from './words.js';

const WORD = 0x77;
const STEM = 0x73;

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
  readonly #words = new WordReader();
  readonly #key = Buffer.allocUnsafe(512);
  /** Words of all texts so far. */
  words = 0;
  texts = 0;

  /** The text is UTF-8 in `[from, to)`; `tag`: its language, or empty. */
  add(collector: KeyCollector, doc: number, bytes: Buffer, from: number, to: number, tag: string): void {
    const reader = this.#words;
    reader.read(bytes, from, to);
    this.texts++;
    this.words += reader.count;
    collector.beginText();
    const key = this.#key;
    key[0] = WORD;
    const language = tag === '' ? null : stemmedLanguage(tag);
    const stems = language === null ? null : stemsOf(language);
    let stemAt = 0;
    if (stems !== null) {
      stemAt = 256;
      key[stemAt] = STEM;
      stemAt += 1 + key.write(`${language}\0`, stemAt + 1, 'latin1');
    }
    let begin = 0;
    for (let i = 0; i < reader.count; i++) {
      const end = reader.ends[i] as number;
      key.set(reader.bytes.subarray(begin, end), 1);
      collector.add(key, 0, 1 + end - begin, doc);
      if (stems !== null) {
        const stem = stems.of(reader.bytes.toString('utf8', begin, end));
        const length = key.write(stem, stemAt);
        collector.add(key, 256, stemAt + length, doc);
      }
      begin = end;
    }
    collector.endText(reader.count);
  }
}
