/** Twin of `as/date-parts.ts`: a date by days, a time by milliseconds, in their own zone. */

export type DatePart = 'year' | 'month' | 'day' | 'hours' | 'minutes' | 'seconds';

export const DATE_PARTS: readonly DatePart[] = ['year', 'month', 'day', 'hours', 'minutes', 'seconds'];

/** Null where a date has no such part. */
export function datePart(part: DatePart, localMs: number, isDate: boolean): number | null {
  const date = new Date(localMs);
  switch (part) {
    case 'year':
      return date.getUTCFullYear();
    case 'month':
      return date.getUTCMonth() + 1;
    case 'day':
      return date.getUTCDate();
    case 'hours':
      return isDate ? null : date.getUTCHours();
    case 'minutes':
      return isDate ? null : date.getUTCMinutes();
    default:
      return isDate ? null : (date.getUTCSeconds() * 1000 + date.getUTCMilliseconds()) / 1000;
  }
}
