/** Folding: whatever case a text is brought into, code point by code point or whole, what contains it contains it folded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldCase } from '../../../engine/storage/indexes/text/fold-case.js';

test('a code point folds as its upper and its lower case do', () => {
  const wrong: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const text = String.fromCodePoint(point);
    const folded = foldCase(text);
    if (
      foldCase(text.toLowerCase()) !== folded ||
      foldCase(text.toUpperCase()) !== folded ||
      foldCase(folded) !== folded
    ) {
      wrong.push(point.toString(16));
    }
  }
  assert.deepEqual(wrong, []);
});

test('parts of texts in any case stand folded in the folded texts', () => {
  const texts = ['Straße ΌΣΟΣ ὅσος', 'İstanbul DİYARBAKIR ılık', 'ﬁne ǅ ẞ K Å', 'Ελλάς ΕΛΛΆΣ', 'naïve NAÏVE'];
  for (const text of texts) {
    const points = [...text];
    for (let from = 0; from < points.length; from++) {
      for (let to = from + 1; to <= points.length; to++) {
        const part = points.slice(from, to).join('');
        for (const one of [part, part.toLowerCase(), part.toUpperCase()]) {
          assert.ok(foldCase(text).includes(foldCase(one)), `${one} in ${text}`);
        }
      }
    }
  }
});
