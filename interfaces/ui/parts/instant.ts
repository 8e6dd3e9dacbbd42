/** A moment of valid time as a person writes it. */

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Null where it is neither a date nor an instant with its zone. */
export function instantOf(text: string): string | null {
  const trimmed = text.trim();
  const isKnown = DATE.test(trimmed) || INSTANT.test(trimmed);
  return isKnown && !Number.isNaN(Date.parse(trimmed)) ? trimmed : null;
}
