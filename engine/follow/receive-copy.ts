/**
 * The beginning of a follower: a copy of the primary's file.
 *
 * 1. It is written beside its place, frame by frame, each with its checksum.
 * 2. It is looked over as any store file is, marked as a follower, and must be the store that the primary said it is.
 * 3. The packs of its frozen graphs are fetched where they are not there: by the hash of their contents, which is found anew.
 * 4. It gets its name. One that was cut leaves nothing that a store could be taken for.
 */

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { type Control, throwIfStopped } from '../base/control.js';
import { fromSystemError, SvcError } from '../base/errors.js';
import { filePath } from '../graphs/archives.js';
import { FREEZES, type FreezeRow } from '../query/registry/freeze-rows.js';
import { markCopy } from '../storage/admin/role-of-file.js';
import { checkHeader } from '../storage/lmdb/file.js';
import { removeOldBackups } from '../storage/lmdb/litter.js';
import { asideName, checkRoom, removeAside, takeName } from '../storage/lmdb/temporary-sibling.js';
import { openLmdbEngine } from '../storage/lmdb-store/open.js';
import type { StorageEngine } from '../storage/seam/engine.js';
import { lookInto } from '../storage/seam/rows.js';
import { askPrimary, framesOf, helloFrom, type Primary } from './ask-primary.js';
import { type End, FRAME, type Hello, jsonOf, LOG_VERSION } from './frames.js';
import { silenceLimit } from './silence-limit.js';

const REPORT_MS = 100;
/** What one call of the system takes is bounded (IOV_MAX). */
const PIECES_AT_ONCE = 512;
/** So much is written before it is flushed. */
const FLUSH_BYTES = 32 * 1024 * 1024;

/** A copy that is whole, and has no name yet. */
export interface ReceivedCopy {
  readonly aside: string;
  readonly tx: number;
  readonly bytes: number;
}

export async function receiveCopy(primary: Primary, path: string, control: Control): Promise<ReceivedCopy> {
  removeOldBackups(path);
  const aside = asideName(path, 'backup');
  try {
    await removeAside(aside);
    const hello = await fetchFile(primary, `/log/bootstrap?version=${LOG_VERSION}`, aside, control);
    checkHeader(aside);
    await markCopy(aside, { role: 'follower', epoch: hello.epoch, primary: primary.url, fencedBy: null });
    const copy = await openLmdbEngine(aside, { readOnly: true, checked: true });
    try {
      const state = copy.replication?.state();
      if (state === undefined || state.lineage !== hello.lineage || state.numbering !== hello.numbering) {
        throw new SvcError('service_failed', `${primary.url} sent the file of another store than it said`);
      }
      await fetchPacks(primary, copy, path, control);
      return { aside, tx: state.tx, bytes: statSync(aside).size };
    } finally {
      await copy.close();
    }
  } catch (error) {
    await removeAside(aside);
    throw fromSystemError(error, `copying the store to ${path}`);
  }
}

/** Gives a copy its name. Nobody may have the file of that name open. */
export async function placeCopy({ aside }: ReceivedCopy, path: string): Promise<void> {
  await takeName(aside, path);
}

/** A file as the primary sends it, flushed. */
async function fetchFile(primary: Primary, from: string, to: string, { signal, onProgress }: Control): Promise<Hello> {
  const started = performance.now();
  let reported = started;
  const silence = silenceLimit(signal);
  const handle = await open(to, 'wx', 0o600);
  let flushing: Promise<void> = Promise.resolve();
  try {
    const frames = framesOf(await askPrimary(primary, from, silence.signal), silence.heard);
    const first = await frames.next();
    const hello = helloFrom(first.done === true ? undefined : first.value, primary);
    const total = hello.bytes ?? 0;
    checkRoom(dirname(resolve(to)), to, total);
    let bytes = 0;
    let ended: End | null = null;
    let unflushed = 0;
    for await (const frame of frames) {
      throwIfStopped({ signal }, 'the copy');
      if (frame.kind === FRAME.end) {
        ended = jsonOf<End>(frame);
        break;
      }
      if (frame.kind !== FRAME.bytes) continue;
      if (bytes + frame.bytes > total) {
        throw new SvcError('service_failed', `${primary.url} sends more than the ${total} bytes that it said`);
      }
      await writeWhole(handle, frame.pieces);
      bytes += frame.bytes;
      unflushed += frame.bytes;
      if (unflushed >= FLUSH_BYTES) {
        // Beside what comes next, so that little is left to flush at the end.
        await flushing;
        unflushed = 0;
        flushing = handle.datasync();
        // Told where it is waited for.
        flushing.catch(() => undefined);
      }
      const now = performance.now();
      if (now - reported < REPORT_MS && bytes < total) continue;
      reported = now;
      onProgress?.({ phase: 'copy', done: bytes, total, unit: 'bytes', elapsedMs: now - started });
    }
    if (ended === null)
      throw new SvcError('service_failed', `${primary.url} sent ${bytes} of ${total} bytes, and no end`);
    if (ended.code !== null) throw new SvcError('service_failed', `${primary.url} could not send it: ${ended.message}`);
    if (bytes !== total) throw new SvcError('service_failed', `${primary.url} sent ${bytes} of ${total} bytes`);
    await flushing;
    await handle.sync();
    return hello;
  } finally {
    silence.end();
    // A failure of it was told above, or something else failed before it.
    await flushing.catch(() => undefined);
    await handle.close();
  }
}

async function writeWhole(handle: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  for (let at = 0; at < pieces.length; at += PIECES_AT_ONCE) {
    const some = pieces.slice(at, at + PIECES_AT_ONCE);
    const wanted = some.reduce((sum, { length }) => sum + length, 0);
    const { bytesWritten } = await handle.writev(some);
    // A disk that is nearly full takes a part.
    if (bytesWritten < wanted) await handle.appendFile(Buffer.concat(some).subarray(bytesWritten));
  }
}

function frozenIn(engine: StorageEngine): FreezeRow[] {
  return lookInto(engine.snapshot(), (snapshot) => FREEZES.all(snapshot)).filter(({ state }) => state === 'frozen');
}

async function fetchPacks(primary: Primary, copy: StorageEngine, path: string, control: Control): Promise<void> {
  for (const row of frozenIn(copy)) {
    const place = filePath(path, row.path);
    if (existsSync(place) && statSync(place).size === row.bytes) continue;
    // What lies beside the store of the primary lies beside this one.
    if (!isAbsolute(row.path)) mkdirSync(dirname(place), { recursive: true });
    if (!existsSync(dirname(place))) {
      throw new SvcError(
        'unavailable',
        `the graph <${row.graph}> is frozen in ${place}, and there is no such folder here`,
        {
          hint: 'make the folder, which may not lie beside the store, by hand',
        },
      );
    }
    const aside = asideName(place, 'backup');
    try {
      await removeAside(aside);
      const hash = row.contentHash.replace(/^sha256:/, '');
      await fetchFile(primary, `/log/packs/${hash}?version=${LOG_VERSION}`, aside, control);
      const { content } = await copy.packs.read(aside, control);
      if (content.contentHash !== row.contentHash) {
        throw new SvcError('service_failed', `the pack of <${row.graph}> that ${primary.url} sent has other contents`);
      }
      await takeName(aside, place);
    } finally {
      await removeAside(aside);
    }
  }
}

/** The file of a frozen graph by the hash of its contents, for who sends it; null for a hash of none. */
export function packByHash(engine: StorageEngine, hash: string): string | null {
  const row = frozenIn(engine).find(({ contentHash }) => contentHash === `sha256:${hash}`);
  return row === undefined ? null : filePath(engine.path, row.path);
}
