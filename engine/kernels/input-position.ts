/**
 * Lines and columns of a byte stream, for error messages. The tracker is told of the bytes that are
 * done with, and locates an offset in those that follow. Lines end with LF; columns count code
 * points from 1.
 */

import type { InputPosition } from '../base/errors.js';

const LINE_FEED = 0x0a;
const EXCERPT_BEFORE_MAX = 40;
const EXCERPT_AFTER_MAX = 40;

/** Code points that start in [from, to). */
export function countCodePoints(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if ((bytes[i]! & 0xc0) !== 0x80) count++;
  return count;
}

function countLineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
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

export class PositionTracker {
  /** Line feeds and, since the last of them, code points in the bytes that are done with. */
  #lines = 0;
  #columns = 0;

  /** These bytes, which hold `lines` line feeds, are done with. */
  advance(bytes: Uint8Array, lines = countLineFeeds(bytes)): void {
    this.#lines += lines;
    const lineStart = lines === 0 ? 0 : bytes.lastIndexOf(LINE_FEED) + 1;
    const columns = countCodePoints(bytes, lineStart, bytes.length);
    this.#columns = lines === 0 ? this.#columns + columns : columns;
  }

  /** The place of `offset` in the bytes that follow those that are done with. */
  locate(bytes: Uint8Array, offset: number): InputPosition {
    const reached = new PositionTracker();
    reached.#lines = this.#lines;
    reached.#columns = this.#columns;
    reached.advance(bytes.subarray(0, offset));
    return { line: reached.#lines + 1, column: reached.#columns + 1, excerpt: excerptAt(bytes, offset) };
  }
}
