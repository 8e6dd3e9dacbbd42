/**
 * Splits history that folds have left into runs by span (`interval-windows.ts`). In bounded steps, as `merge-job.ts`:
 * a first pass over the times counts the rows of each span, a second one writes them.
 */

import { invariant } from '../../base/errors.js';
import { addTo } from '../../base/maps.js';
import { loadDirectory } from '../runs/load-directory.js';
import type { Manifest, RunRecord, SpanRecord } from '../runs/manifest.js';
import { PackedRun } from '../runs/packed-run.js';
import { encodeRunStatistics } from '../runs/run-statistics.js';
import { boundsOfRun } from '../runs/zone-map.js';
import { BATCH_ROWS, COLUMNS } from '../seam/scan.js';
import type { SourceBatch } from '../sources/row-source.js';
import { baseLevel, SCATTERED_SHARE, SpanTable, WINDOW_ROWS } from '../time/interval-windows.js';
import { eachBatch, type MergeContext, type MergeOutcome, outcomeOf } from './merge-inputs.js';
import type { DueMerge } from './merge-policy.js';

const [TX_FROM, TX_TO, VALID_FROM, VALID_TO] = (['txFrom', 'txTo', 'validFrom', 'validTo'] as const).map((column) =>
  COLUMNS.indexOf(column),
) as [number, number, number, number];
/** Rows that hold at the same time as those that are split, over those: from here on they are scattered. */
const SCATTERED_MIN = 1;
const SCATTERED_RUNS_MAX = 1024;
/** The planner counts current rows only. */
const NO_FIGURES = { distinctSubjects: 0, predicates: [] };

export function* splitJob(context: MergeContext, manifest: Manifest, due: DueMerge): Generator<void, MergeOutcome> {
  const extent = { ...NO_EXTENT };
  yield* eachBatch(context, due, (batch) => measure(context, batch, extent));
  const windowRows = context.windowRows ?? WINDOW_ROWS;
  const base = baseLevel(extent.rows, extent.txTo - extent.txFrom + 1, windowRows);
  const scattered = isScattered(context, manifest, due, extent);
  const span = extent.validTo - extent.validFrom + 1;
  const inWindow = Math.min(extent.rows, windowRows);
  const table = new SpanTable(base, scattered ? baseLevel(inWindow, span, windowRows * SCATTERED_SHARE) : null);
  yield* eachBatch(context, due, (batch) => countSpans(context, batch, table));
  const outputs = new Outputs(context, due, table);
  try {
    yield* eachBatch(context, due, (batch) => outputs.take(batch));
    return outputs.finish(manifest);
  } finally {
    outputs.release();
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

/** What the rows that are split cover. */
interface Extent {
  rows: number;
  /** The transactions that closed them. */
  txFrom: number;
  txTo: number;
  validFrom: number;
  validTo: number;
  /** Sum of the beginnings of validity. */
  begins: number;
}

const NO_EXTENT: Extent = {
  rows: 0,
  txFrom: Number.POSITIVE_INFINITY,
  txTo: 0,
  validFrom: Number.POSITIVE_INFINITY,
  validTo: 0,
  begins: 0,
};

function measure(context: MergeContext, batch: SourceBatch, extent: Extent): void {
  for (const tx of timesOf(context, batch, TX_TO)) {
    extent.txFrom = Math.min(extent.txFrom, tx);
    extent.txTo = Math.max(extent.txTo, tx);
  }
  for (const begin of timesOf(context, batch, VALID_FROM)) {
    extent.validFrom = Math.min(extent.validFrom, begin);
    extent.begins += begin;
  }
  for (const end of timesOf(context, batch, VALID_TO)) extent.validTo = Math.max(extent.validTo, end);
  extent.rows += batch.rows;
}

/**
 * True when as many rows of history as there are here may hold at the same instants: then validity does
 * not follow transactions. Only while runs are few enough to be listed by window of both.
 */
function isScattered(context: MergeContext, manifest: Manifest, due: DueMerge, extent: Extent): boolean {
  const partition = manifest.partitions.find(({ graph }) => graph === due.graph);
  const others = (partition?.runs[due.order] ?? []).filter((run) => run.kind === 'history' && !due.runs.includes(run));
  if (others.length > SCATTERED_RUNS_MAX) return false;
  const instant = BigInt(Math.floor(extent.begins / Math.max(1, extent.rows)));
  const transaction = context.file.beginRead();
  try {
    let rows = 0;
    for (const run of others) {
      const bounds = boundsOfRun(loadDirectory(context.file, run, transaction));
      if (bounds.least(VALID_FROM) <= instant && bounds.greatest(VALID_TO) > instant) rows += run.rows;
    }
    return rows >= SCATTERED_MIN * extent.rows;
  } finally {
    context.file.release(transaction);
  }
}

/** The place of each row's span. */
function placesOf(context: MergeContext, batch: SourceBatch, table: SpanTable): Uint32Array {
  const [from, to, begin, end] = [TX_FROM, TX_TO, VALID_FROM, VALID_TO].map((column) =>
    timesOf(context, batch, column),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  const places = new Uint32Array(batch.rows);
  for (let i = 0; i < batch.rows; i++) {
    places[i] = table.placeOf(from[i] as number, to[i] as number, begin[i] as number, end[i] as number);
  }
  return places;
}

function countSpans(context: MergeContext, batch: SourceBatch, table: SpanTable): void {
  for (const place of placesOf(context, batch, table)) (table.counts[place] as { rows: number }).rows++;
}

interface Output {
  readonly span: SpanRecord;
  readonly rows: number;
  readonly run: PackedRun;
}

class Outputs {
  readonly #context: MergeContext;
  readonly #due: DueMerge;
  readonly #table: SpanTable;
  readonly #outputs: readonly Output[];
  readonly #selection: number;

  constructor(context: MergeContext, due: DueMerge, table: SpanTable) {
    const { memory, sink } = context;
    this.#context = context;
    this.#due = due;
    this.#table = table;
    this.#selection = memory.allocate(4 * BATCH_ROWS);
    this.#outputs = table
      .settle(context.windowRows ?? WINDOW_ROWS)
      .map(({ span, rows }) => ({ span, rows, run: new PackedRun(memory, sink, due.order, rows) }));
  }

  take(batch: SourceBatch): void {
    const { memory } = this.#context;
    const { counts } = this.#table;
    const lists = new Map<number, number[]>();
    placesOf(this.#context, batch, this.#table).forEach((place, row) => {
      addTo(lists, (counts[place] as { readonly output: number }).output, row);
    });
    for (const [at, list] of lists) {
      memory.wordsAt(this.#selection, list.length).set(list);
      (this.#outputs[at] as Output).run.take(batch.columns, list.length, this.#selection);
    }
  }

  finish(manifest: Manifest): MergeOutcome {
    const { sink } = this.#context;
    let nextRun = manifest.nextRun;
    const made = this.#outputs.map(({ span, rows, run }): RunRecord => {
      const id = nextRun++;
      const record = run.finish({ id, kind: 'history', span });
      invariant(record.rows === rows, `a span has ${rows} rows, not ${record.rows}`);
      if (this.#due.order === 'SPOG') sink.statistics(id, encodeRunStatistics(NO_FIGURES, id));
      return record;
    });
    return outcomeOf(this.#context, manifest, this.#due, made, nextRun);
  }

  release(): void {
    this.#context.memory.free(this.#selection, 4 * BATCH_ROWS);
    for (const { run } of this.#outputs) run.release();
  }
}
