/** A lake in a folder. */

import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { flush } from '../../storage/lmdb/temporary-sibling.js';
import type { LakeTarget, ReadFile, TargetFile } from './target.js';

const LOCK = 'export.lock';

export class FolderTarget implements LakeTarget {
  readonly name: string;
  readonly location: string;

  constructor(folder: string) {
    this.name = resolve(folder);
    // Hadoop's paths, which Iceberg's are, are not percent-encoded.
    this.location = `file://${this.name.split(sep).join('/')}`;
  }

  async read(path: string): Promise<ReadFile | null> {
    try {
      const bytes = await readFile(this.#at(path));
      return { bytes, version: createHash('sha256').update(bytes).digest('hex') };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return null;
      throw fromSystemError(error, `reading ${this.#at(path)}`);
    }
  }

  async has(path: string): Promise<boolean> {
    return existsSync(this.#at(path));
  }

  async *stream(path: string): AsyncGenerator<Uint8Array> {
    try {
      yield* createReadStream(this.#at(path));
    } catch (error) {
      throw fromSystemError(error, `reading ${this.#at(path)}`);
    }
  }

  async create(path: string): Promise<TargetFile> {
    const at = this.#at(path);
    const what = `writing ${at}`;
    const handle = await system(what, async () => {
      await mkdir(dirname(at), { recursive: true });
      return open(at, 'w');
    });
    return new FolderFile(handle, at, what);
  }

  async replace(path: string, bytes: Uint8Array, before: ReadFile | null): Promise<void> {
    const at = this.#at(path);
    const aside = `${at}.new-${process.pid}`;
    await system(`writing ${at}`, async () => {
      await mkdir(dirname(at), { recursive: true });
      const handle = await open(aside, 'w');
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
    const now = await this.read(path);
    if (now?.version !== before?.version) {
      await rm(aside, { force: true });
      throw new SvcError('version_conflict', `${at} was changed by another export meanwhile`, { hint: 'export again' });
    }
    await system(`writing ${at}`, async () => {
      await rename(aside, at);
      await flush(dirname(at));
    });
  }

  async *list(folder = ''): AsyncGenerator<string> {
    const entries = await readdir(this.#at(folder), { withFileTypes: true }).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return [];
      if (code === 'ENOTDIR') throw noFolder(this.#at(folder));
      throw fromSystemError(error, `reading ${this.#at(folder)}`);
    });
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) yield* this.list(path);
      else yield path;
    }
  }

  async remove(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      await rm(this.#at(path), { force: true });
      // A folder that others are in stays.
      await rmdir(dirname(this.#at(path))).catch(() => undefined);
    }
  }

  async lock(): Promise<() => Promise<void>> {
    const at = this.#at(LOCK);
    await this.#make();
    for (let attempt = 0; ; attempt++) {
      try {
        const handle = await open(at, 'wx');
        await handle.writeFile(`${process.pid}\n`);
        await handle.close();
        return () => rm(at, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fromSystemError(error, `writing ${at}`);
        const holder = Number(await readFile(at, 'utf8').catch(() => ''));
        if (attempt > 0 || isAlive(holder)) {
          throw new SvcError('state_conflict', `process ${holder} is exporting to ${this.name}`, {
            hint: `wait until it is done; if there is no such process, remove ${at}`,
          });
        }
        await rm(at, { force: true });
      }
    }
  }

  async #make(): Promise<void> {
    try {
      await mkdir(this.name, { recursive: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' || code === 'ENOTDIR') throw noFolder(this.name);
      throw fromSystemError(error, `making ${this.name}`);
    }
  }

  close(): void {
    // Every file is closed when it is done.
  }

  #at(path: string): string {
    return join(this.name, ...path.split('/'));
  }
}

function noFolder(path: string): SvcError {
  return new SvcError('invalid_request', `${path} is no folder`, { hint: 'name a folder for the lake' });
}

function isAlive(process_: number): boolean {
  if (!Number.isInteger(process_) || process_ <= 0) return false;
  try {
    process.kill(process_, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

class FolderFile implements TargetFile {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #what: string;
  #isOpen = true;

  constructor(handle: FileHandle, path: string, what: string) {
    this.#handle = handle;
    this.#path = path;
    this.#what = what;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await system(this.#what, async () => {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at);
        at += bytesWritten;
      }
    });
  }

  async finish(): Promise<void> {
    await system(this.#what, () => this.#handle.sync());
    await this.#close();
    await system(this.#what, () => flush(dirname(this.#path)));
  }

  async abandon(): Promise<void> {
    await this.#close();
    await rm(this.#path, { force: true });
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close();
  }
}

async function system<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw fromSystemError(error, what);
  }
}
