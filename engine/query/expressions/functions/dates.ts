/**
 * Functions on dates and times (SPARQL 1.1, 17.4.5). Beside xsd:dateTime they take every type that
 * has the part which is asked for: YEAR of an xsd:date, HOURS of an xsd:time.
 */

import {
  decimalValue,
  isTemporal,
  type TemporalFields,
  type TemporalKind,
  temporalFields,
  zoneText,
} from '../../../rdf/values/index.js';
import { TAG, zoneMinutes } from '../../../storage/ids/layout.js';
import type { FunctionName } from '../../algebra/expression.js';
import { Operand } from '../../terms/operand.js';
import { type FunctionDefinition, ofInteger, ofString, unary } from './definition.js';

const ZONED: ReadonlySet<number> = new Set([TAG.date, TAG.dateTime, TAG.dateTimeMs]);
const WITH_YEAR: readonly TemporalKind[] = ['dateTime', 'date', 'gYearMonth', 'gYear'];
const WITH_MONTH: readonly TemporalKind[] = ['dateTime', 'date', 'gYearMonth', 'gMonthDay', 'gMonth'];
const WITH_DAY: readonly TemporalKind[] = ['dateTime', 'date', 'gMonthDay', 'gDay'];
const WITH_CLOCK: readonly TemporalKind[] = ['dateTime', 'time'];

export const DATE_FUNCTIONS = {
  now: { arity: [0, 0], evaluate: (_, scope) => scope.now },
  year: part(WITH_YEAR, ({ year }) => ofInteger(year)),
  month: part(WITH_MONTH, ({ month }) => ofInteger(month)),
  day: part(WITH_DAY, ({ day }) => ofInteger(day)),
  hours: part(WITH_CLOCK, ({ hour }) => ofInteger(hour)),
  minutes: part(WITH_CLOCK, ({ minute }) => ofInteger(minute)),
  seconds: part(WITH_CLOCK, secondsOf),
  timezone: zoned(timezoneOf),
  tz: zoned((zone) => ofString(zoneText(zone))),
} as const satisfies Partial<Record<FunctionName, FunctionDefinition>>;

function part(kinds: readonly TemporalKind[], read: (fields: TemporalFields) => Operand): FunctionDefinition {
  return unary(({ value }) => {
    if (value === null || !isTemporal(value) || !kinds.includes(value.kind)) return null;
    return read(temporalFields(value));
  });
}

function secondsOf({ second, fraction }: TemporalFields): Operand {
  return Operand.ofValue(decimalValue({ unscaled: BigInt(second + fraction), scale: fraction.length }));
}

/** An inlined date or time says its zone by the upper quarter of its id. */
function zoned(read: (zone: number | null) => Operand | null): FunctionDefinition {
  return {
    ...unary(({ value }) => (value !== null && isTemporal(value) ? read(value.zone) : null)),
    told: { ofPrefix: (prefix) => (ZONED.has(prefix >>> 8) ? read(zoneMinutes(prefix & 0xff)) : 'row') },
  };
}

/** An error without zone; TZ gives the empty string then. */
function timezoneOf(zone: number | null): Operand | null {
  if (zone === null) return null;
  const seconds = { unscaled: BigInt(zone * 60), scale: 0 };
  return Operand.ofValue({ kind: 'duration', type: 'dayTimeDuration', months: 0n, seconds });
}
