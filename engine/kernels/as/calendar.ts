/** Days since 1970-01-01 and the calendar; `base/calendar.ts` says the same in plain code. */

export const SECONDS_PER_DAY: i64 = 86400;
/** From 0000-03-01 to 1970-01-01. */
const EPOCH_SHIFT_DAYS: i64 = 719468;
const DAYS_PER_ERA: i64 = 146097;

export function floorDiv(value: i64, by: i64): i64 {
  const quotient = value / by;
  return quotient * by > value ? quotient - 1 : quotient;
}

/** Day in the lowest byte, month in the next, year above (the algorithm of Howard Hinnant's `civil_from_days`). Years from 1 on. */
export function civilOf(days: i64): u64 {
  const shifted = days + EPOCH_SHIFT_DAYS;
  const era = floorDiv(shifted, DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const monthFromMarch = (5 * dayOfYear + 2) / 153;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
  return ((<u64>year) << 16) | ((<u64>month) << 8) | <u64>day;
}
