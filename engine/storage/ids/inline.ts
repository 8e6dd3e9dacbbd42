/**
 * Literals that are their own ids. The table is in `layout.ts`; this file is its plain and exact
 * reading, and the oracle of the kernels that do the same on bytes.
 *
 * 1. A literal is inlined when, and only when, its lexical form can be regenerated from the id
 *    alone: `inlineTerm(inlineId(type, text))` has exactly that type and text. Anything else
 *    (`+1`, `01`, `1.`, `.5`, `-0`, `24:00:00`, `-00:00`) goes to the dictionary.
 * 2. The signed number behind the payload is below 2^47 in size.
 * 3. Within one tag and auxiliary byte the order of ids is the order of values; only booleans,
 *    which have two spellings each, are out of it.
 * 4. Whether a derived integer is within the range of its type does not matter for inlining; it
 *    does for its value (`halves.ts`).
 *
 * | datatype         | forms that are inlined                                                    |
 * |------------------|---------------------------------------------------------------------------|
 * | integers         | `0`, `-?[1-9][0-9]*`                                                      |
 * | decimal          | the same, also with a point and 1 to 40 digits after it; not `-0.0`       |
 * | double, float    | as decimal with a point; at most 15 digits follow from rule 2             |
 * | boolean          | `true`, `false`, `1`, `0`                                                 |
 * | date             | `YYYY-MM-DD` and zone; years 0001 to 9999, days of the calendar           |
 * | dateTime         | the same with `Thh:mm:ss`, no fraction or exactly three digits            |
 * | zone             | none, `Z`, or a multiple of 15 minutes up to 14:00; zero as `+00:00`      |
 */

import { civilFromDays, daysFromCivil, isCivilDate, padded, SECONDS_PER_DAY } from '../../base/calendar.js';
import { invariant } from '../../base/errors.js';
import { TYPE_CODE } from '../../kernels/as/term-codes.js';
import { type Literal, terms } from '../../rdf/terms.js';
import { INLINE_LIMIT, payloadOfHalves, SCALE_MAX, signedOfHalves } from './halves.js';
import {
  BIAS,
  DATATYPES,
  datatypeCode,
  isInlinedTag,
  isIntegerCode,
  makeId,
  TAG,
  type TermId,
  ZONE_FIRST,
  ZONE_NONE,
  ZONE_QUARTERS_BIAS,
  ZONE_UTC,
  zoneMinutes,
} from './layout.js';
import { DATATYPE_OF_TAG } from './tag-datatypes.js';

/** Digits of the greatest inlined number; more can't fit, fewer are exact as a number. */
const DIGITS_MAX = 15;
const ZONE_MINUTES_MAX = 14 * 60;

/** Position = payload. */
const BOOLEANS: readonly string[] = ['false', 'true', '0', '1'];

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const DECIMAL = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)(Z|[+-]\d\d:\d\d)?$/;
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{3}))?(Z|[+-]\d\d:\d\d)?$/;
/** No inlined form is longer, so that long literals are not searched. */
const LEXICAL_LENGTH_MAX = 64;

/** The id that a literal is by itself, or null when it belongs into the dictionary. */
export function inlineId(datatypeIri: string, lexical: string): TermId | null {
  const code = datatypeCode(datatypeIri);
  return code === 0 ? null : inlineIdOfCode(code, lexical);
}

/** The same by datatype code. */
export function inlineIdOfCode(code: number, lexical: string): TermId | null {
  if (lexical.length > LEXICAL_LENGTH_MAX) return null;
  if (isIntegerCode(code)) return inlineInteger(code, lexical);
  switch (code) {
    case TYPE_CODE.decimal:
      return inlineScaled(TAG.decimal, 0, lexical);
    case TYPE_CODE.double:
      return inlineScaled(TAG.double, 1, lexical);
    case TYPE_CODE.float:
      return inlineScaled(TAG.float, 1, lexical);
    case TYPE_CODE.boolean:
      return inlineBoolean(lexical);
    case TYPE_CODE.date:
      return inlineDate(lexical);
    case TYPE_CODE.dateTime:
      return inlineDateTime(lexical);
    default:
      return null;
  }
}

/** The xsd:integer of a whole number, or null when it is too large to be inlined. */
export function integerId(value: number): TermId | null {
  if (!Number.isInteger(value)) return null;
  return signedId(TAG.integer, TYPE_CODE.integer, value);
}

/** The literal of an inlined id. */
export function inlineTerm(id: TermId): Literal {
  return inlineTermOfHalves(Number(id & 0xffffffffn), Number(id >> 32n));
}

export function inlineTermOfHalves(low: number, high: number): Literal {
  return terms.literal(inlineLexical(low, high), terms.namedNode(inlineDatatype(high)));
}

/** The datatype of an inlined id. */
export function inlineDatatype(high: number): string {
  const tag = high >>> 24;
  invariant(isInlinedTag(tag), `no inlined literal has the tag ${tag}`);
  return (tag === TAG.integer ? DATATYPES[(high >>> 16) & 0xff] : DATATYPE_OF_TAG[tag]) as string;
}

/** The lexical form of an inlined id. */
export function inlineLexical(low: number, high: number): string {
  const auxiliary = (high >>> 16) & 0xff;
  const value = signedOfHalves(low, high);
  switch (high >>> 24) {
    case TAG.integer:
      return String(value);
    case TAG.decimal:
    case TAG.double:
    case TAG.float:
      return scaledText(value, auxiliary);
    case TAG.boolean:
      return BOOLEANS[payloadOfHalves(low, high)] as string;
    case TAG.date:
      return dateText(value) + zoneText(auxiliary);
    case TAG.dateTime:
      return dateTimeText(value) + zoneText(auxiliary);
    case TAG.dateTimeMs: {
      const seconds = Math.floor(value / 1000);
      const fraction = padded(value - seconds * 1000, 3);
      return `${dateTimeText(seconds)}.${fraction}${zoneText(auxiliary)}`;
    }
    default:
      invariant(false, `no inlined literal has the tag ${high >>> 24}`);
  }
}

function signedId(tag: number, auxiliary: number, value: number): TermId | null {
  if (Math.abs(value) >= INLINE_LIMIT) return null;
  return makeId(tag, auxiliary, BigInt(value) + BIAS);
}

function inlineInteger(code: number, lexical: string): TermId | null {
  if (lexical.length > DIGITS_MAX + 1 || !INTEGER.test(lexical)) return null;
  return signedId(TAG.integer, code, Number(lexical));
}

function inlineScaled(tag: number, scaleMin: number, lexical: string): TermId | null {
  const match = DECIMAL.exec(lexical);
  if (match === null) return null;
  const [, sign, whole, fraction = ''] = match;
  const scale = fraction.length;
  if (scale < scaleMin || scale > SCALE_MAX) return null;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits.length > DIGITS_MAX || (digits === '' && sign === '-')) return null;
  const size = Number(digits);
  return signedId(tag, scale, sign === '-' ? -size : size);
}

function scaledText(value: number, scale: number): string {
  if (scale === 0) return String(value);
  const digits = padded(Math.abs(value), scale + 1);
  const point = digits.length - scale;
  return `${value < 0 ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function inlineBoolean(lexical: string): TermId | null {
  const payload = BOOLEANS.indexOf(lexical);
  return payload < 0 ? null : makeId(TAG.boolean, 0, BigInt(payload));
}

function inlineDate(lexical: string): TermId | null {
  const match = DATE.exec(lexical);
  if (match === null) return null;
  const days = daysOf(match[1], match[2], match[3]);
  const zone = zoneCode(match[4]);
  return days === null || zone === null ? null : signedId(TAG.date, zone, days);
}

function inlineDateTime(lexical: string): TermId | null {
  const match = DATE_TIME.exec(lexical);
  if (match === null) return null;
  const days = daysOf(match[1], match[2], match[3]);
  const zone = zoneCode(match[8]);
  const hour = Number(match[4]);
  const minute = Number(match[5]);
  const second = Number(match[6]);
  if (days === null || zone === null || hour > 23 || minute > 59 || second > 59) return null;
  const seconds = days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
  if (match[7] === undefined) return signedId(TAG.dateTime, zone, seconds);
  return signedId(TAG.dateTimeMs, zone, seconds * 1000 + Number(match[7]));
}

/** Days since 1970-01-01, or null for the year 0000 and days that are not in the calendar. */
function daysOf(yearText = '', monthText = '', dayText = ''): number | null {
  const year = Number(yearText);
  const month = Number(monthText);
  const day = Number(dayText);
  return year >= 1 && isCivilDate(year, month, day) ? daysFromCivil(year, month, day) : null;
}

/** The code of a written zone, or null when that spelling has none. */
export function zoneCode(text: string | undefined): number | null {
  if (text === undefined || text === '') return ZONE_NONE;
  if (text === 'Z') return ZONE_UTC;
  const minute = Number(text.slice(4, 6));
  const size = Number(text.slice(1, 3)) * 60 + minute;
  if (minute > 59 || minute % 15 !== 0 || size > ZONE_MINUTES_MAX) return null;
  const negative = text.startsWith('-');
  if (negative && size === 0) return null;
  return ZONE_FIRST + ZONE_QUARTERS_BIAS + (negative ? -size : size) / 15;
}

function zoneText(code: number): string {
  const minutes = zoneMinutes(code);
  if (minutes === null) return '';
  if (code === ZONE_UTC) return 'Z';
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${padded(Math.floor(size / 60), 2)}:${padded(size % 60, 2)}`;
}

function dateText(days: number): string {
  const { year, month, day } = civilFromDays(days);
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
}

function dateTimeText(seconds: number): string {
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  const rest = seconds - days * SECONDS_PER_DAY;
  const hour = Math.floor(rest / 3600);
  const minute = Math.floor((rest % 3600) / 60);
  return `${dateText(days)}T${padded(hour, 2)}:${padded(minute, 2)}:${padded(rest % 60, 2)}`;
}
