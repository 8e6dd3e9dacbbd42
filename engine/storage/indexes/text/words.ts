/**
 * The words of a text, as the index keeps them.
 *
 * 1. A word is a run of letters, digits and marks (Unicode classes L, N, M), in NFC, without its case (`fold-case.ts`).
 * 2. A run in which a capital follows a small letter or a digit, as names in programs are written, is a word, and its parts
 *    are words behind it.
 * 3. In a run of Han, Hiragana and Katakana every two neighbours are a word, and the last character is one by itself: a
 *    query of one character finds it as the beginning of others.
 * 4. Thai, Lao, Khmer and Myanmar are cut by the dictionaries of ICU.
 * 5. Of a long word its first 64 bytes count.
 *
 * `WORDS_VERSION` changes with these rules; an index tells by which rules, and which ICU, it was made.
 */

import { foldCase } from './fold-case.js';

/** Of these rules, and of the data of ICU behind them. */
export const WORDS_VERSION = `1 unicode ${process.versions.unicode ?? 'none'} icu ${process.versions.icu ?? 'none'}`;

const WORD_BYTES_MAX = 64;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
const BEFORE_CAPITAL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u;
const BIGRAMS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc\u3005]+/gu;
const DICTIONARY = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const SPECIAL =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** By byte: 1 for small letters and digits of ASCII, 2 for capitals. */
const CASE = new Uint8Array(256);
for (let byte = 0; byte < 128; byte++) {
  const text = String.fromCharCode(byte);
  if (/[a-z0-9]/.test(text)) CASE[byte] = 1;
  else if (/[A-Z]/.test(text)) CASE[byte] = 2;
}

/** By byte: what it is in lower case where it is a letter or digit of ASCII, else 0; 255 for bytes above ASCII. */
const FOLDED = new Uint8Array(256).fill(255, 128);
for (let byte = 0; byte < 128; byte++) {
  const text = String.fromCharCode(byte);
  if (/[a-z0-9]/.test(text)) FOLDED[byte] = byte;
  else if (/[A-Z]/.test(text)) FOLDED[byte] = byte | 0x20;
}

const segmenters = new Map<string, Intl.Segmenter>();

function segmenter(): Intl.Segmenter {
  let known = segmenters.get('th');
  if (known === undefined) {
    known = new Intl.Segmenter('th', { granularity: 'word' });
    segmenters.set('th', known);
  }
  return known;
}

/** The words of a text in their sequence. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.normalize('NFC').matchAll(WORDS)) {
    const folded = foldWord(run);
    if (SPECIAL.test(run)) cutRun(folded, words);
    else {
      words.push(cutWord(folded));
      const parts = run.split(BEFORE_CAPITAL);
      if (parts.length > 1) for (const part of parts) words.push(cutWord(foldWord(part)));
    }
  }
  return words;
}

function foldWord(word: string): string {
  return foldCase(word).normalize('NFC');
}

/** A run with characters of scripts that are written without spaces. */
function cutRun(run: string, words: string[]): void {
  let at = 0;
  for (const match of run.matchAll(BIGRAMS)) {
    cutRest(run.slice(at, match.index), words);
    at = match.index + match[0].length;
    const characters = [...match[0]];
    for (let i = 0; i + 1 < characters.length; i++) words.push(`${characters[i]}${characters[i + 1]}`);
    words.push(characters[characters.length - 1] as string);
  }
  cutRest(run.slice(at), words);
}

function cutRest(rest: string, words: string[]): void {
  if (rest === '') return;
  if (!DICTIONARY.test(rest)) words.push(cutWord(rest));
  else {
    for (const { segment, isWordLike } of segmenter().segment(rest)) {
      if (isWordLike === true) words.push(cutWord(segment));
    }
  }
}

/** No more bytes than count, and no half character. */
function cutWord(word: string): string {
  if (3 * word.length <= WORD_BYTES_MAX || Buffer.byteLength(word) <= WORD_BYTES_MAX) return word;
  let cut = '';
  let bytes = 0;
  for (const character of word) {
    bytes += Buffer.byteLength(character);
    if (bytes > WORD_BYTES_MAX) break;
    cut += character;
  }
  return cut;
}

/** Reads the words of one text after another into the same memory, each with a byte in front of it. */
export class WordReader {
  /** The bytes of the words of the last text, one behind the other. */
  bytes = Buffer.allocUnsafe(4096);
  /** Where each ends. */
  ends = new Uint32Array(256);
  count = 0;
  readonly #mark: number;

  constructor(mark: number) {
    this.#mark = mark;
  }

  /** The text is UTF-8, in `[from, to)`. */
  read(source: Uint8Array, from: number, to: number): void {
    this.count = 0;
    if (this.bytes.length < 4 * (to - from) + 4) this.bytes = Buffer.allocUnsafe(8 * (to - from) + 4096);
    if (this.ends.length < 2 * (to - from) + 2) this.ends = new Uint32Array(4 * (to - from) + 256);
    const { bytes, ends } = this;
    const mark = this.#mark;
    let [at, begin, count] = [1, 0, 0];
    let capitals = 0;
    let runFrom = from;
    bytes[0] = mark;
    for (let i = from; i <= to; i++) {
      const byte = i < to ? (source[i] as number) : 0;
      const folded = FOLDED[byte] as number;
      if (folded === 255) {
        this.#readText(Buffer.from(source.buffer, source.byteOffset + from, to - from).toString('utf8'));
        return;
      }
      if (folded !== 0) {
        if (at === begin + 1) runFrom = i;
        else if (CASE[byte] === 2 && CASE[source[i - 1] as number] === 1) capitals++;
        if (at - begin <= WORD_BYTES_MAX) bytes[at++] = folded;
      } else if (at > begin + 1) {
        ends[count++] = at;
        begin = at;
        bytes[at++] = mark;
        if (capitals === 0) continue;
        // The parts of a name, each from a capital on.
        for (let p = runFrom; p < i; p++) {
          if (p > runFrom && CASE[source[p] as number] === 2 && CASE[source[p - 1] as number] === 1) {
            ends[count++] = at;
            begin = at;
            bytes[at++] = mark;
          }
          if (at - begin <= WORD_BYTES_MAX) bytes[at++] = FOLDED[source[p] as number] as number;
        }
        ends[count++] = at;
        begin = at;
        bytes[at++] = mark;
        capitals = 0;
      }
    }
    this.count = count;
  }

  #readText(text: string): void {
    const words = wordsOf(text);
    if (this.ends.length < words.length) this.ends = new Uint32Array(2 * words.length);
    let at = 0;
    for (const word of words) {
      const room = at + 1 + 4 * word.length;
      if (this.bytes.length < room) this.bytes = Buffer.concat([this.bytes], 2 * room);
      this.bytes[at++] = this.#mark;
      at += this.bytes.write(word, at);
      this.ends[this.count++] = at;
    }
  }
}
