/** Texts of terms in lines of a content hash: kernel = twin = the canonical form of the term. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KIND } from '../../engine/storage/dictionary/stored-term.js';
import { textOfStored } from '../../engine/storage/packs/canonical-text.js';
import { Areas } from './areas.js';
import { type LineTerm, lineText, storedLineTerm } from './twins/line-texts.js';
import { RUNS } from './values.js';

const areas = new Areas();
const SLACK = 16;
const FRAME = 16;

const lexical = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .tuple(
      fc.nat({ max: 40 }),
      fc.constantFrom('"', '\\', '\n', '\u007f', '\ufffe', 'ä', '\u{1F600}', 'z'),
      fc.nat({ max: 20 }),
    )
    .map(([before, char, after]) => `${'a'.repeat(before)}${char}${'b'.repeat(after)}`),
);
const term: fc.Arbitrary<LineTerm> = fc
  .record({
    kind: fc.constantFrom(KIND.iri, KIND.blank, KIND.string, KIND.language, KIND.direction, KIND.typed),
    tag: fc.constantFrom('en', 'de-CH', 'EN-gb', 'x'),
    datatype: fc.constantFrom('http://example.org/type', 'urn:a', 'http://www.w3.org/2001/XMLSchema#decimal'),
    lexical: lexical.map((text) => text.replaceAll('\0', '')),
  })
  .map(({ kind, tag, datatype, lexical }) => {
    if (kind === KIND.typed) return { kind, qualifier: datatype, lexical };
    if (kind === KIND.direction) return { kind, qualifier: `${tag}--rtl`, lexical };
    return { kind, qualifier: kind === KIND.language ? tag : '', lexical };
  });

test('writeLineTexts: kernel = twin = the canonical text, and stops at what has to be escaped', () => {
  let [written, stopped] = [0, 0];
  fc.assert(
    fc.property(fc.array(term, { minLength: 1, maxLength: 12 }), fc.nat({ max: 100 }), (list, used) => {
      areas.run(() => {
        const stored = list.map(storedLineTerm);
        const ends = stored.map((_, i) => stored.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0));
        const starts = stored.map((one, i) => (ends[i] as number) - one.length);
        const room = used + (ends.at(-1) as number) + FRAME * list.length;
        const [all, out, arena] = [
          areas.bytes(Buffer.concat(stored)),
          areas.area(4 * list.length),
          areas.area(room, SLACK),
        ];
        const [froms, tos] = [areas.words(starts), areas.words(ends)];
        const texts = list.map(lineText);
        let at = used;
        for (let first = 0; first < list.length; ) {
          const stop = texts.findIndex((text, i) => i >= first && text === null);
          const done = areas.kernels.writeLineTexts(all, froms, tos, first, list.length, arena, at, out);
          assert.equal(done, stop < 0 ? list.length : stop);
          for (; first < done; first++) {
            const end = areas.readWords(out, list.length)[first] as number;
            const text = Buffer.from(areas.readBytes(arena + at, end - at));
            assert.equal(text.toString(), texts[first]);
            assert.ok(text.equals(textOfStored(stored[first] as Buffer, 0, (stored[first] as Buffer).length)));
            at = end;
            written++;
          }
          if (done < list.length) stopped++;
          first = done + 1;
        }
      });
    }),
    { numRuns: RUNS },
  );
  assert.ok(written > 0 && stopped > 0);
});
