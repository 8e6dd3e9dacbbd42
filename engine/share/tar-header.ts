/**
 * The header of a file in a POSIX ustar archive, 512 bytes, of which a share archive uses the plainest form: a regular
 * file, mode 0644, nobody's, of no time.
 *
 * | Bytes | What | Written |
 * |---|---|---|
 * | 0-99 | name | the name |
 * | 100-107, 108-115, 116-123 | mode, owner, group; octal | 0000644, 0, 0 |
 * | 124-135 | bytes of the content; octal | |
 * | 136-147 | time; octal | 0 |
 * | 148-155 | sum of the bytes of the header, with spaces here; octal | |
 * | 156 | kind | `0`, a regular file |
 * | 157-256 | target of a link | empty |
 * | 257-264 | magic and version | `ustar`, NUL, `00` |
 * | 265-328 | names of owner and group | empty |
 * | 329-344 | device; octal | 0 |
 * | 345-499 | what stands before the name | empty |
 */

import { SvcError } from '../base/errors.js';

export const BLOCK_BYTES = 512;
const SUM_AT = 148;
const ZERO = 0x30;
const DIRECTORY = '5';

export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  readonly isDirectory: boolean;
}

export function writeHeader(name: string, bytes: number): Uint8Array {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0, 'latin1');
  header.write('0000644\0' + '0000000\0' + '0000000\0', 100, 'latin1');
  header.write(`${octal(bytes, 11)}\0`, 124, 'latin1');
  header.write(`${octal(0, 11)}\0`, 136, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  header.write('0000000\0' + '0000000\0', 329, 'latin1');
  header.write(`${octal(sumOf(header), 6)}\0 `, SUM_AT, 'latin1');
  return header;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function sumOf(header: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < BLOCK_BYTES; at++) {
    sum += at >= SUM_AT && at < SUM_AT + 8 ? 0x20 : (header[at] as number);
  }
  return sum;
}

/** Bytes behind a content up to the next block. */
export function paddingOf(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;
}

export function isZeroBlock(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

/** Kinds of entries that are no files, by what messages call them. */
const OTHER_KINDS: Readonly<Record<string, string>> = {
  1: 'a hard link',
  2: 'a symbolic link',
  3: 'a device',
  4: 'a device',
  6: 'a named pipe',
  7: 'a reserved file',
  g: 'a pax header (make the archive with --format=ustar)',
  x: 'a pax header (make the archive with --format=ustar)',
  L: 'a long name of GNU tar (make the archive with --format=ustar)',
  K: 'a long link of GNU tar (make the archive with --format=ustar)',
  S: 'a sparse file',
};

export function readHeader(block: Uint8Array): TarEntry {
  const header = Buffer.from(block.buffer, block.byteOffset, block.length);
  const name =
    textAt(header, 345, 155) === '' ? textAt(header, 0, 100) : `${textAt(header, 345, 155)}/${textAt(header, 0, 100)}`;
  const shown = JSON.stringify(name).slice(0, 120);
  if (octalAt(header, SUM_AT, 8) !== sumOf(header)) {
    throw archiveRefusal(`the header of ${shown} has another sum than its bytes`, 'it is damaged, or no tar archive');
  }
  if (header.toString('latin1', 257, 262) !== 'ustar') {
    throw archiveRefusal(`the header of ${shown} is not one of ustar`, 'make the archive with --format=ustar');
  }
  const kind = header.toString('latin1', 156, 157);
  const other = OTHER_KINDS[kind];
  if (other !== undefined) throw archiveRefusal(`the entry ${shown} is ${other}; only files are taken`);
  if (kind !== '0' && kind !== '\0' && kind !== DIRECTORY) {
    throw archiveRefusal(`the entry ${shown} is of the unknown kind ${JSON.stringify(kind)}; only files are taken`);
  }
  const bytes = octalAt(header, 124, 12);
  if (bytes === null) throw archiveRefusal(`the size of ${shown} is not an octal number`);
  const isDirectory = kind === DIRECTORY;
  if (isDirectory && bytes > 0) throw archiveRefusal(`the directory ${shown} has a content`);
  return { name, bytes, isDirectory };
}

function textAt(header: Buffer, from: number, length: number): string {
  const end = header.indexOf(0, from);
  return header.toString('utf8', from, end < 0 || end > from + length ? from + length : end);
}

function octalAt(header: Buffer, from: number, length: number): number | null {
  const text = header
    .toString('latin1', from, from + length)
    .replace(/[\0 ]+$/, '')
    .trimStart();
  if (!/^[0-7]+$/.test(text)) return null;
  let value = 0;
  for (const digit of text) value = value * 8 + (digit.charCodeAt(0) - ZERO);
  return value;
}

export function archiveRefusal(what: string, hint?: string): SvcError {
  const message = `the share archive can't be read: ${what}`;
  return new SvcError('invalid_request', message, hint === undefined ? {} : { hint });
}
