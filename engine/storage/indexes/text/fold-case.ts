/**
 * Texts without their case, code point by code point, so that what a part of a text becomes does not depend on what stands
 * around it: a text that contains another, as it is or in any case, contains it folded too. The mapping is lower case of upper
 * case of lower case (Unicode, section 3.13), which takes letters together that only one of the directions joins.
 */

import { getOrInsert } from '../../../base/maps.js';

const NOT_ASCII = /[^\0-\x7f]/;
const known = new Map<string, string>();

function foldOne(character: string): string {
  return getOrInsert(known, character, () => character.toLowerCase().toUpperCase().toLowerCase());
}

export function foldCase(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += foldOne(character);
  return folded;
}
