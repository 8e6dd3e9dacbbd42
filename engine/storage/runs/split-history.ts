/**
 * Splits history that folds have left into runs by span (`spans.ts`). In bounded steps, as `merge-job.ts`:
 * a first pass over the times counts the rows of each span, a second one writes them.
 */

import { invariant } from '../../base/errors.js';
import { encodeRunStatistics } from '../bulk/run-statistics.js';
import { BATCH_ROWS, COLUMNS } from '../scan.js';
import type { RowSource, SourceBatch } from '../snapshot/row-source.js';
import { BlockReader } from './block-reader.js';
import type { Manifest, RunRecord, SpanRecord } from './manifest.js';
import {
  type MergeContext,
  type MergeOutcome,
  openInputs,
  replaceRuns,
  STEP_BLOCKS,
  type StepScan,
} from './merge-inputs.js';
import type { DueMerge } from './merge-policy.js';
import { baseLevel, SpanTable, WINDOW_ROWS } from './spans.js';
import { RowColumns, RunWriter } from './writer.js';

const BLOCK_CACHE_BYTES = 1 << 20;
const [TX_FROM, TX_TO] = [COLUMNS.indexOf('txFrom'), COLUMNS.indexOf('txTo')] as const;
/** The planner counts current rows only. */
const NO_FIGURES = { distinctSubjects: 0, predicates: [] };

export function* splitJob(context: MergeContext, manifest: Manifest, due: DueMerge): Generator<void, MergeOutcome> {
  const range = { least: Number.POSITIVE_INFINITY, greatest: 0, rows: 0 };
  yield* eachBatch(context, due, (batch) => measure(context, batch, range));
  const table = new SpanTable(
    baseLevel(range.rows, range.greatest - range.least + 1, context.windowRows ?? WINDOW_ROWS),
  );
  yield* eachBatch(context, due, (batch) => countSpans(context, batch, table));
  const outputs = new Outputs(context, due, table);
  try {
    yield* eachBatch(context, due, (batch) => outputs.take(batch));
    return outputs.finish(manifest);
  } finally {
    outputs.release();
  }
}

/** Reads the inputs once, from beginning to end; a step reads so many batches. */
function* eachBatch(context: MergeContext, due: DueMerge, take: (batch: SourceBatch) => void): Generator<void, void> {
  const { file, memory, stepBlocks = STEP_BLOCKS } = context;
  const blocks = new BlockReader(file, memory, BLOCK_CACHE_BYTES);
  const counters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 };
  let source: RowSource | null = null;
  let scan: StepScan | null = null;
  try {
    for (let ended = false; !ended; ) {
      const transaction = file.beginRead();
      try {
        if (scan === null) scan = { memory, blocks, counters, transaction };
        else scan.transaction = transaction;
        source ??= openInputs(context, due, scan);
        for (let step = 0; step < stepBlocks && !ended; step++) {
          const batch: SourceBatch | null = source.next();
          if (batch === null) ended = true;
          else take(batch);
        }
      } finally {
        file.release(transaction);
      }
      if (!ended) yield;
    }
  } finally {
    source?.close();
    blocks.clear();
  }
}

function timesOf(context: MergeContext, batch: SourceBatch, column: number): Float64Array {
  const words = context.memory.words;
  const at = (batch.columns[column] as number) >>> 2;
  const times = new Float64Array(batch.rows);
  for (let i = 0; i < batch.rows; i++) {
    times[i] = (words[at + 2 * i] as number) + (words[at + 2 * i + 1] as number) * 2 ** 32;
  }
  return times;
}

function measure(
  context: MergeContext,
  batch: SourceBatch,
  range: { least: number; greatest: number; rows: number },
): void {
  for (const tx of timesOf(context, batch, TX_TO)) {
    range.least = Math.min(range.least, tx);
    range.greatest = Math.max(range.greatest, tx);
  }
  range.rows += batch.rows;
}

/** The place of each row's span. */
function placesOf(context: MergeContext, batch: SourceBatch, table: SpanTable): Uint32Array {
  const from = timesOf(context, batch, TX_FROM);
  const to = timesOf(context, batch, TX_TO);
  const places = new Uint32Array(batch.rows);
  for (let i = 0; i < batch.rows; i++) places[i] = table.placeOf(from[i] as number, to[i] as number);
  return places;
}

function countSpans(context: MergeContext, batch: SourceBatch, table: SpanTable): void {
  for (const place of placesOf(context, batch, table)) (table.counts[place] as { rows: number }).rows++;
}

interface Output {
  readonly span: SpanRecord;
  readonly rows: number;
  readonly writer: RunWriter;
  readonly columns: RowColumns;
  filled: number;
}

class Outputs {
  readonly #context: MergeContext;
  readonly #due: DueMerge;
  readonly #table: SpanTable;
  readonly #outputs: readonly Output[];
  readonly #selection: number;
  #finished = false;

  constructor(context: MergeContext, due: DueMerge, table: SpanTable) {
    const { memory, sink } = context;
    this.#context = context;
    this.#due = due;
    this.#table = table;
    this.#selection = memory.allocate(4 * BATCH_ROWS);
    this.#outputs = table.settle(context.windowRows ?? WINDOW_ROWS).map(({ span, rows }) => ({
      span,
      rows,
      writer: new RunWriter(memory, sink.row, due.order, sink.reserveRows(Math.ceil(rows / BATCH_ROWS))),
      columns: new RowColumns(memory),
      filled: 0,
    }));
  }

  take(batch: SourceBatch): void {
    const { memory } = this.#context;
    const { counts } = this.#table;
    const lists = new Map<number, number[]>();
    placesOf(this.#context, batch, this.#table).forEach((place, row) => {
      const { output } = counts[place] as { readonly output: number };
      const list = lists.get(output);
      if (list) list.push(row);
      else lists.set(output, [row]);
    });
    for (const [at, list] of lists) {
      const output = this.#outputs[at] as Output;
      memory.wordsAt(this.#selection, list.length).set(list);
      for (let from = 0; from < list.length; ) {
        const rows = Math.min(list.length - from, BATCH_ROWS - output.filled);
        for (let c = 0; c < COLUMNS.length; c++) {
          const target = (output.columns.addresses[c] as number) + 8 * output.filled;
          memory.kernels.gatherColumn(batch.columns[c] as number, this.#selection + 4 * from, rows, target);
        }
        output.filled += rows;
        from += rows;
        if (output.filled === BATCH_ROWS) flush(output);
      }
    }
  }

  finish(manifest: Manifest): MergeOutcome {
    this.#finished = true;
    const { sink } = this.#context;
    const { graph, order, runs } = this.#due;
    let nextRun = manifest.nextRun;
    let [rowsWritten, bytesWritten] = [0, 0];
    const made = this.#outputs.map((output): RunRecord => {
      if (output.filled > 0) flush(output);
      const written = output.writer.finish();
      invariant(written.rows === output.rows, `a span has ${output.rows} rows, not ${written.rows}`);
      const directories = written.directory.map((bytes) => sink.directory(bytes));
      const id = nextRun++;
      if (order === 'SPOG') sink.statistics(id, encodeRunStatistics(NO_FIGURES, id));
      rowsWritten += written.rows;
      bytesWritten += written.bytes;
      const { rows, firstBlock, blocks, bytes, sum, txMin, txMax } = written;
      const directory = directories[0] as number;
      return { id, kind: 'history', rows, firstBlock, blocks, directory, bytes, sum, txMin, txMax, span: output.span };
    });
    return {
      rowsWritten,
      bytesWritten,
      manifest: {
        ...replaceRuns(manifest, graph, order, runs, made),
        nextRun,
        nextRowBlock: sink.nextRowBlock,
        nextDirectory: sink.nextDirectory,
      },
      replaced: runs,
    };
  }

  release(): void {
    const { memory } = this.#context;
    memory.free(this.#selection, 4 * BATCH_ROWS);
    for (const { writer, columns } of this.#outputs) {
      if (!this.#finished) writer.release();
      columns.release();
    }
  }
}

function flush(output: Output): void {
  output.writer.append(output.columns, output.filled);
  output.filled = 0;
}
