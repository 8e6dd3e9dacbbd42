/**
 * The file that one query spills to: blocks of one size, written once, read and given back, and then
 * used again.
 *
 * The file is made with the first block, under a random name that only its owner may read, and is
 * unlinked at once where the platform allows that, so that nothing is left when the process dies. It is
 * closed when the last block has been given back. Files of dead processes are removed first (platforms
 * that can't unlink an open file leave some).
 */

import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromSystemError, SvcError } from '../../../base/errors.js';

export interface SpillOptions {
  /** Default: the folder of the system for temporary files. */
  readonly directory?: string | undefined;
  /** query.spill_max_mb in bytes: what one query may have on disk at a time. */
  readonly limitBytes?: number | undefined;
}

/** Default of query.spill_max_mb. */
export const SPILL_LIMIT_BYTES = 10 * 1024 * 2 ** 20;

/** Large enough for sequential speed, small enough that dozens of them are little of a budget. */
const BLOCK_BYTES_MAX = 65_536;
const BLOCK_BYTES_MIN = 4096;
/** Blocks that fit into the budget at least, since a merge or a partitioning holds dozens at a time. */
const BLOCKS_PER_BUDGET = 1024;

const NAME = /^svc-spill-(\d+)-[0-9a-f]+\.tmp$/;
/** Folders whose old files this process has looked for. */
const swept = new Set<string>();

export class SpillFile {
  readonly blockBytes: number;
  /** Bytes written in all. */
  writtenBytes = 0;
  private readonly wantedDirectory: string | undefined;
  private readonly limitBytes: number;
  private file: number | null = null;
  /** Set while the name still stands in the folder. */
  private path: string | null = null;
  private blocks = 0;
  private readonly unused: number[] = [];

  constructor(budgetBytes: number, { directory, limitBytes }: SpillOptions = {}) {
    this.wantedDirectory = directory;
    this.limitBytes = limitBytes ?? SPILL_LIMIT_BYTES;
    const wanted = 2 ** Math.floor(Math.log2(Math.max(1, budgetBytes / BLOCKS_PER_BUDGET)));
    this.blockBytes = Math.min(BLOCK_BYTES_MAX, Math.max(BLOCK_BYTES_MIN, wanted));
  }

  /** Few queries spill, and finding the folder of the system costs microseconds. */
  private get directory(): string {
    return this.wantedDirectory ?? tmpdir();
  }

  get isOpen(): boolean {
    return this.file !== null;
  }

  /** Writes one block and gives its number. */
  write(words: Uint32Array): number {
    if ((this.blocks - this.unused.length + 1) * this.blockBytes > this.limitBytes) throw this.exceeded();
    const file = this.file ?? this.open();
    const block = this.unused.at(-1) ?? this.blocks;
    const bytes = new Uint8Array(words.buffer, words.byteOffset, this.blockBytes);
    this.guard(() => {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(file, bytes, done, bytes.length - done, block * this.blockBytes + done);
      }
    });
    this.writtenBytes += this.blockBytes;
    if (this.unused.length > 0) this.unused.pop();
    else this.blocks++;
    return block;
  }

  read(block: number, into: Uint32Array): void {
    const file = this.file as number;
    const bytes = new Uint8Array(into.buffer, into.byteOffset, this.blockBytes);
    this.guard(() => {
      for (let done = 0; done < bytes.length; ) {
        const count = readSync(file, bytes, done, bytes.length - done, block * this.blockBytes + done);
        if (count === 0) throw new SvcError('disk_io', `the spill file of a query in ${this.directory} was cut short`);
        done += count;
      }
    });
  }

  /** The block may be written again. */
  release(block: number): void {
    if (this.file === null) return;
    this.unused.push(block);
    if (this.unused.length === this.blocks) this.close();
  }

  close(): void {
    if (this.file === null) return;
    closeSync(this.file);
    if (this.path !== null) tryUnlink(this.path);
    this.file = null;
    this.path = null;
    this.blocks = 0;
    this.unused.length = 0;
  }

  private open(): number {
    return this.guard(() => {
      mkdirSync(this.directory, { recursive: true });
      sweep(this.directory);
      const path = join(this.directory, `svc-spill-${process.pid}-${randomBytes(12).toString('hex')}.tmp`);
      this.file = openSync(path, 'wx+', 0o600);
      this.path = tryUnlink(path) ? null : path;
      return this.file;
    });
  }

  private guard<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw fromSystemError(error, `spilling a query to ${this.directory}`);
    }
  }

  private exceeded(): SvcError {
    const limit = Math.floor(this.limitBytes / 2 ** 20);
    return new SvcError('query_complexity', `the query needs more than ${limit} MB on disk (query.spill_max_mb)`, {
      hint: 'narrow the query, add a LIMIT, or raise query.memory_budget_mb or query.spill_max_mb',
    });
  }
}

/** Removes files of processes that are gone. Who is not allowed to is not the one to do it. */
function sweep(directory: string): void {
  if (swept.has(directory)) return;
  swept.add(directory);
  for (const name of readdirSync(directory)) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) tryUnlink(join(directory, name));
  }
}

function isAlive(process_: number): boolean {
  try {
    process.kill(process_, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function tryUnlink(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
