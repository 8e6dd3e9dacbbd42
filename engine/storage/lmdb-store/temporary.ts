/**
 * Stores that end with their process: each is a file in a folder of its own, below the one for temporary files. Nothing of it is
 * ever flushed, so that the system keeps it in memory as long as there is room, and takes it to the disk when there is none.
 *
 * The folder goes when the store is closed, or with the process; that of a process which was killed goes when the next one
 * on the same host opens a store of this kind.
 */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { SvcError } from '../../base/errors.js';
import { INDEXES } from '../indexes/index-list.js';
import { databasesOf, type FileIndex } from '../indexes/secondary-index.js';
import { LmdbFile } from '../lmdb/file.js';
import { isRunning } from '../lmdb/litter.js';
import { readSeed } from '../lmdb/seed.js';
import type { StorageEngine } from '../seam/engine.js';
import { LmdbEngine } from './lmdb-engine.js';
import type { MaintenanceBounds } from './maintenance.js';
import { writeFirst } from './open.js';

export interface TemporaryOptions {
  readonly baseNamespace?: string | undefined;
  /** Internal; tests make them small. */
  readonly bounds?: MaintenanceBounds | undefined;
  /** Internal: secondary indexes besides those of every store. */
  readonly indexes?: readonly FileIndex[] | undefined;
}

const START = 'svc-memory';
const FOLDER = /^svc-memory-(.+)-(\d+)-[A-Za-z0-9]{6}$/;

/** Folders of this thread's stores that are open. */
const folders = new Set<string>();
let isWatching = false;

/** `name`: what the store is called in messages. */
export async function openTemporaryEngine(name: string, options: TemporaryOptions = {}): Promise<StorageEngine> {
  const { baseNamespace, bounds } = options;
  const indexes = [...INDEXES, ...(options.indexes ?? [])];
  const folder = makeFolder(name);
  const held = { release: () => removeFolder(folder) };
  try {
    const file = LmdbFile.open(join(folder, 'store.db'), {
      readOnly: false,
      more: databasesOf(indexes),
      durable: false,
    });
    try {
      await writeFirst(file, baseNamespace);
      return new LmdbEngine(file, readSeed(file), held, { name, bounds, indexes });
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    held.release();
    throw error;
  }
}

function makeFolder(name: string): string {
  const parent = tmpdir();
  if (!isWatching) {
    isWatching = true;
    removeAbandoned(parent);
    process.once('exit', () => {
      for (const folder of folders) removeFolder(folder);
    });
  }
  try {
    const folder = mkdtempSync(join(parent, `${START}-${hostname()}-${process.pid}-`));
    folders.add(folder);
    return folder;
  } catch (error) {
    throw new SvcError('disk_io', `${name} needs a folder in ${parent}: ${(error as Error).message}`, {
      cause: error,
      hint: 'name a folder for temporary files that can be written in the environment variable TMPDIR',
    });
  }
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** Of processes of this host that are gone. */
function removeAbandoned(parent: string): void {
  let names: readonly string[] = [];
  try {
    names = readdirSync(parent);
  } catch {
    // Whoever makes a folder there is told why that can't be.
  }
  for (const name of names) {
    const [, host, pid] = FOLDER.exec(name) ?? [];
    if (host !== hostname() || isRunning(Number(pid))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // It belongs to somebody else, or another process removes it just now.
    }
  }
}
