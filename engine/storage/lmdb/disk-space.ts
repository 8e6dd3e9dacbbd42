/**
 * Room on the disk for what a transaction is about to write, made sure of before LMDB writes it.
 *
 * LMDB must not be the one to find out that a disk is full: lmdb-js 3.5.6 prints the refused write
 * into 100 bytes that may need 126 (`last_error` in its `mdb_page_flush`), which ends the process
 * some commits later. So when the disk is nearly full, the space is taken beforehand by zeros behind
 * the end of the file, which LMDB then overwrites; a write of zeros that is refused is an error like
 * any other. A disk with space left costs one look at it.
 *
 * The same holds for the length that the process may give a file (`ulimit -f`): it is asked for once.
 *
 * What is not covered: quotas that the file system doesn't count as full, and file systems that
 * need new space to overwrite old; the greatest length of a file on its file system.
 */

import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Others write to the same disk: with less than this beyond what is needed, space is taken beforehand. */
const EASE_BYTES = 64 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;
const BLOCK_BYTES = 512;

/** Bytes that may still be written to the disk of a folder; infinite where that can't be told. */
export function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The error of a write that the system refuses because the disk is full. */
export function noSpace(path: string, bytes: number): Error {
  return Object.assign(new Error(`no space left for ${bytes} bytes of ${path}`), { code: 'ENOSPC' });
}

/** The length that this process may give a file; infinite where nothing limits or tells it. */
function readLengthMax(): number {
  try {
    const bytes = /^Max file size\s+(\d+)\s/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return bytes === undefined ? Number.POSITIVE_INFINITY : Number(bytes);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

let lengthMax: number | null = null;

/** Throws `EFBIG` when a file of this process may not have `bytes`. */
function assertLength(bytes: () => number): void {
  lengthMax ??= readLengthMax();
  if (lengthMax === Number.POSITIVE_INFINITY || bytes() <= lengthMax) return;
  throw Object.assign(new Error(`a file of this process may have ${lengthMax} bytes`), { code: 'EFBIG' });
}

/** More than the lock file that LMDB makes for an environment: it writes through a map, where a full disk ends the process. */
const LOCK_BYTES = 64 * 1024;

/** Before LMDB makes the lock file of an environment: throws `ENOSPC` or `EFBIG` when there is no room for one. */
export function assertRoomForLock(path: string): void {
  if (existsSync(`${path}-lock`)) return;
  assertLength(() => LOCK_BYTES);
  if (freeBytes(dirname(path)) >= LOCK_BYTES) return;
  throw noSpace(`${path}-lock`, LOCK_BYTES);
}

/**
 * Makes sure that `bytes` find room behind the end of a file. Returns true when the file was made
 * longer for it; then `giveBack` when they are written. Throws `ENOSPC` or `EFBIG` and leaves the file as it was.
 */
export function takeRoom(path: string, bytes: number): boolean {
  assertLength(() => statSync(path).size + bytes);
  if (freeBytes(dirname(path)) >= 2 * bytes + EASE_BYTES) return false;
  const file = openSync(path, 'r+');
  try {
    const { size, blocks } = fstatSync(file);
    try {
      const piece = Buffer.alloc(Math.min(bytes, PIECE_BYTES));
      for (let at = 0; at < bytes; ) {
        at += writeSync(file, piece, 0, Math.min(piece.length, bytes - at), size + at);
      }
      // Pages that LMDB took and gave back unwritten are holes of the file; to fill them takes space, too.
      const holes = Math.min(bytes, Math.max(0, size - blocks * BLOCK_BYTES));
      if (freeBytes(dirname(path)) < holes) throw noSpace(path, holes);
    } catch (error) {
      ftruncateSync(file, size);
      throw error;
    }
  } finally {
    closeSync(file);
  }
  return true;
}

/** Cuts a file that `takeRoom` made longer back to `bytes`. */
export function giveBack(path: string, bytes: number): void {
  if (statSync(path).size <= bytes) return;
  const file = openSync(path, 'r+');
  try {
    ftruncateSync(file, bytes);
  } finally {
    closeSync(file);
  }
}
