/**
 * The files of frozen graphs: where they lie, and which file an alias of the registry means. The registry decides which
 * graphs are frozen; a file that is missing, or is not of the size that was verified, is an error of whoever reads it.
 */

import { type BigIntStats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { SvcError } from '../base/errors.js';
import { type FreezeRow, freezeOfAlias } from '../query/registry/freeze-rows.js';
import type { StorageEngine } from '../storage/seam/engine.js';
import { lookInto } from '../storage/seam/rows.js';

/** The path of a store without a file. */
const MEMORY_PATH = ':memory:';

/** The folder of a store file; null for a store in memory. */
export function storeFolder(storePath: string): string | null {
  return storePath === MEMORY_PATH ? null : dirname(resolve(storePath));
}

/** A path as the registry keeps it: from the folder of the store where it lies there. */
export function keptPath(storePath: string, path: string): string {
  const folder = storeFolder(storePath);
  if (folder === null) return path;
  const from = relative(folder, path);
  return from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from) ? path : from;
}

/** The path that the registry means. */
export function filePath(storePath: string, kept: string): string {
  return isAbsolute(kept) ? kept : join(storeFolder(storePath) ?? '', kept);
}

/** What the registry calls the store of a file: by its name where the file lies with it, so that both can be moved. */
export function storeNameFor(storePath: string, kept: string): string {
  const folder = storeFolder(storePath);
  if (folder === null) return storePath;
  return isAbsolute(kept) ? resolve(storePath) : relative(folder, resolve(storePath));
}

/** The file of a frozen graph, looked at from outside; throws `unavailable` when it can't be what was verified. */
export function archiveFile(storePath: string, { graph, path: kept, bytes }: FreezeRow): string {
  const path = filePath(storePath, kept);
  const fault = fileFault(path, bytes);
  if (fault === null) return path;
  throw new SvcError(
    'unavailable',
    `the graph <${graph}> is frozen and its archive can not be read: ${path} ${fault}`,
    {
      hint: 'put the file back from a copy',
    },
  );
}

/** The archive of a frozen graph, as lists of graphs tell of it. */
export interface GraphArchive {
  /** From the folder of the store where it lies there, else absolute. */
  readonly path: string;
  /** Of the contents, in hex. */
  readonly sha256: string;
  readonly frozenAt: string | null;
  /** Null, or why it can't be read. */
  readonly error: string | null;
}

export function archiveOf(storePath: string, { path, contentHash, frozenAt, bytes }: FreezeRow): GraphArchive {
  const fault = fileFault(filePath(storePath, path), bytes);
  const error = fault === null ? null : `${path} ${fault}`;
  return { path, sha256: contentHash.replace(/^sha256:/, ''), frozenAt, error };
}

function fileFault(path: string, bytes: number): string | null {
  let found: BigIntStats | undefined;
  try {
    found = statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    return `can't be looked at (${(error as Error).message})`;
  }
  if (found === undefined) return 'is not there';
  if (!found.isFile()) return 'is no file';
  return Number(found.size) === bytes ? null : `has ${found.size} bytes, and ${bytes} were verified`;
}

/** Archives that are about to be named by the registry, so that they can be tried before. */
const announced = new WeakMap<StorageEngine, Map<string, string>>();

/** Lets an engine find the archives of the store's registry. */
export function useArchives(engine: StorageEngine, openMax: number | undefined): void {
  const soon = new Map<string, string>();
  announced.set(engine, soon);
  const find = (alias: string): string | null => {
    const path = soon.get(alias);
    if (path !== undefined) return path;
    const freeze = lookInto(engine.snapshot(), (snapshot) => freezeOfAlias(snapshot, alias));
    return freeze?.state === 'frozen' ? archiveFile(engine.path, freeze) : null;
  };
  engine.packs.useArchives(find, { openMax });
}

/** Opens a file as the archive that it is to become, and lets it go; throws what reading it would. */
export function tryArchive(engine: StorageEngine, alias: string, path: string): void {
  const soon = announced.get(engine);
  if (soon === undefined) return;
  soon.set(alias, path);
  try {
    engine.packs.checkArchive(alias);
  } finally {
    soon.delete(alias);
  }
}
