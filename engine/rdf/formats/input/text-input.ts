/**
 * Bytes to text: strict UTF-8, in pieces of bounded size, never cutting a character in two.
 *
 * A byte order mark of UTF-8 at the start is dropped. UTF-16, compressed and binary files are refused
 * by name before any parser sees them. The first invalid byte is reported with its place.
 */

import { isUtf8 } from 'node:buffer';
import { throwIfAborted } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import type { TextWindow } from './text-window.js';

/** Bounds what a parser emits per step (a batch of quads), not what it accepts. */
const PIECE_BYTES = 64 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export async function* readText(
  bytes: AsyncIterable<Uint8Array>,
  window: TextWindow,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  let carry: Uint8Array = new Uint8Array(0);
  let started = false;
  for await (const chunk of bytes) {
    let rest = carry.length > 0 ? concat(carry, chunk) : chunk;
    carry = new Uint8Array(0);
    if (!started) {
      if (rest.length < 4) {
        carry = rest.slice();
        continue;
      }
      rest = checkStart(rest, window.sourceName);
      started = true;
    }
    for (let at = 0; at < rest.length; ) {
      throwIfAborted(signal, `reading ${window.sourceName}`);
      const limit = Math.min(rest.length, at + PIECE_BYTES);
      const end = wholeCharacters(rest, at, limit);
      if (end > at) yield decode(rest.subarray(at, end), window);
      if (limit === rest.length) carry = rest.slice(end);
      at = limit === rest.length ? limit : end;
    }
  }
  throwIfAborted(signal, `reading ${window.sourceName}`);
  if (!started) carry = checkStart(carry, window.sourceName);
  if (carry.length > 0) yield decode(carry, window);
}

function decode(bytes: Uint8Array, window: TextWindow): string {
  if (!isUtf8(bytes)) throw invalidUtf8(bytes, window);
  const text = decoder.decode(bytes);
  window.append(text);
  return text;
}

/** The last place at or before `limit` at which no character is cut (at most 3 bytes back). */
function wholeCharacters(bytes: Uint8Array, from: number, limit: number): number {
  for (let back = 1; back <= 3 && limit - back >= from; back++) {
    const byte = bytes[limit - back]!;
    if (byte < 0x80) return limit;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? limit - back : limit;
  }
  return limit;
}

function concat(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length);
  joined.set(left);
  joined.set(right, left.length);
  return joined;
}

const MAGIC: readonly { readonly bytes: readonly number[]; readonly what: string; readonly hint?: string }[] = [
  { bytes: [0x1f, 0x8b], what: 'gzip data', hint: 'give the file the extension .gz, or name its compression' },
  {
    bytes: [0x28, 0xb5, 0x2f, 0xfd],
    what: 'Zstandard data',
    hint: 'give the file the extension .zst, or name its compression',
  },
  { bytes: [0x00, 0x00, 0xfe, 0xff], what: 'UTF-32 text', hint: 'convert it to UTF-8' },
  { bytes: [0xff, 0xfe], what: 'UTF-16 text', hint: 'convert it to UTF-8' },
  { bytes: [0xfe, 0xff], what: 'UTF-16 text', hint: 'convert it to UTF-8' },
  { bytes: [0x50, 0x4b, 0x03, 0x04], what: 'a ZIP archive', hint: 'unpack it first' },
  { bytes: [0x42, 0x5a, 0x68], what: 'bzip2 data', hint: 'unpack it first' },
  { bytes: [0xfd, 0x37, 0x7a, 0x58], what: 'xz data', hint: 'unpack it first' },
  { bytes: [0x25, 0x50, 0x44, 0x46], what: 'a PDF file' },
  { bytes: [0x89, 0x50, 0x4e, 0x47], what: 'a PNG image' },
  { bytes: [0xff, 0xd8, 0xff], what: 'a JPEG image' },
  { bytes: [0x7f, 0x45, 0x4c, 0x46], what: 'an executable' },
];

/** Refuses what is not UTF-8 text; answers the bytes after a byte order mark. */
function checkStart(bytes: Uint8Array, sourceName: string): Uint8Array {
  const magic = MAGIC.find((candidate) => candidate.bytes.every((byte, index) => bytes[index] === byte));
  if (magic !== undefined) throw notText(sourceName, magic.what, magic.hint);
  const zeros = [0, 1, 2, 3].filter((index) => bytes[index] === 0).length;
  if (bytes.length >= 4 && zeros === 2 && (bytes[0] === 0) === (bytes[2] === 0)) {
    throw notText(sourceName, 'UTF-16 text', 'convert it to UTF-8');
  }
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return marked ? bytes.subarray(3) : bytes;
}

function notText(sourceName: string, what: string, hint = 'only text formats can be read'): SvcError {
  return new SvcError('parse_error', `this is ${what}, not UTF-8 text`, {
    position: { source: sourceName, line: 1, column: 1 },
    hint,
  });
}

function invalidUtf8(bytes: Uint8Array, window: TextWindow): SvcError {
  const offset = firstInvalid(bytes);
  window.append(decoder.decode(bytes.subarray(0, offset)));
  const byte = `0x${(bytes[offset] ?? 0).toString(16).padStart(2, '0')}`;
  const head = bytes.subarray(0, 1024);
  const controls = head.filter((value) => value < 0x20 && value !== 0x09 && value !== 0x0a && value !== 0x0d).length;
  const binary = controls * 20 > head.length;
  const message = binary
    ? `this looks like a binary file (invalid UTF-8 at byte ${byte})`
    : `invalid UTF-8 (byte ${byte})`;
  return new SvcError('invalid_utf8', message, {
    position: window.atEnd(),
    hint: binary ? 'only text formats can be read' : 'convert the file to UTF-8',
  });
}

/** The length of the longest valid beginning. */
function firstInvalid(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  // Valid means: valid once an unfinished character at its end is cut off.
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const whole = wholeCharacters(bytes, 0, middle);
    if (isUtf8(bytes.subarray(0, whole))) low = middle;
    else high = middle - 1;
  }
  return wholeCharacters(bytes, 0, low);
}
