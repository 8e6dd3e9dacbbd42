/** Strings by Unicode code points, where JavaScript would count UTF-16 units; the last parts of IRIs; texts for a terminal. */

const SURROGATES = 0xd800;
const AFTER_SURROGATES = 0xe000;

/**
 * Order by code point. UTF-16 units sort the same way, but for surrogates, which stand for the
 * highest code points and must sort after U+E000 to U+FFFF.
 */
export function compareCodePoints(a: string, b: string): -1 | 0 | 1 {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) < rank(y) ? -1 : 1;
  }
  return a.length === b.length ? 0 : a.length < b.length ? -1 : 1;
}

function rank(unit: number): number {
  if (unit < SURROGATES) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x10000 : unit;
}

/** What stands behind the last `#`, `/` or `:` of an IRI; the whole IRI where nothing does. */
export function localPart(iri: string): string {
  return /[^#/:]*$/.exec(iri)?.[0] || iri;
}

/** The C0 and C1 controls, and those that turn the direction of text. */
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** A text of one line that a terminal shows and does not obey. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
