/**
 * Texts as they are compared with names: code points without their case, and where words may begin and end.
 *
 * Case is folded code point by code point, so that a place in the folded text has a place in the original one. A word is a
 * run of letters, digits and `_`, marks with what they stand on; between letters of scripts that are written without spaces
 * (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar) a word may begin and end anywhere.
 */

import { getOrInsert } from '../../base/maps.js';

const OTHER = 0;
const WORD = 1;
const UNSPACED = 2;
const MARK = 3;

const IS_MARK = /[\p{M}\u200c\u200d]/u;
const IS_UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const IS_WORD = /[\p{L}\p{N}_]/u;

interface Folded {
  readonly points: readonly number[];
  readonly kind: number;
}

/** Few of all code points ever occur. */
const known = new Map<number, Folded>();

function fold(point: number): Folded {
  return getOrInsert(known, point, () => {
    const text = String.fromCodePoint(point);
    const points = Array.from(text.toUpperCase().toLowerCase(), (one) => one.codePointAt(0) as number);
    const kind = IS_MARK.test(text) ? MARK : IS_UNSPACED.test(text) ? UNSPACED : IS_WORD.test(text) ? WORD : OTHER;
    return { points, kind };
  });
}

export class FoldedText {
  /** Code points without their case. */
  readonly points: Uint32Array;
  /** Of each of them the place of the code point that it came from. */
  readonly origins: Uint32Array;
  /** By place of an original code point, and at the end: 1 where a word may begin or end. */
  readonly bounds: Uint8Array;
  /** Original code points. */
  readonly length: number;

  constructor(text: string) {
    const points: number[] = [];
    const origins: number[] = [];
    const bounds: number[] = [];
    let before = OTHER;
    let length = 0;
    for (const character of text) {
      const { points: folded, kind } = fold(character.codePointAt(0) as number);
      bounds.push(length === 0 || (kind !== MARK && !(before === WORD && kind === WORD)) ? 1 : 0);
      if (kind !== MARK) before = kind;
      for (const point of folded) {
        points.push(point);
        origins.push(length);
      }
      length++;
    }
    bounds.push(1);
    this.points = Uint32Array.from(points);
    this.origins = Uint32Array.from(origins.concat(length));
    this.bounds = Uint8Array.from(bounds);
    this.length = length;
  }

  /** Whether a word may begin or end in front of a folded code point. */
  isBound(at: number): boolean {
    const origin = this.origins[at] as number;
    return this.bounds[origin] === 1 && (at === 0 || this.origins[at - 1] !== origin);
  }
}
