/** Texts of words whose frequencies fall as those of a language do (Zipf), and queries of words that stand together in one. */

/** Distinct words. */
const WORDS = 200_000;
const SYLLABLES = [
  'ka',
  're',
  'to',
  'mi',
  'lo',
  'sen',
  'var',
  'din',
  'pu',
  'es',
  'gra',
  'not',
  'li',
  'am',
  'bor',
  'che',
];
const SEED = 20_261_128;

export class WordTexts {
  #state = SEED;

  /** From 0 to 1. */
  #random(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }

  #word(): string {
    let rank = Math.floor(Math.exp(this.#random() * Math.log(WORDS)));
    let word = '';
    do {
      word += SYLLABLES[rank % SYLLABLES.length];
      rank = Math.floor(rank / SYLLABLES.length);
    } while (rank > 0);
    return word;
  }

  /** One to nine words. */
  next(): string {
    const count = 1 + Math.floor(this.#random() * 9);
    const text = Array.from({ length: count }, () => this.#word()).join(' ');
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  /** One to three words of one of some texts. */
  query(texts: readonly string[]): string {
    const words = (texts[Math.floor(this.#random() * texts.length)] as string).toLowerCase().split(' ');
    const count = 1 + Math.floor(this.#random() * 3);
    return Array.from({ length: count }, () => words[Math.floor(this.#random() * words.length)]).join(' ');
  }

  /** Four to twelve characters in a row of one of some texts. */
  part(texts: readonly string[]): string {
    const text = texts[Math.floor(this.#random() * texts.length)] as string;
    const length = Math.min(text.length, 4 + Math.floor(this.#random() * 9));
    const from = Math.floor(this.#random() * (text.length - length + 1));
    return text.slice(from, from + length);
  }
}
