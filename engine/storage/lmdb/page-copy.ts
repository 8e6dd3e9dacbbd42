/**
 * Copies the pages of one state of a store file while commits go on.
 *
 * 1. A read transaction is pinned. What a later transaction frees, LMDB leaves alone as long as it is.
 * 2. The two first pages are read after that: the newer of them names a state that is at least as new
 *    as the pinned one, so all its pages stay as they are.
 * 3. The pages up to the last one of that state are copied in pieces. Those that are free in it may
 *    change meanwhile, and hold nothing.
 *
 * LMDB has a copy of its own, which can't be stopped and says nothing on its way.
 */

import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { LmdbFile } from './file.js';

const META_PAGES = 2;
const HEADER_BYTES = 24;
const LAST_PAGE_AT = HEADER_BYTES + 120;
const TRANSACTION_AT = HEADER_BYTES + 128;
const PIECE_BYTES = 4 * 1024 * 1024;
/** A commit may write a first page while it is read; the next reading sees it whole. */
const TRIES_MAX = 100;

/** Called before each piece; throws to stop the copy. Both in bytes. */
export type OnPiece = (copied: number, total: number) => void | Promise<void>;

/** What takes the pieces, in the sequence of their positions. */
export interface PieceTarget {
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
}

/** The same to whoever takes bytes one after the other. */
export async function copyPagesTo(
  file: LmdbFile,
  take: (bytes: Uint8Array, total: number) => Promise<void>,
  control: Control,
): Promise<void> {
  const from = await open(file.path, 'r');
  const held: Uint8Array[] = [];
  let total = 0;
  try {
    const target: PieceTarget = {
      async write(bytes, offset, length) {
        const piece = bytes.subarray(offset, offset + length);
        // The first pages come before it is known how many there are; later pieces share one buffer.
        if (total === 0) held.push(Buffer.from(piece));
        else await take(piece, total);
        return { bytesWritten: length };
      },
    };
    await copyPages(file, from, target, async (_, all) => {
      throwIfStopped(control, 'the copy');
      total = all;
      for (const piece of held.splice(0)) await take(piece, all);
    });
  } finally {
    await from.close();
  }
}

/** Returns the bytes of the copy. */
export async function copyPages(file: LmdbFile, from: FileHandle, to: PieceTarget, onPiece: OnPiece): Promise<number> {
  const transaction = file.beginRead();
  try {
    // The transaction begins with its first read.
    file.read('meta', 'manifest', transaction);
    const { pageBytes } = file.pages();
    const first = await readFirstPages(from, META_PAGES * pageBytes, file.path);
    const [a, b] = [first.subarray(0, pageBytes), first.subarray(pageBytes)];
    const newest = a.readBigUInt64LE(TRANSACTION_AT) > b.readBigUInt64LE(TRANSACTION_AT) ? a : b;
    const pages = Number(newest.readBigUInt64LE(LAST_PAGE_AT)) + 1;
    // Pages that were freed in the transaction that took them are never written: the file may be shorter.
    const total = Math.min(pages * pageBytes, (await from.stat()).size);
    await to.write(first, 0, first.length, 0);
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (let at = first.length; at < total; ) {
      await onPiece(at, total);
      const { bytesRead } = await from.read(piece, 0, Math.min(PIECE_BYTES, total - at), at);
      if (bytesRead === 0) throw new SvcError('disk_io', `${file.path} became shorter while it was read`);
      await writeWhole(to, piece.subarray(0, bytesRead), at);
      at += bytesRead;
    }
    await onPiece(total, total);
    return total;
  } finally {
    file.release(transaction);
  }
}

/**
 * The first pages as they are between two commits. Two readings right after each other: with a turn of the event loop
 * between, a writer of the same thread that never rests would commit each time.
 */
async function readFirstPages(from: FileHandle, bytes: number, path: string): Promise<Buffer> {
  const [once, again] = [Buffer.alloc(bytes), Buffer.alloc(bytes)];
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const bytesRead = readSync(from.fd, once, 0, bytes, 0);
    if (bytesRead === bytes && readSync(from.fd, again, 0, bytes, 0) === bytes && once.equals(again)) return once;
    await breathe();
  }
  throw new SvcError('disk_io', `the first pages of ${path} could not be read while they were still`);
}

async function writeWhole(to: PieceTarget, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await to.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}
