/**
 * Text of a store before it is shown: what has no shape, or would turn the text around it, is written as an escape, and what
 * is long is cut. Markup needs no care here, since everything is put in as text.
 */

/** Control characters but for tab and line feed, halves of characters, and what embeds, overrides or isolates a direction. */
const UNSHOWN = /(?![\t\n])[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/gu;

export function shown(text: string): string {
  return text.replace(UNSHOWN, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `\\u${code}`;
  });
}

/** The first `charactersMax` UTF-16 units at most, without half of a character at the end. */
export function cut(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const last = text.charCodeAt(charactersMax - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? charactersMax - 1 : charactersMax);
}

/** In one line, for a place that has room for so much. */
export function shownLine(text: string, charactersMax: number): string {
  const line = shown(cut(text, charactersMax)).replace(/\s+/g, ' ');
  return text.length > charactersMax ? `${line}…` : line;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}
