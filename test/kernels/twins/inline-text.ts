/** Twin of `as/inline-text.ts`, by the calendar of the language; `storage/ids/inline.ts` is what both have to agree with. */

const TAG = { integer: 0x38, decimal: 0x39, boolean: 0x3a, date: 0x3b, dateTime: 0x3c, dateTimeMs: 0x3d, double: 0x3e };
const DAY_MS = 86_400_000;

/** The lexical form of an inlined literal by tag, auxiliary byte and signed number (booleans: the payload). */
export function inlineText(tag: number, auxiliary: number, value: number): string | null {
  switch (tag) {
    case TAG.integer:
      return String(value);
    case TAG.decimal:
    case TAG.double:
    case TAG.double + 1:
      return scaled(value, auxiliary);
    case TAG.boolean:
      return ['false', 'true', '0', '1'][value] as string;
    case TAG.date:
      return iso(value * DAY_MS).slice(0, 10) + zone(auxiliary);
    case TAG.dateTime:
      return iso(value * 1000).slice(0, 19) + zone(auxiliary);
    case TAG.dateTimeMs:
      return iso(value).slice(0, 23) + zone(auxiliary);
    default:
      return null;
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function scaled(value: number, scale: number): string {
  const digits = String(Math.abs(value)).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${value < 0 ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
}

function zone(code: number): string {
  if (code === 0) return '';
  if (code === 1) return 'Z';
  const minutes = (code - 58) * 15;
  const part = (size: number) => String(size).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${part(Math.floor(Math.abs(minutes) / 60))}:${part(Math.abs(minutes) % 60)}`;
}
