/**
 * Opens a store file. What is not a store of ours is refused before anything is written: the first
 * page is looked at, then the manifest is read through a read-only opening. A writer takes the
 * writer lock, and removes what an interrupted write left behind.
 */

import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import { INDEXES } from '../indexes/index-list.js';
import { databasesOf, type FileIndex } from '../indexes/secondary-index.js';
import { agreeOnBaseNamespace, putBaseNamespace } from '../lmdb/base-namespace.js';
import { checkHeader, type DatabaseName, LmdbFile } from '../lmdb/file.js';
import { putSeed, readSeed, SEED_BYTES, seedOf } from '../lmdb/seed.js';
import { putStoreId, readStoreId } from '../lmdb/store-id.js';
import { storePath } from '../lmdb/store-path.js';
import { flush, takeName } from '../lmdb/temporary-sibling.js';
import { WriterLock } from '../lmdb/writer-lock.js';
import { refusePack } from '../packs/pack-reader.js';
import { removeOrphans } from '../runs/file-sink.js';
import { decodeManifest, EMPTY_MANIFEST, encodeManifest } from '../runs/manifest.js';
import type { StorageEngine } from '../seam/engine.js';
import { LmdbEngine } from './lmdb-engine.js';
import type { MaintenanceBounds } from './maintenance.js';

export interface OpenOptions {
  /** Readers may be many and never lock; default false. */
  readonly readOnly?: boolean | undefined;
  /** Make the file when there is none; default true for writers. */
  readonly create?: boolean | undefined;
  /**
   * Another thread of this process has the file open and has looked it over; looking again would take
   * long, and would see pages change that the other one writes.
   */
  readonly checked?: boolean | undefined;
  /** The namespace of minted IRIs: kept by a store that is new or has none yet; any other is refused. */
  readonly baseNamespace?: string | undefined;
  /** Internal; tests make them small. */
  readonly bounds?: MaintenanceBounds | undefined;
  /** Internal: secondary indexes besides those of every store. */
  readonly indexes?: readonly FileIndex[] | undefined;
}

/** Opens or makes the store at a path, or behind the link that is there. */
export async function openLmdbEngine(given: string, options: OpenOptions = {}): Promise<StorageEngine> {
  const path = storePath(given);
  const readOnly = options.readOnly ?? false;
  const { baseNamespace, bounds } = options;
  const indexes = [...INDEXES, ...(options.indexes ?? [])];
  const more = databasesOf(indexes);
  const exists = options.checked || checkHeader(path, more);
  if (!exists && (readOnly || options.create === false)) {
    throw new SvcError('store_missing', `there is no store at ${path}`, {
      hint: 'load something into it first (svc knot FILE --db PATH), or name another file with --db',
    });
  }
  if (readOnly) {
    const file = LmdbFile.open(path, { readOnly: true, more });
    try {
      decodeManifest(file.readCopy('meta', 'manifest'), path);
      refusePack(file);
      agreeOnBaseNamespace(file, baseNamespace);
      return new LmdbEngine(file, readSeed(file), null, { bounds, indexes });
    } catch (error) {
      await file.close();
      throw error;
    }
  }
  if (!exists) await makeFolder(path);
  const lock = WriterLock.take(path);
  try {
    if (exists) await checkReadable(path, baseNamespace, more);
    else await create(path, baseNamespace);
    const file = LmdbFile.open(path, { readOnly: false, more });
    try {
      agreeOnBaseNamespace(file, baseNamespace);
      file.forgetDeadReaders();
      if (readStoreId(file) === null) file.write(() => putStoreId(file));
      removeOrphans(file, decodeManifest(file.readCopy('meta', 'manifest'), path));
      return new LmdbEngine(file, readSeed(file), lock, { bounds, indexes });
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function makeFolder(path: string): Promise<void> {
  const folder = dirname(resolve(path));
  try {
    const first = mkdirSync(folder, { recursive: true });
    // New folders last when those above them were flushed; the last one is when the store has its name.
    for (let made = folder; first !== undefined && made.length >= first.length; made = dirname(made)) {
      await flush(dirname(made));
    }
  } catch (error) {
    const known = fromSystemError(error, `making the folder of ${path}`);
    if (known instanceof SvcError) throw known;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOTDIR' || code === 'EEXIST') {
      throw new SvcError('invalid_request', `${path} cannot be made: a part of its path is a file`, { cause: error });
    }
    // On a file system that is read-only, making nested folders ends in ENOENT.
    throw new SvcError('store_read_only', `making the folder of ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Reads what tells of the store without being able to write; throws what the readers throw. */
async function checkReadable(
  path: string,
  baseNamespace: string | undefined,
  more: readonly DatabaseName[],
): Promise<void> {
  const file = LmdbFile.open(path, { readOnly: true, more });
  try {
    decodeManifest(file.readCopy('meta', 'manifest'), path);
    refusePack(file);
    readSeed(file);
    agreeOnBaseNamespace(file, baseNamespace);
  } finally {
    await file.close();
  }
}

/**
 * Makes an empty store beside its place and moves it there whole, so that one that was interrupted
 * while it was made never stands in the way. When this returns, a power cut does not take its name away.
 */
async function create(path: string, baseNamespace: string | undefined): Promise<void> {
  const aside = `${path}-new`;
  remove(aside);
  try {
    const file = LmdbFile.open(aside, { readOnly: false });
    try {
      await writeFirst(file, baseNamespace);
    } finally {
      await file.close();
    }
    await takeName(aside, path);
  } catch (error) {
    throw fromSystemError(error, `making ${path}`);
  } finally {
    remove(aside);
  }
}

/** Writes the first manifest, with the ROOT graph's IRI as term 1, and the secret seed of term hashes. */
export async function writeFirst(file: LmdbFile, baseNamespace: string | undefined): Promise<void> {
  // Loaded when needed: it brings the loader of documents with it.
  const { rootSegment } = await import('./first-term.js');
  const seed = randomBytes(SEED_BYTES);
  const first = await rootSegment(file, seedOf(seed), EMPTY_MANIFEST, ROOT_GRAPH_IRI);
  file.write(() => {
    putSeed(file, seed);
    putStoreId(file);
    if (baseNamespace !== undefined) putBaseNamespace(file, baseNamespace);
    file.put('meta', 'manifest', encodeManifest(first));
  });
}

function remove(path: string): void {
  for (const name of [path, `${path}-lock`]) rmSync(name, { force: true });
}
