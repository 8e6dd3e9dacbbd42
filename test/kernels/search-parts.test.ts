/** The kernel that looks at runs of parts, held against its plain twin. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { PART_ROWS } from '../../engine/storage/indexes/vectors/code-part.js';
import { planePartAt, planePartBytes } from '../../engine/storage/indexes/vectors/plane-part.js';
import { randomNumbers } from '../storage/scan-support.js';
import { planeQuery, sumsOf } from './twins/code-planes.js';
import { type Marked, searchPlaces } from './twins/search-parts.js';
import { lengthOf, quantiseVector } from './twins/vector-codes.js';

const next = randomNumbers(23);
const ROWS = 2 * PART_ROWS + 77;
/** So many places lie before those of the run. */
const FIRST = PART_ROWS;
const QUERY_MAX = 1900;

test('a run of parts gives the rows that the twin gives, with dense and thin bits of places and of rows, however little room there is', () => {
  for (const dimension of [1, 33, 96]) {
    const memory = new ThreadMemory();
    const vector = () => Array.from({ length: dimension }, () => Math.fround(next(2001) / 1000 - 1));
    const codes = Array.from({ length: FIRST + ROWS }, () => quantiseVector(vector()));
    const numbers = codes.map((_, place) => (place * 7 + 3) % codes.length);
    const [stride, plane] = [16 * Math.ceil(dimension / 16), 16 * Math.ceil(dimension / 32)];
    const bytes = planePartBytes(PART_ROWS, plane);
    const address = memory.allocate(3 * bytes);
    const code = memory.allocate(stride);
    for (let at = 0; at < ROWS; at++) {
      const { numbers: own, scale, residual } = codes[FIRST + at] as (typeof codes)[number];
      const part = planePartAt(address + Math.floor(at / PART_ROWS) * bytes, PART_ROWS, PART_ROWS, plane);
      const row = at % PART_ROWS;
      memory.bytes.fill(0, code, code + stride);
      new Int8Array(memory.bytes.buffer, code, dimension).set(own);
      const column = (start: number) => new Float32Array(memory.bytes.buffer, start + 4 * row, 1);
      column(part.scales)[0] = scale;
      column(part.residuals)[0] = residual;
      memory.wordsAt(part.numbers + 4 * row, 1)[0] = numbers[FIRST + at] as number;
      const [scales, residuals, slacks] = [part.scales, part.residuals, part.slacks].map((start) => start + 4 * row);
      const [upper, lower] = [part.upper + plane * row, part.lower + plane * row];
      memory.kernels.splitCodes(
        code,
        1,
        stride,
        dimension,
        scales as number,
        residuals as number,
        upper,
        lower,
        plane,
        slacks as number,
      );
    }
    const { upper } = planePartAt(address, PART_ROWS, PART_ROWS, plane);
    const bits = memory.allocate(8 * Math.ceil(codes.length / 64));
    const [list, estimates, state] = [4 * PART_ROWS, 4 * PART_ROWS, 32].map((size) => memory.allocate(size)) as [
      number,
      number,
      number,
    ];
    const room = PART_ROWS;
    const [heap, candidates] = [memory.allocate(4 * 2000), memory.allocate(16 * 8 * room)];
    const asked = vector();
    const largest = Math.max(...asked.map(Math.abs));
    const coded = asked.map((number) => Math.round((number / largest) * QUERY_MAX));
    const query = memory.allocate(4 * plane);
    new Int16Array(memory.bytes.buffer, query, 2 * plane).set(planeQuery(coded, 2 * plane));
    const { sum, turned } = sumsOf(coded);
    const given = { numbers: coded, scale: largest / lengthOf(asked) / QUERY_MAX, length: 1.001, slack: 0.001 };
    for (const kind of ['all', 'places', 'rows'] as const) {
      for (const percent of [0, 2, 40, 95]) {
        // Thin in the first half and as dense as that in the other.
        const set = new Set(codes.map((_, at) => at).filter((at) => next(100) < (at % 700 < 350 ? 3 : percent)));
        memory.bytes.fill(0, bits, bits + 8 * Math.ceil(codes.length / 64));
        for (const at of set)
          memory.bytes[bits + (at >> 3)] = (memory.bytes[bits + (at >> 3)] as number) | (1 << (at & 7));
        const marked: Marked | null =
          kind === 'all' ? null : { isByPlace: kind === 'places', has: (at) => set.has(at) };
        for (const limit of [1, 10, 2000]) {
          const [from, to] = [FIRST + next(300), FIRST + ROWS - next(300)];
          let roomNow = room;
          memory.wordsAt(state, 8).set([0xff800000, 0, roomNow, 0, limit, heap, candidates, 0]);
          for (let at = from; at < to; ) {
            at = memory.kernels.searchParts(
              upper,
              bytes,
              plane,
              FIRST,
              at,
              to,
              marked === null ? 0 : bits,
              kind === 'places' ? 1 : 0,
              list,
              estimates,
              query,
              sum,
              turned,
              given.scale,
              given.length,
              given.slack,
              state,
            );
            if (at < to && memory.kernels.dropCandidates(state) > roomNow / 2) {
              roomNow *= 2;
              memory.wordsAt(state, 8)[2] = roomNow;
            } else if (at < to) {
              roomNow += PART_ROWS;
              memory.wordsAt(state, 8)[2] = roomNow;
            }
          }
          const count = memory.kernels.dropCandidates(state);
          const words = memory.wordsAt(candidates, 4 * count);
          const found = Array.from({ length: count }, (_, place) => words[4 * place] as number).sort((a, b) => a - b);
          const expected = searchPlaces(codes, numbers, [from, to], marked, given, limit);
          const what = `${dimension} numbers, ${kind}, ${percent} %, ${limit}`;
          assert.deepEqual(
            found,
            [...expected.rows].sort((a, b) => a - b),
            what,
          );
          assert.equal(memory.wordsAt(state, 8)[7], expected.seen, what);
        }
      }
    }
  }
});
