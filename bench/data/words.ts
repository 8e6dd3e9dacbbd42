/**
 * Made-up words and texts in several scripts, so that literals have the bytes of real ones: one to
 * three a letter, language tags, now and then a quotation mark or a line break to be escaped.
 */
import type { Random } from './random.js';

const CONSONANTS = [...'bcdfghklmnprstvz', 'st', 'tr', 'sh', 'pl'];
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  en: combine(CONSONANTS, [...'aeiou']),
  de: combine(CONSONANTS, [...'aeiouäöü', 'ei']),
  fr: combine(CONSONANTS, [...'aeiouéèô', 'ou']),
  es: combine(CONSONANTS, [...'aeioáíñ']),
  ru: combine([...'бвгдзклмнпрст'], [...'аеиоуы']),
  ja: [...'あいうえかきくけこさしすせたちつてとなにのはひふまみむめもやゆよらりるれわん'],
  zh: [...'天地人大小上下中国山水火木金土日月年时分明东西南北学生工作电话书车马门'],
  ko: [...'가나다라마바사아자차카타파하고노도로모보소오조초기니디리미비시이지'],
};
export const LANGUAGES: readonly string[] = Object.keys(SCRIPTS);

const ENDINGS = ['', '', '', 'n', 'r', 's', 't', 'l'];

function combine(first: readonly string[], second: readonly string[]): string[] {
  return first.flatMap((a) => second.map((b) => a + b));
}

export class Words {
  readonly #random: Random;
  readonly #words = new Map<string, readonly string[]>();

  /** `size` different words per language. */
  constructor(random: Random, size: number, languages: readonly string[]) {
    this.#random = random;
    for (const language of languages) this.#words.set(language, makeWords(random, size, language));
  }

  word(language = 'en'): string {
    return this.#random.choice(this.#words.get(language) as readonly string[]);
  }

  name(): string {
    const word = this.word();
    return (word[0] as string).toUpperCase() + word.slice(1);
  }

  /** Between `from` and `to` (exclusive) words. */
  text(from: number, to: number, language = 'en'): string {
    const random = this.#random;
    const words = this.#words.get(language) as readonly string[];
    let text = random.choice(words);
    for (let rest = random.between(from, to) - 1; rest > 0; rest--) text += ` ${random.choice(words)}`;
    if (text.length > 100 && random.happens(0.05)) text += random.happens(0.5) ? ` "${this.word()}"` : '\n';
    return text;
  }
}

function makeWords(random: Random, size: number, language: string): string[] {
  const syllables = SCRIPTS[language] as readonly string[];
  const alphabetic = (syllables[0] as string).length > 1;
  const words = new Set<string>();
  while (words.size < size) {
    let word = '';
    for (let rest = random.between(2, 5); rest > 0; rest--) word += random.choice(syllables);
    words.add(alphabetic && language !== 'ru' ? word + random.choice(ENDINGS) : word);
  }
  return [...words];
}
