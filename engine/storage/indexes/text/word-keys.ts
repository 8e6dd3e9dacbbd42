/**
 * Keys of words in the index, and the other forms of a word: those with the same stem in a language. Stems are found when a
 * question is asked, among the words that begin as the stem does, so that the index needs nothing for them. The stemmers are
 * those of Snowball.
 */

import { createRequire } from 'node:module';
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

type Library = typeof import('snowball-stemmers').default;

const require = createRequire(import.meta.url);
let loaded: Library | undefined;

/** The package is as large as all that a query needs besides: it waits for the first question about a word. */
function library(): Library {
  loaded ??= require('snowball-stemmers') as Library;
  return loaded;
}

/** Stems that are remembered of each language. */
const STEMS_MAX = 200_000;

class Stems {
  readonly #stemmer: Stemmer;
  #known = new Map<string, string>();

  constructor(algorithm: string) {
    this.#stemmer = library().newStemmer(algorithm) as Stemmer;
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

/** What texts without a language are taken for. */
export const LANGUAGE_OF_NONE = 'en';

/** Of what a stem begins with, its last letter may be another in a form of the word; shorter ones begin too many words. */
const STEM_HEAD_MIN = 3;

/** What the forms of a word begin with, and whether another word is one; null = the language gives none. */
export interface WordForms {
  readonly head: string;
  isForm(word: string): boolean;
}

export function formsOf(language: string, word: string): WordForms | null {
  const stems = stemsOf(language);
  if (stems === null) return null;
  const stem = stems.of(word);
  const head = stem.length > STEM_HEAD_MIN ? stem.slice(0, -1) : stem;
  if (head.length < STEM_HEAD_MIN || !word.startsWith(head)) return null;
  return { head, isForm: (other) => other !== word && stems.of(other) === stem };
}

export function wordKey(word: string): Buffer {
  return Buffer.from(`w${word}`);
}

/** Adds the keys of one literal after another to a collector. */
export class WordKeys {
  readonly #collector: KeyCollector;
  readonly #words = new WordReader(WORD);
  readonly #tags = new Set<string>();
  /** Words of all texts so far. */
  words = 0;
  texts = 0;

  constructor(collector: KeyCollector) {
    this.#collector = collector;
  }

  /** Languages of the texts that have a stemmer. */
  get languages(): readonly string[] {
    const languages = [...this.#tags].map(stemmedLanguage).filter((language) => language !== null);
    return [...new Set(languages)].sort();
  }

  /** The text is UTF-8 in `[from, to)`; `tag`: its language, or empty. */
  add(doc: number, bytes: Buffer, from: number, to: number, tag: string): void {
    const reader = this.#words;
    const collector = this.#collector;
    reader.read(bytes, from, to);
    if (tag !== '') this.#tags.add(tag);
    this.texts++;
    this.words += reader.count;
    collector.beginText();
    let begin = 0;
    for (let i = 0; i < reader.count; i++) {
      const end = reader.ends[i] as number;
      collector.add(reader.bytes, begin, end, doc);
      begin = end;
    }
    collector.endText(reader.count);
  }
}
