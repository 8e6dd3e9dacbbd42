/** What the disk itself takes, and what this process has written to it. */
import { closeSync, fdatasyncSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';

export const PAGE_BYTES = 4096;

/**
 * Writes the same 4 KB again and again, with a sync of the data after each: the least that anything
 * durable costs on this disk.
 */
export class SyncProbe {
  readonly #path: string;
  readonly #file: number;
  readonly #page = Buffer.alloc(PAGE_BYTES);

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'w+');
    writeSync(this.#file, this.#page, 0, PAGE_BYTES, 0);
    fsyncSync(this.#file);
  }

  /** Milliseconds of one write and sync. */
  once(): number {
    this.#page[0] = ((this.#page[0] as number) + 1) & 255;
    const begin = performance.now();
    writeSync(this.#file, this.#page, 0, PAGE_BYTES, 0);
    fdatasyncSync(this.#file);
    return performance.now() - begin;
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}

/**
 * Bytes that this process has handed to the system in writes; NaN where the system does not tell. LMDB
 * writes whole pages, each once a commit. The count of pages made dirty (`write_bytes`) is of no use: where
 * the page cache holds a file in pieces of many pages, one page written counts as the whole piece.
 */
export function writtenBytes(): number {
  try {
    return Number(/^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? Number.NaN);
  } catch {
    return Number.NaN;
  }
}
