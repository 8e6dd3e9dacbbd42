/**
 * The memory that a query holds, counted in three steps:
 *
 *  - `MemoryPool` (`process-memory.ts`): what the queries of a process hold together.
 *  - `MemoryBudget`: what one query holds. Past its limit the query ends with `query_complexity`.
 *  - `MemoryAccount`: what one operator that can spill holds. It asks `fits` before it grows, and goes
 *    to disk when the answer is no. Each account is sure of a small reserve, whatever the others hold.
 */

import { SvcError } from '../../base/errors.js';
import { MemoryPool } from './process-memory.js';
import { SpillFile, type SpillOptions } from './spill/spill-file.js';

const MEBIBYTE = 2 ** 20;
/** What every query may hold without asking the pool: small queries run while large ones hold it all. */
const POOL_FREE_BYTES = 16 * MEBIBYTE;
/** The part of a budget that operators leave to what can't spill: computed terms, buffers. */
const UNSPILLABLE_SHARE = 1 / 8;
/** The part of a budget that is kept for accounts that have not begun, all together. */
const RESERVED_SHARE = 1 / 4;
const ACCOUNT_RESERVE_MAX_BYTES = 8 * MEBIBYTE;

/** What counts memory: a budget, or an operator's account in it. */
export interface MemoryCounter {
  /** Counts before allocating, so that a query past its budget ends without the memory. */
  take(bytes: number): void;
  give(bytes: number): void;
}

export interface MemoryOptions {
  readonly pool?: MemoryPool | undefined;
  readonly spill?: SpillOptions | undefined;
}

export class MemoryBudget implements MemoryCounter {
  usedBytes = 0;
  peakBytes = 0;
  /** Where operators put what does not fit. */
  readonly spill: SpillFile;
  private readonly pool: MemoryPool | null;
  private pooledChunks = 0;
  private readonly accounts = new Set<MemoryAccount>();
  private readonly releases: (() => void)[] = [];

  constructor(
    readonly limitBytes: number,
    { pool, spill }: MemoryOptions = {},
  ) {
    this.pool = pool ?? null;
    this.spill = new SpillFile(limitBytes, spill);
  }

  take(bytes: number): void {
    if (this.usedBytes + bytes > this.limitBytes) throw this.exceeded('the query needs');
    this.takePooled(this.usedBytes + bytes);
    this.usedBytes += bytes;
    if (this.usedBytes > this.peakBytes) this.peakBytes = this.usedBytes;
  }

  give(bytes: number): void {
    this.usedBytes -= bytes;
    const surplus = this.pooledChunks - this.chunksFor(this.usedBytes);
    if (surplus > 1) this.givePooled(surplus - 1);
  }

  /** For an operator that can spill; closed with the operator. */
  openAccount(): MemoryAccount {
    const account = new MemoryAccount(this);
    this.accounts.add(account);
    return account;
  }

  forget(account: MemoryAccount): void {
    this.accounts.delete(account);
  }

  /** What an account may grow by without touching what the others are sure of. */
  room(asking: MemoryAccount): number {
    const reserve = this.reserveBytes();
    let kept = 0;
    for (const account of this.accounts) if (account !== asking) kept += Math.max(0, reserve - account.usedBytes);
    const own = this.limitBytes * (1 - UNSPILLABLE_SHARE) - this.usedBytes - kept;
    const free = this.pool === null ? own : Math.min(own, this.pooledRoom());
    return Math.max(free, reserve - asking.usedBytes);
  }

  /** True when an account may grow by so many bytes. Of what every query may hold, the pool is not asked. */
  hasRoom(asking: MemoryAccount, bytes: number): boolean {
    const after = this.usedBytes + bytes;
    if (after <= POOL_FREE_BYTES && after <= this.limitBytes * (1 - UNSPILLABLE_SHARE - RESERVED_SHARE)) return true;
    return bytes <= this.room(asking);
  }

  /** Has something given up with the rest; what came last goes first. */
  whenClosed(release: () => void): void {
    this.releases.push(release);
  }

  /** Gives everything back, also what no operator holds; for the end of the query. */
  close(): void {
    for (const release of this.releases.splice(0).reverse()) release();
    this.givePooled(this.pooledChunks);
    this.spill.close();
  }

  private reserveBytes(): number {
    const share = (this.limitBytes * RESERVED_SHARE) / Math.max(1, this.accounts.size);
    return Math.min(ACCOUNT_RESERVE_MAX_BYTES, share);
  }

  private chunksFor(bytes: number): number {
    return this.pool === null ? 0 : Math.ceil(Math.max(0, bytes - POOL_FREE_BYTES) / MemoryPool.chunkBytes);
  }

  private pooledRoom(): number {
    const held = POOL_FREE_BYTES + this.pooledChunks * MemoryPool.chunkBytes - this.usedBytes;
    return held + (this.pool as MemoryPool).freeBytes;
  }

  private takePooled(bytes: number): void {
    const chunks = this.chunksFor(bytes) - this.pooledChunks;
    if (chunks <= 0) return;
    if (!(this.pool as MemoryPool).tryTake(chunks)) throw this.exceeded('the queries that are running need together');
    this.pooledChunks += chunks;
  }

  private givePooled(chunks: number): void {
    if (chunks === 0) return;
    this.pool?.give(chunks);
    this.pooledChunks -= chunks;
  }

  private exceeded(who: string): SvcError {
    const limit = Math.max(1, Math.floor(this.limitBytes / MEBIBYTE));
    return new SvcError('query_complexity', `${who} more than ${limit} MB of memory (query.memory_budget_mb)`, {
      hint: 'narrow the query, add a LIMIT, or raise query.memory_budget_mb',
    });
  }
}

/** What one spilling operator holds of the budget of its query. */
export class MemoryAccount implements MemoryCounter {
  heldBytes = 0;
  private exitBytes = 0;
  private laidBytes = 0;

  constructor(private readonly budget: MemoryBudget) {}

  /** What is held and not laid aside. */
  get usedBytes(): number {
    return this.heldBytes - this.laidBytes;
  }

  /**
   * What going to disk will take. It is laid aside once the operator holds as much; and the reserve comes
   * on top: who runs out of memory must be able to go to disk.
   */
  expectExit(bytes: number): void {
    this.exitBytes += bytes;
  }

  /** It goes to disk now, or never will. */
  forgoExit(bytes: number): void {
    this.exitBytes -= bytes;
    const surplus = this.laidBytes - this.exitBytes;
    if (surplus <= 0) return;
    this.laidBytes -= surplus;
    this.give(surplus);
  }

  get spill(): SpillFile {
    return this.budget.spill;
  }

  /** Bytes that may be taken before it is time to spill. */
  room(): number {
    return this.budget.room(this);
  }

  fits(bytes: number): boolean {
    const missing = this.exitBytes - this.laidBytes;
    if (missing === 0 || this.usedBytes + bytes < this.exitBytes) return this.budget.hasRoom(this, bytes);
    if (!this.budget.hasRoom(this, bytes + missing)) return false;
    this.take(missing);
    this.laidBytes = this.exitBytes;
    return true;
  }

  take(bytes: number): void {
    this.budget.take(bytes);
    this.heldBytes += bytes;
  }

  give(bytes: number): void {
    this.budget.give(bytes);
    this.heldBytes -= bytes;
  }

  close(): void {
    this.give(this.heldBytes);
    this.exitBytes = 0;
    this.laidBytes = 0;
    this.budget.forget(this);
  }
}
