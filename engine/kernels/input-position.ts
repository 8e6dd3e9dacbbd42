/** Places in a byte stream, for error messages: columns count code points, and the line around an offset is shown. */

const LINE_FEED = 0x0a;
const EXCERPT_BEFORE_MAX = 40;
const EXCERPT_AFTER_MAX = 40;

/** Code points that start in [from, to). */
export function countCodePoints(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if ((bytes[i]! & 0xc0) !== 0x80) count++;
  return count;
}

/** The text of [from, to); the copy takes it out of shared memory, which decoders refuse. */
function textOf(bytes: Uint8Array, from: number, to: number): string {
  return new TextDecoder().decode(bytes.slice(from, to));
}

/** The line around an offset, shortened on both sides. */
export function excerptAt(bytes: Uint8Array, offset: number): string {
  const lineStart = offset === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, offset - 1) + 1;
  const feed = bytes.indexOf(LINE_FEED, offset);
  const lineEnd = feed < 0 ? bytes.length : feed;
  const from = Math.max(lineStart, offset - EXCERPT_BEFORE_MAX);
  const to = Math.min(lineEnd, offset + EXCERPT_AFTER_MAX);
  const text = textOf(bytes, from, to).replace(/\r$/, '');
  return `${from > lineStart ? '…' : ''}${text}${to < lineEnd ? '…' : ''}`;
}
