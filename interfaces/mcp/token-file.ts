/**
 * The file that holds the bearer token of a connection over standard input: a regular file that nobody else may read,
 * and small. It is opened once, without following a link and without waiting for the other end of a pipe; what is checked
 * is the open file. No message holds anything of what the file says.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { SvcError } from '../../engine/base/errors.js';

const BYTES_MAX = 4096;
const MODES: readonly number[] = [0o600, 0o400];

function refuse(path: string, what: string, hint?: string): SvcError {
  return new SvcError('configuration', `the token file ${path} ${what}`, hint === undefined ? {} : { hint });
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'is a link';
  if (stats.isDirectory()) return 'is a folder';
  if (stats.isFIFO()) return 'is a pipe';
  if (stats.isSocket()) return 'is a socket';
  return 'is a device';
}

function check(path: string, stats: Stats): void {
  if (!stats.isFile()) throw refuse(path, `${kindOf(stats)}; expected a regular file`);
  if (stats.size > BYTES_MAX) throw refuse(path, `has ${stats.size} bytes; expected at most ${BYTES_MAX}`);
  if (process.platform === 'win32') return;
  const mode = stats.mode & 0o7777;
  if (MODES.includes(mode)) return;
  throw refuse(path, `has mode ${mode.toString(8).padStart(4, '0')}; expected 0600 or 0400`, `chmod 600 ${path}`);
}

function readOpen(path: string, file: number): string {
  check(path, fstatSync(file));
  const buffer = Buffer.alloc(BYTES_MAX + 1);
  let length = 0;
  for (;;) {
    const read = readSync(file, buffer, length, buffer.length - length, null);
    length += read;
    // It grew while it was read.
    if (length > BYTES_MAX) throw refuse(path, `has more than ${BYTES_MAX} bytes`);
    if (read === 0) return buffer.toString('utf8', 0, length);
  }
}

export function readTokenFile(path: string): string {
  let text: string;
  try {
    const before = lstatSync(path);
    check(path, before);
    // Not there on Windows.
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      text = readOpen(path, file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(path, code === 'ENOENT' ? 'is not there' : `can't be read (${code})`);
  }
  const token = text.trim();
  if (token === '') throw refuse(path, 'is empty; expected one line with the token');
  if (/\s/.test(token)) throw refuse(path, 'holds more than one word; expected one line with the token');
  return token;
}
