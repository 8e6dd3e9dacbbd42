/** Values of literals that are their own ids, and ids of computed dates and times: without the text in between. */

import { daysFromCivil, SECONDS_PER_DAY } from '../../base/calendar.js';
import { shortest } from '../../rdf/values/decimal.js';
import {
  booleanValue,
  decimalValue,
  doubleValue,
  floatValue,
  integerValue,
  type Value,
} from '../../rdf/values/index.js';
import { booleanOfHalves, numericOfHalves, signedOfHalves, writeSignedHalves } from './halves.js';
import { TAG, ZONE_FIRST, ZONE_NONE, ZONE_QUARTERS_BIAS, ZONE_UTC, zoneMinutes } from './layout.js';

const FIRST_SECOND = daysFromCivil(1, 1, 1) * SECONDS_PER_DAY;
const LAST_SECOND = daysFromCivil(10_000, 1, 1) * SECONDS_PER_DAY - 1;
const ZONE_STEP_MINUTES = 15;
const MILLISECOND_DIGITS = 3;

/** What the literal of an inlined id means; null for a derived integer out of the range of its type. */
export function valueOfHalves(low: number, high: number): Value | null {
  const auxiliary = (high >>> 16) & 0xff;
  const signed = signedOfHalves(low, high);
  switch (high >>> 24) {
    case TAG.integer:
      return Number.isNaN(numericOfHalves(low, high)) ? null : integerValue(signed);
    case TAG.decimal:
      return decimalValue(shortest(BigInt(signed), auxiliary));
    case TAG.double:
      return doubleValue(numericOfHalves(low, high));
    case TAG.float:
      return floatValue(numericOfHalves(low, high));
    case TAG.boolean:
      return booleanValue(booleanOfHalves(low, high) === 1);
    case TAG.date:
      return pointOfTime('date', signed * SECONDS_PER_DAY, '', auxiliary);
    case TAG.dateTime:
      return pointOfTime('dateTime', signed, '', auxiliary);
    case TAG.dateTimeMs: {
      const seconds = Math.floor(signed / 1000);
      const digits = String(signed - seconds * 1000).padStart(MILLISECOND_DIGITS, '0');
      return pointOfTime('dateTime', seconds, digits.replace(/0+$/, ''), auxiliary);
    }
    default:
      return null;
  }
}

function pointOfTime(kind: 'date' | 'dateTime', local: number, fraction: string, zoneCode: number): Value {
  const zone = zoneMinutes(zoneCode);
  return { kind, seconds: local - (zone ?? 0) * 60, fraction, zone };
}

/** Writes the id of a date or dateTime in its canonical form; false, and nothing written, for what is not inlined. */
export function writeTemporalHalves(column: Uint32Array, row: number, value: Value): boolean {
  if (value.kind !== 'date' && value.kind !== 'dateTime') return false;
  const { fraction, zone } = value;
  const local = value.seconds + (zone ?? 0) * 60;
  if (local < FIRST_SECOND || local > LAST_SECOND || (zone ?? 0) % ZONE_STEP_MINUTES !== 0) return false;
  const code =
    zone === null ? ZONE_NONE : zone === 0 ? ZONE_UTC : ZONE_FIRST + ZONE_QUARTERS_BIAS + zone / ZONE_STEP_MINUTES;
  if (value.kind === 'date') return writeSignedHalves(column, row, TAG.date, code, Math.floor(local / SECONDS_PER_DAY));
  if (fraction === '') return writeSignedHalves(column, row, TAG.dateTime, code, local);
  if (fraction.length !== MILLISECOND_DIGITS) return false;
  return writeSignedHalves(column, row, TAG.dateTimeMs, code, local * 1000 + Number(fraction));
}
