/** Lines that are sorted by their bytes: kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { gatherLines, lineOffsets } from './twins/sorted-lines.js';
import { RUNS } from './values.js';

const areas = new Areas();
const byte = fc.oneof(fc.constant(10), fc.nat({ max: 255 }));

test('lineOffsets: kernel = twin, and goes on behind the lines that are there', () => {
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 200 }), fc.nat({ max: 60 }), (values, from) => {
      const bytes = Uint8Array.from(values);
      const begin = Math.min(from, bytes.length);
      const expected = lineOffsets(bytes.subarray(begin)).map((end) => begin + end);
      const found = areas.run(() => {
        const area = areas.bytes(bytes);
        const offsets = areas.area(4 * (bytes.length + 4));
        const count = areas.kernels.lineOffsets(area, begin, bytes.length, offsets, 2);
        return areas.readWords(offsets, count + 1).slice(3);
      });
      assert.deepEqual([...found], expected);
    }),
    { numRuns: RUNS },
  );
});

test('gatherLines: kernel = twin', () => {
  const line = fc.constantFrom('a', 'b', 'ab', 'a'.repeat(40), '', 'é').map((text) => Buffer.from(`${text}\n`));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.nat({ max: 4 }), fc.nat({ max: 120 }), (lines, from, room) => {
      const next = Math.min(from, lines.length);
      const offsets = [0];
      for (const { length } of lines) offsets.push((offsets.at(-1) as number) + length);
      const expected = gatherLines(lines, next, room);
      areas.run(() => {
        const area = areas.bytes(Buffer.concat(lines));
        const [starts, list] = [areas.words(offsets), areas.words(lines.map((_, at) => at))];
        const [out, used] = [areas.area(room + 16), areas.area(8)];
        const then = areas.kernels.gatherLines(area, starts, list, next, lines.length, out, room, used);
        const [bytes, count] = areas.readWords(used, 2) as unknown as [number, number];
        assert.deepEqual([then, count], [expected.next, expected.lines]);
        assert.deepEqual(Buffer.from(areas.readBytes(out, bytes)), expected.bytes);
      });
    }),
    { numRuns: RUNS },
  );
});
