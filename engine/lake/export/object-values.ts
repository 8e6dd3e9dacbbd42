/** What the objects of rows are worth: their numbers and instants, which prune and order. */

import { TYPE_CODE } from '../../kernels/as/term-codes.js';
import { isNumeric, parseValue, toDouble } from '../../rdf/values/index.js';
import { millisecondsOfHalves, numericOfHalves } from '../../storage/ids/halves.js';
import { isIntegerCode, TAG, ZONE_NONE } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { GroupColumn } from '../parquet/parquet-file.js';
import { writeMicros, writePreciseMicros } from './micros.js';

/** By auxiliary byte: 1 for datatypes of numbers, dates and times. */
const VALUED = Uint8Array.from({ length: 256 }, (_, code) => (hasValue(code) ? 1 : 0));
const DECODED_AT_ONCE = 4096;

function hasValue(code: number): boolean {
  return (
    isIntegerCode(code) ||
    code === TYPE_CODE.decimal ||
    code === TYPE_CODE.double ||
    code === TYPE_CODE.float ||
    code === TYPE_CODE.date ||
    code === TYPE_CODE.dateTime ||
    code === TYPE_CODE.dateTime + 1
  );
}

export interface ObjectValues {
  readonly number: GroupColumn;
  readonly time: GroupColumn;
}

const NONE: GroupColumn = { values: { kind: 'int64', halves: new Uint32Array(0) }, count: 0, present: null };

export function objectValues(snapshot: StorageSnapshot, objects: Uint32Array, rows: number): ObjectValues {
  if (!hasValues(objects, rows)) return { number: NONE, time: NONE };
  const numbers = new Float64Array(rows);
  const hasNumber = new Uint8Array(rows);
  const times = new Uint32Array(2 * rows);
  const hasTime = new Uint8Array(rows);
  let [numberCount, timeCount] = [0, 0];
  /** Rows whose values stand in the dictionary. */
  const stored = storedValues(snapshot, objects, rows);
  for (let row = 0; row < rows; row++) {
    const low = objects[2 * row] as number;
    const high = objects[2 * row + 1] as number;
    const tag = high >>> 24;
    if (tag < TAG.typed || tag > TAG.float) continue;
    if (tag === TAG.typed) {
      const value = stored?.get(row);
      if (value === undefined) continue;
      if (value.number !== null) {
        numbers[numberCount++] = value.number;
        hasNumber[row] = 1;
      } else if (value.time !== null) {
        writePreciseMicros(times, timeCount++, value.time.seconds, value.time.fraction);
        hasTime[row] = 1;
      }
      continue;
    }
    if (tag === TAG.date || tag === TAG.dateTime || tag === TAG.dateTimeMs) {
      if (((high >>> 16) & 0xff) === ZONE_NONE) continue;
      writeMicros(times, timeCount++, millisecondsOfHalves(low, high));
      hasTime[row] = 1;
      continue;
    }
    const number = numericOfHalves(low, high);
    if (Number.isNaN(number)) continue;
    numbers[numberCount++] = number;
    hasNumber[row] = 1;
  }
  return {
    number: numberCount === 0 ? NONE : { values: { kind: 'double', numbers }, count: numberCount, present: hasNumber },
    time: timeCount === 0 ? NONE : { values: { kind: 'int64', halves: times }, count: timeCount, present: hasTime },
  };
}

function hasValues(objects: Uint32Array, rows: number): boolean {
  for (let row = 0; row < rows; row++) {
    const tag = (objects[2 * row + 1] as number) >>> 24;
    if (tag >= TAG.typed && tag <= TAG.float) return true;
  }
  return false;
}

interface StoredValue {
  readonly number: number | null;
  readonly time: { readonly seconds: number; readonly fraction: string } | null;
}

function storedValues(
  snapshot: StorageSnapshot,
  objects: Uint32Array,
  rows: number,
): ReadonlyMap<number, StoredValue> | null {
  const places: number[] = [];
  for (let row = 0; row < rows; row++) {
    const high = objects[2 * row + 1] as number;
    if (high >>> 24 === TAG.typed && VALUED[(high >>> 16) & 0xff] === 1) places.push(row);
  }
  if (places.length === 0) return null;
  const values = new Map<number, StoredValue>();
  const ids = new Uint32Array(2 * DECODED_AT_ONCE);
  for (let from = 0; from < places.length; from += DECODED_AT_ONCE) {
    const some = places.slice(from, from + DECODED_AT_ONCE);
    for (const [at, row] of some.entries()) {
      ids[2 * at] = objects[2 * row] as number;
      ids[2 * at + 1] = objects[2 * row + 1] as number;
    }
    for (const [at, term] of snapshot.decode(ids, some.length).entries()) {
      if (term.termType !== 'Literal') continue;
      const value = parseValue(term);
      const row = some[at] as number;
      if (isNumeric(value)) {
        const number = toDouble(value);
        // What is not a number orders nothing.
        if (!Number.isNaN(number)) values.set(row, { number, time: null });
      } else if ((value.kind === 'date' || value.kind === 'dateTime') && value.zone !== null) {
        values.set(row, { number: null, time: value });
      }
    }
  }
  return values;
}
