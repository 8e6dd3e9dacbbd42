/**
 * Merges runs of one kind into one, in bounded steps:
 *
 * 1. A step reads the inputs in their order, leaves dead rows out, and writes at most `STEP_BLOCKS` full
 *    blocks to the sink. Between steps the caller may commit other things; no read transaction is held.
 * 2. The last step writes directory and statistics and returns what changes in the manifest.
 *
 * Nothing is visible before the caller publishes the changed manifest, so a job may be dropped at any
 * step: `return()` on the generator frees its memory, and what it wrote lies above the manifest's marks.
 * While a job runs its inputs must stay as they are: folds that make rows of them dead wait for its end.
 */

import { invariant } from '../../base/errors.js';
import { BlockReader } from '../runs/block-reader.js';
import type { Manifest, RunRecord } from '../runs/manifest.js';
import { encodeRunStatistics } from '../runs/run-statistics.js';
import { RunWriter } from '../runs/writer.js';
import { BATCH_ROWS } from '../seam/scan.js';
import { BlockFiller } from '../sources/block-filler.js';
import type { RowSource } from '../sources/row-source.js';
import {
  type MergeContext,
  type MergeOutcome,
  openInputs,
  replaceRuns,
  STEP_BLOCKS,
  type StepScan,
} from './merge-inputs.js';
import { type DueMerge, livingRows, spanOfAll } from './merge-policy.js';
import { MergedStatistics } from './merged-statistics.js';
import { splitJob } from './split-history.js';

const BLOCK_CACHE_BYTES = 1 << 20;

/**
 * Runs a merge that is due in `manifest`; its inputs and what the sink has written for them must be in
 * the file. Each step ends with a yield.
 */
export function* mergeJob(context: MergeContext, manifest: Manifest, due: DueMerge): Generator<void, MergeOutcome> {
  if (due.split) return yield* splitJob(context, manifest, due);
  const merge = new Merge(context, manifest, due);
  try {
    while (!merge.step()) yield;
    return merge.finish();
  } finally {
    merge.release();
  }
}

class Merge {
  readonly #context: MergeContext;
  readonly #manifest: Manifest;
  readonly #due: DueMerge;
  readonly #blocks: BlockReader;
  readonly #writer: RunWriter;
  readonly #filler: BlockFiller;
  readonly #statistics: MergedStatistics | null;
  readonly #source: RowSource;
  /** What the sources read with; the transaction is that of the step. */
  readonly #scan: StepScan;
  #finished = false;

  constructor(context: MergeContext, manifest: Manifest, due: DueMerge) {
    this.#context = context;
    this.#manifest = manifest;
    this.#due = due;
    const { file, memory, sink } = context;
    this.#blocks = new BlockReader(file, memory, BLOCK_CACHE_BYTES);
    const rows = due.runs.reduce((sum, run) => sum + livingRows(run), 0);
    const counters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 };
    const transaction = file.beginRead();
    try {
      this.#scan = { memory, blocks: this.#blocks, counters, transaction };
      this.#source = openInputs(context, due, this.#scan);
      this.#statistics = due.order === 'SPOG' ? new MergedStatistics(file, due.runs, transaction) : null;
    } finally {
      file.release(transaction);
    }
    const firstBlock = sink.reserveRows(Math.ceil(rows / BATCH_ROWS));
    this.#writer = new RunWriter(memory, sink.row, due.order, firstBlock);
    this.#filler = new BlockFiller(memory, (columns, rows) => {
      this.#statistics?.count(memory, columns.addresses, rows);
      this.#writer.append(columns, rows);
    });
  }

  /** Reads up to `STEP_BLOCKS` batches; true when all rows are written. */
  step(): boolean {
    const { file, stepBlocks = STEP_BLOCKS } = this.#context;
    const transaction = file.beginRead();
    this.#scan.transaction = transaction;
    try {
      for (let block = 0; block < stepBlocks; block++) {
        const batch = this.#source.next();
        if (batch === null) {
          this.#filler.flush();
          return true;
        }
        this.#filler.add(batch);
      }
      return false;
    } finally {
      file.release(transaction);
    }
  }

  finish(): MergeOutcome {
    this.#finished = true;
    const { sink } = this.#context;
    const { graph, order, runs } = this.#due;
    const id = this.#manifest.nextRun;
    const written = this.#writer.finish();
    const expected = runs.reduce((sum, run) => sum + livingRows(run), 0);
    invariant(written.rows === expected, `a merge of runs keeps ${expected} rows, not ${written.rows}`);
    const span = spanOfAll(runs);
    let merged: RunRecord | null = null;
    if (written.rows > 0) {
      const directories = written.directory.map((bytes) => sink.directory(bytes));
      if (this.#statistics) sink.statistics(id, encodeRunStatistics(this.#statistics.list(), id));
      merged = {
        id,
        kind: (runs[0] as RunRecord).kind,
        rows: written.rows,
        firstBlock: written.firstBlock,
        blocks: written.blocks,
        directory: directories[0] as number,
        bytes: written.bytes,
        sum: written.sum,
        txMin: written.txMin,
        txMax: written.txMax,
        ...(span === undefined ? {} : { span }),
      };
    }
    return {
      rowsWritten: written.rows,
      bytesWritten: written.bytes,
      manifest: {
        ...replaceRuns(this.#manifest, graph, order, runs, merged === null ? [] : [merged]),
        nextRun: id + 1,
        nextRowBlock: sink.nextRowBlock,
        nextDirectory: sink.nextDirectory,
      },
      replaced: runs,
    };
  }

  release(): void {
    if (!this.#finished) this.#writer.release();
    this.#source.close();
    this.#filler.release();
    this.#blocks.clear();
  }
}
