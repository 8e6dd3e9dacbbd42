/**
 * Care of the runs: folds the delta when it has grown, then merges runs, and materialises slices of time that are read
 * often. It works in short steps
 * between commits; what it writes is invisible until it is published, and publication happens only
 * while no write is staged. One job at a time.
 */

import { breathe, type Control, throwIfAborted } from '../../base/control.js';
import type { Delta } from '../delta/delta.js';
import { isTextDue } from '../indexes/text/build-texts.js';
import { readTextState } from '../indexes/text/text-store.js';
import { readHead } from '../log/head.js';
import type { MaintenanceReport } from '../seam/engine.js';
import { materialiseSlices } from '../snapshot/scan/parts.js';
import type { MaintenanceFigures, MaintenanceHost } from './maintenance-host.js';
import { MaintenanceJob } from './maintenance-job.js';

/** Rows and tombstones of a delta from which on it is folded. */
const FOLD_ROWS = 65_536;
const FOLD_TERM_BYTES = 16 * 1024 * 1024;
/** A delta that has grown to so many times the bound waits for its fold. */
const OVERDUE = 4;
/** A slice of work between commits, about. */
const SLICE_MS = 4;

/** Batches of rows that are gathered into slices of time after a read, and so many for each block that it read. */
const SLICE_BATCHES_MIN = 1;
const SLICE_BATCHES_SHARE = 1 / 16;

export interface MaintenanceBounds {
  /** Rows of the delta from which on it is folded; tests make it small. */
  readonly foldRows?: number | undefined;
  /** Rows of a window of history, twice of which are split; tests make it small. */
  readonly windowRows?: number | undefined;
  /** Times that the runs of a time slice are read through before they are gathered; tests make it 0, which is at once. */
  readonly sliceReads?: number | undefined;
}

export class Maintenance {
  readonly #host: MaintenanceHost;
  readonly #foldRows: number;
  readonly #windowRows: number | undefined;
  /** What this process has done so far. */
  readonly figures: MaintenanceFigures = { rowsFolded: 0, runsMerged: 0, bytesWritten: 0, lastError: null };
  #job: MaintenanceJob | null = null;
  #scheduled = false;
  /** True while `run` is under way, which does what is scheduled. */
  #runs = false;
  /** True after a failure, until a fold succeeds. */
  #paused = false;
  #rows = 0;
  #termBytes = 0;
  /** Terms of the dictionary when it was last looked whether their texts are to be indexed. */
  #folded = -1;
  #textDue = false;

  constructor(host: MaintenanceHost, bounds: MaintenanceBounds = {}) {
    this.#host = host;
    this.#foldRows = bounds.foldRows ?? FOLD_ROWS;
    this.#windowRows = bounds.windowRows;
  }

  /** True while a job is under way, in one context. */
  get isWorking(): boolean {
    return this.#job !== null;
  }

  /** Called after a write, with the delta as it is then: begins what is due and goes on with it between other work. */
  wake(delta: Delta): void {
    this.#rows = delta.size;
    this.#termBytes = delta.terms.bytes;
    this.#noteTerms(delta.terms.first);
    if (this.#job !== null || (this.#isDue(1) && !this.#paused)) this.#schedule();
  }

  /** Called before a write: finishes the fold when the delta has outgrown its bound by far. */
  catchUp(): void {
    if (this.#isDue(OVERDUE)) this.#runNow();
  }

  /** Texts are to be indexed from now on, or others than before. */
  wakeTexts(delta: Delta): void {
    this.#folded = -1;
    this.wake(delta);
  }

  /** The number of terms that the dictionary has. */
  #noteTerms(folded: number): void {
    if (folded === this.#folded) return;
    this.#folded = folded;
    try {
      this.#textDue = isTextDue(readTextState(this.#host.context.file), folded);
    } catch (error) {
      // A write has no part in what is wrong with the index: who searches is told, and a verification.
      this.figures.lastError = messageOf(error);
      this.#textDue = false;
    }
  }

  #isDue(times: number): boolean {
    if (times === 1 && this.#textDue) return true;
    return this.#rows >= times * this.#foldRows || this.#termBytes >= times * FOLD_TERM_BYTES;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#slice();
    });
  }

  #slice(): void {
    if (this.#host.isClosed() || this.#runs) return;
    const until = Date.now() + SLICE_MS;
    this.#job ??= this.#begin();
    try {
      while (Date.now() < until) {
        // The end of the write that is staged wakes it again.
        if (this.#job.ready && this.#host.isWriting()) return;
        if (this.#job.step()) continue;
        this.#done();
        return;
      }
    } catch (error) {
      // Nobody waits for this work. It is tried again when a write finds the delta overdue, and fails there.
      this.#drop();
      this.figures.lastError = messageOf(error);
      this.#paused = true;
      return;
    }
    this.#schedule();
  }

  /** Folds everything and merges what is due, now, without giving way to anything. */
  #runNow(): void {
    this.#job ??= this.#begin();
    try {
      while (this.#job.step());
    } catch (error) {
      this.#drop();
      throw error;
    }
    this.#done();
  }

  #done(): void {
    this.#job = null;
    this.#paused = false;
    const left = this.#delta();
    this.#rows = left.rows;
    this.#termBytes = left.termBytes;
    this.#folded = -1;
    this.#noteTerms(left.folded);
    if (this.#isDue(1)) this.#schedule();
  }

  /** Folds everything and merges what is due (`whole`: `dueMerges`), giving way to the event loop; the caller keeps writes away. */
  async run(control: Control, whole = false): Promise<MaintenanceReport> {
    const before = { ...this.figures };
    const started = Date.now();
    this.#runs = true;
    try {
      for (;;) {
        this.#job ??= this.#begin(whole);
        const enough = this.#job.whole || !whole;
        while (this.#job.step()) {
          throwIfAborted(control.signal, 'the fold');
          control.onProgress?.({ phase: this.#job.phase, done: this.#job.done, elapsedMs: Date.now() - started });
          await breathe();
        }
        this.#done();
        this.#host.committer.flush();
        if (enough && this.#delta().rows === 0) break;
      }
    } catch (error) {
      this.#drop();
      throw error;
    } finally {
      this.#runs = false;
    }
    return {
      rowsFolded: this.figures.rowsFolded - before.rowsFolded,
      runsMerged: this.figures.runsMerged - before.runsMerged,
      bytesWritten: this.figures.bytesWritten - before.bytesWritten,
    };
  }

  #delta(): { readonly rows: number; readonly termBytes: number; readonly folded: number } {
    const { context } = this.#host;
    const transaction = context.file.beginRead();
    try {
      const manifest = context.manifest(transaction);
      const delta = context.deltas.get(manifest, readHead(context.file, manifest, transaction), transaction);
      return { rows: delta.size, termBytes: delta.terms.bytes, folded: manifest.nextTermNumber };
    } finally {
      context.file.release(transaction);
    }
  }

  #begin(whole = false): MaintenanceJob {
    return new MaintenanceJob(this.#host, this.figures, this.#windowRows, whole);
  }

  /**
   * Called when a snapshot was closed that had read so many blocks: goes on with slices of time that are worth being
   * materialised, in proportion to what was read. Who reads has no part in what fails here.
   */
  materialiseSlices(blocksRead: number): void {
    const { context, isClosed } = this.#host;
    if (isClosed() || context.slices.isIdle) return;
    const transaction = context.file.beginRead();
    try {
      const { manifest, head } = context.state(transaction);
      const batches = SLICE_BATCHES_MIN + Math.floor(blocksRead * SLICE_BATCHES_SHARE);
      materialiseSlices({ context, manifest, transaction, disjoint: head.disjoint === true }, batches);
    } catch (error) {
      this.figures.lastError = messageOf(error);
    } finally {
      context.file.release(transaction);
    }
  }

  /** Gives up what was begun; nothing of it was visible. */
  #drop(): void {
    this.#job?.drop();
    this.#job = null;
  }

  close(): void {
    this.#drop();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
