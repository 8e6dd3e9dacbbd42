/**
 * The files of packs that the snapshots of a thread read, by alias. They are opened when a snapshot first reads one, each
 * with caches of its own over memory that is borrowed from the thread's. A file that no snapshot reads stays open while few
 * are; which file stands behind an alias is asked each time, so that one that has another, or none any more, is let go. So is
 * one whose file was exchanged or written since.
 */

import { rmSync } from 'node:fs';
import { SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { type FileMark, markOf } from '../lmdb/file-mark.js';

/** Files that stay open without a reader. */
const OPEN_MAX = 16;

export type ResolveArchive = (alias: string) => string | null;
/** Opens the pack at a path for a store, in the memory that is given; throws what is wrong with it. */
export type OpenArchive<Context> = (path: string, memory: ThreadMemory) => Context;

/** What snapshots of a file read by. */
interface ArchiveContext {
  readonly memory: ThreadMemory;
  readonly file: { close(): Promise<void> };
}

interface OpenFile<Context> {
  readonly alias: string;
  readonly path: string;
  /** Of the file, before it was opened. */
  readonly mark: FileMark | null;
  readonly context: Context;
  readers: number;
  /** It is closed when its last reader is gone. */
  isLeft: boolean;
}

export interface HeldArchive<Context> {
  readonly context: Context;
  release(): void;
}

export class Archives<Context extends ArchiveContext> {
  readonly #memory: ThreadMemory;
  readonly #open: OpenArchive<Context>;
  #resolve: ResolveArchive;
  #openMax: number;
  /** Those that were read last come last. */
  readonly #files = new Map<string, OpenFile<Context>>();
  readonly #closing = new Set<Promise<void>>();

  constructor(
    memory: ThreadMemory,
    open: OpenArchive<Context>,
    resolve: ResolveArchive = () => null,
    openMax = OPEN_MAX,
  ) {
    this.#memory = memory;
    this.#open = open;
    this.#resolve = resolve;
    this.#openMax = openMax;
  }

  use(resolve: ResolveArchive, openMax = OPEN_MAX): void {
    this.#resolve = resolve;
    this.#openMax = openMax;
    this.#closeIdle();
  }

  /** The same archives over another memory; none is open there. */
  movedTo(memory: ThreadMemory): Archives<Context> {
    return new Archives(memory, this.#open, this.#resolve, this.#openMax);
  }

  get aliases(): readonly string[] {
    return [...this.#files.keys()];
  }

  /** True while a snapshot reads one. */
  get isRead(): boolean {
    return [...this.#files.values()].some(({ readers }) => readers > 0);
  }

  hold(alias: string): HeldArchive<Context> {
    const path = this.#resolve(alias);
    let file = this.#files.get(alias);
    if (file !== undefined && (path === null || file.path !== path || file.mark !== markOf(path))) {
      // LMDB's lock file belongs to the file that was there; two files with one would take each other's readers for gone.
      if (file.path === path) rmSync(`${path}-lock`, { force: true });
      this.#leave(file);
      file = undefined;
    }
    if (path === null) throw new SvcError('store_missing', `no store is attached as ${alias}`);
    file ??= this.#opened(alias, path);
    const held = file;
    this.#files.delete(alias);
    this.#files.set(alias, held);
    held.readers++;
    this.#closeIdle();
    let released = false;
    return {
      context: held.context,
      release: () => {
        if (released) return;
        released = true;
        held.readers--;
        if (held.isLeft) this.#closeUnread(held);
        else this.#closeIdle();
      },
    };
  }

  #opened(alias: string, path: string): OpenFile<Context> {
    const memory = this.#memory.arena();
    const mark = markOf(path);
    try {
      return { alias, path, mark, context: this.#open(path, memory), readers: 0, isLeft: false };
    } catch (error) {
      memory.release();
      throw error;
    }
  }

  /** The oldest go first; those that are read stay, however many they are. */
  #closeIdle(): void {
    for (const file of this.#files.values()) {
      if (this.#files.size <= this.#openMax) return;
      if (file.readers === 0) this.#leave(file);
    }
  }

  #leave(file: OpenFile<Context>): void {
    this.#files.delete(file.alias);
    file.isLeft = true;
    this.#closeUnread(file);
  }

  #closeUnread({ readers, context }: OpenFile<Context>): void {
    if (readers > 0) return;
    context.memory.release();
    const closing = context.file.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** Closes all of them, once nobody reads them. */
  async close(): Promise<void> {
    for (const file of [...this.#files.values()]) this.#leave(file);
    await Promise.allSettled([...this.#closing]);
  }
}
