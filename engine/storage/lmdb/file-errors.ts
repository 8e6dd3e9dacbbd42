/** What LMDB and the system say of a store file, in the words of the registry. */

import { dirname } from 'node:path';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { freeBytes } from './disk-space.js';

export function openForReading(path: string): SvcError {
  return new SvcError('store_locked', `this process has ${path} open for reading only, so it cannot write to it`, {
    hint: 'close it first, or open it for writing before it is opened for reading',
  });
}

function takenNumber(path: string): SvcError {
  return new SvcError(
    'store_locked',
    `${path} is open in another container, in a process with the number of this one (${process.pid}); LMDB tells readers by it`,
    { hint: 'ask that process, through svc serve, or run both in one pid namespace' },
  );
}

export function foreign(path: string, why: string): SvcError {
  return new SvcError('store_foreign', `${path} is not a store of svc: ${why}`, {
    hint: 'name another file with --db; this one was left as it is',
  });
}

/** A view in which LMDB met a damaged page is a bad transaction from then on, a file that it met one in while writing a panic. */
const DAMAGE =
  /MDB_INVALID|not an LMDB|MDB_VERSION_MISMATCH|MDB_CORRUPTED|MDB_PAGE_NOTFOUND|MDB_BAD_TXN|MDB_PANIC|MDB_CURSOR_FULL/;

/** `first opening`: this thread has not opened the file before. */
export function fileError(
  error: unknown,
  path: string,
  what: 'first opening' | 'opening' | 'reading' | 'writing',
): unknown {
  if (error instanceof SvcError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (DAMAGE.test(text)) {
    return new SvcError('store_corrupt', `${path} is damaged: ${text}`, {
      cause: error,
      hint: 'restore it from a backup; the file was left as it is',
    });
  }
  if (/No transaction to renew/.test(text)) {
    // The mode of a file that another thread opened first; or its lock of readers goes by the numbers of processes.
    return what === 'first opening' ? takenNumber(path) : openForReading(path);
  }
  return ioError(error, path, `${what === 'first opening' ? 'opening' : what} ${path}`);
}

/** Less space than this is taken for none: a transaction of a load writes about so much. */
const FREE_BYTES_MIN = 32 * 1024 * 1024;

/**
 * LMDB calls a write that came out short an input/output error. That is what a full disk looks like
 * when there was room for a part, so the disk is asked how full it is.
 */
function ioError(error: unknown, path: string, what: string): unknown {
  if (!(error instanceof Error) || error instanceof SvcError || !/Input\/output error/.test(error.message)) {
    return fromSystemError(error, what);
  }
  return fromSystemError(
    Object.assign(error, { code: freeBytes(dirname(path)) < FREE_BYTES_MIN ? 'ENOSPC' : 'EIO' }),
    what,
  );
}
