/** Lexical forms of inlined literals, written from their ids (`storage/ids/inline.ts` is the twin). */

import { civilOf, floorDiv, SECONDS_PER_DAY } from './calendar';
import { BIAS } from './layout';
import { TAG } from './term-codes';

const ZERO: u32 = 48;
const ZONE_UTC: u32 = 1;
const ZONE_ZERO: i32 = 58;

/** Writes at least `width` digits; returns the address behind them. */
function writeDigits(value: u64, width: u32, at: usize): usize {
  let digits: u32 = 1;
  for (let rest = value / 10; rest != 0; rest /= 10) digits++;
  digits = max(digits, width);
  let rest = value;
  for (let to = at + digits; to > at; ) {
    to--;
    const next = rest / 10;
    store<u8>(to, ZERO + <u32>(rest - next * 10));
    rest = next;
  }
  return at + digits;
}

function writeScaled(value: i64, scale: u32, at: usize): usize {
  if (value < 0) store<u8>(at++, 45);
  const size: u64 = value < 0 ? -value : value;
  const end = writeDigits(size, scale + 1, at);
  if (scale == 0) return end;
  const point = end - scale;
  // Backwards, since every digit behind the point moves up by one.
  for (let from = end; from > point; from--) store<u8>(from, load<u8>(from - 1));
  store<u8>(point, 46);
  return end + 1;
}

/** `YYYY-MM-DD` of days since 1970-01-01. */
function writeDate(days: i64, at: usize): usize {
  const civil = civilOf(days);
  let to = writeDigits(civil >> 16, 4, at);
  store<u8>(to++, 45);
  to = writeDigits((civil >> 8) & 255, 2, to);
  store<u8>(to++, 45);
  return writeDigits(civil & 255, 2, to);
}

function writeDateTime(seconds: i64, at: usize): usize {
  const days = floorDiv(seconds, SECONDS_PER_DAY);
  const rest = seconds - days * SECONDS_PER_DAY;
  let to = writeDate(days, at);
  store<u8>(to++, 84);
  to = writeDigits(rest / 3600, 2, to);
  store<u8>(to++, 58);
  to = writeDigits((rest % 3600) / 60, 2, to);
  store<u8>(to++, 58);
  return writeDigits(rest % 60, 2, to);
}

function writeZone(code: u32, at: usize): usize {
  if (code == 0) return at;
  if (code == ZONE_UTC) {
    store<u8>(at, 90);
    return at + 1;
  }
  const minutes = (<i32>code - ZONE_ZERO) * 15;
  const size: u32 = minutes < 0 ? -minutes : minutes;
  store<u8>(at, minutes < 0 ? 45 : 43);
  let to = writeDigits(size / 60, 2, at + 1);
  store<u8>(to++, 58);
  return writeDigits(size % 60, 2, to);
}

function writeBoolean(payload: u64, at: usize): usize {
  if (payload >= 2) {
    store<u8>(at, ZERO + <u32>(payload - 2));
    return at + 1;
  }
  const isTrue = payload == 1;
  // "true" and "fals", low byte first.
  store<u32>(at, isTrue ? 0x65757274 : 0x736c6166);
  if (isTrue) return at + 4;
  store<u8>(at, 101, 4);
  return at + 5;
}

/** Writes at most 64 bytes; returns the address behind them, 0 when the id is none of an inlined literal. */
export function writeInlineText(id: u64, at: usize): usize {
  const tag = id >> 56;
  const auxiliary = <u32>(id >> 48) & 0xff;
  const payload = id & 0xffffffffffff;
  const value = <i64>payload - BIAS;
  if (tag == TAG.integer) return writeScaled(value, 0, at);
  if (tag == TAG.decimal || tag == TAG.double || tag == TAG.float) return writeScaled(value, auxiliary, at);
  if (tag == TAG.date) return writeZone(auxiliary, writeDate(value, at));
  if (tag == TAG.dateTime) return writeZone(auxiliary, writeDateTime(value, at));
  if (tag == TAG.boolean) return writeBoolean(payload, at);
  if (tag != TAG.dateTimeMs) return 0;
  const seconds = floorDiv(value, 1000);
  const point = writeDateTime(seconds, at);
  store<u8>(point, 46);
  return writeZone(auxiliary, writeDigits(value - seconds * 1000, 3, point + 1));
}
