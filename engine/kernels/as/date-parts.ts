/** Parts of inlined dates and times as numbers (`number-columns.ts` has the layout and the kinds). */

import { civilOf, floorDiv, SECONDS_PER_DAY } from './calendar';
import { BIAS } from './layout';
import { DECIMAL, ERROR, INTEGER, OTHER, put } from './number-columns';
import { TAG } from './term-codes';

const MONTH: u32 = 1;
const DAY: u32 = 2;
const HOURS: u32 = 3;
const SECONDS: u32 = 5;
const MS_PER_MINUTE: i64 = 60_000;
const MS_SCALE: u32 = 3;

/**
 * Year, month, day, hours, minutes or seconds (part 0 to 5) of each id, in the zone that it has; seconds are decimals. A date has
 * no hours, and other inlined values, strings and resources have none of them; other literals of the dictionary and what the query made are OTHER.
 */
export function readDateParts(ids: usize, rows: u32, part: u32, column: usize): void {
  for (let row: u32 = 0; row < rows; row++) {
    const id = load<u64>(ids + ((<usize>row) << 3));
    const tag = id >>> 56;
    const isDate = tag == TAG.date;
    if (!isDate && tag != TAG.dateTime && tag != TAG.dateTimeMs) {
      put(column, row, tag == TAG.typed || tag > <u64>TAG.triple ? OTHER : ERROR, 0, 0);
      continue;
    }
    if (isDate && part >= HOURS) {
      put(column, row, ERROR, 0, 0);
      continue;
    }
    const value = <i64>(id & 0xffffffffffff) - BIAS;
    if (part == SECONDS) {
      if (tag == TAG.dateTimeMs) put(column, row, DECIMAL, MS_SCALE, <f64>floorRest(value, MS_PER_MINUTE));
      else put(column, row, DECIMAL, 0, <f64>floorRest(value, 60));
      continue;
    }
    const seconds = tag == TAG.dateTimeMs ? floorDiv(value, 1000) : value;
    const days = isDate ? value : floorDiv(seconds, SECONDS_PER_DAY);
    put(column, row, INTEGER, 0, <f64>partOf(part, days, seconds - days * SECONDS_PER_DAY));
  }
}

function floorRest(value: i64, divisor: i64): i64 {
  return value - floorDiv(value, divisor) * divisor;
}

function partOf(part: u32, days: i64, rest: i64): i64 {
  if (part == HOURS) return rest / 3600;
  if (part > HOURS) return (rest % 3600) / 60;
  const civil = <i64>civilOf(days);
  if (part == DAY) return civil & 255;
  return part == MONTH ? (civil >> 8) & 255 : civil >> 16;
}
