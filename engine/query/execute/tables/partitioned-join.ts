/**
 * A hash join whose build side does not fit into memory.
 *
 *  1. Both sides are written to disk, split by the hash of their keys, so that partners land in the
 *     same part.
 *  2. The parts are joined one after the other; one that does not fit either is split again.
 *  3. Where splitting is no use (no keys, or one key that most rows have), the build side is taken in
 *     pieces that fit, and each piece is joined with all probe rows.
 *
 * Where the order of the probe rows matters, each has its place beside it in the last column, the rows of each part are
 * written to disk once more, and the parts are merged by place.
 */

import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import { batchesOf, newColumn, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryAccount, MemoryBudget } from '../../runtime/memory.js';
import { type Operator, PENDING, type Work } from '../../runtime/operator.js';
import type { RowStore } from '../../runtime/row-store.js';
import { mergeRuns, orderByColumn } from '../../runtime/spill/merge-runs.js';
import { LEVELS_MAX, Partitions } from '../../runtime/spill/partitions.js';
import { PieceInput, SpilledInput } from '../../runtime/spill/spilled-input.js';
import { SpilledReader, SpilledRows } from '../../runtime/spill/spilled-rows.js';
import { BitSet } from './bit-set.js';
import type { JoinRun, MakeJoin } from './join-run.js';

/** A part with more than this share of the rows would not get smaller by another split. */
const SKEWED_SHARE = 0.8;
const PIECE_ROWS_MIN = 256;

/** Columns and index, which grow beyond what they hold. */
function bytesPerBuildRow(width: number): number {
  return 16 * width + 80;
}

/** Where rows that go together are written: split, or in one sequence. */
type Sink = Partitions | SpilledRows;

interface Pair {
  readonly probe: SpilledRows;
  readonly build: SpilledRows;
  readonly inPieces: boolean;
}

export interface PartitionedJoinSpec {
  readonly probe: Operator;
  readonly build: Operator;
  /** Columns of the keys on either side; none = nothing to split by. */
  readonly probeKeys: readonly number[];
  readonly buildKeys: readonly number[];
  readonly makeJoin: MakeJoin;
  readonly run: JoinRun;
}

export class PartitionedJoin {
  private readonly account: MemoryAccount;
  private readonly probeVariables: readonly string[];
  private readonly buildSink: Sink;
  private readonly probeSink: Sink;
  private readonly places = newColumn(BATCH_ROWS);
  private placed = 0;
  private pairs: Pair[] = [];
  private join: Operator | null = null;
  private output: SpilledRows | null = null;
  private readonly outputs: SpilledRows[] = [];

  constructor(
    private readonly spec: PartitionedJoinSpec,
    /** Rows of the build side that are in memory, the first of all; given up here. */
    private readonly held: RowStore,
    /** The batch that did not fit. */
    private readonly excess: QueryBatch,
    private readonly releaseHeld: () => void,
    budget: MemoryBudget,
  ) {
    const { probe, build, run } = spec;
    this.account = budget.openAccount();
    this.probeVariables = run.ordered ? [...probe.variables, ` place ${run.level}`] : probe.variables;
    this.buildSink = this.openSink(build.variables.length, spec.buildKeys);
    this.probeSink = this.openSink(this.probeVariables.length, spec.probeKeys);
  }

  *work(): Work<void, QueryBatch> {
    yield* this.writeBuild();
    yield* this.writeProbe();
    this.pairs = this.pairsOf(this.probeSink, this.buildSink);
    for (let pair = this.pairs[0]; pair !== undefined; pair = this.pairs[0]) {
      if (pair.inPieces) yield* this.joinPieces(pair);
      else {
        const run = { ...this.spec.run, level: this.spec.run.level + 1 };
        const probe = new SpilledInput(this.probeVariables, pair.probe, true);
        yield* this.joinOne(probe, new SpilledInput(this.spec.build.variables, pair.build, true), run);
      }
      this.pairs.shift();
      releasePair(pair);
    }
    yield* this.mergeOutputs();
  }

  private openSink(width: number, keys: readonly number[]): Sink {
    const { account, spec } = this;
    if (keys.length === 0) return new SpilledRows(account.spill, width, account);
    return new Partitions(account.spill, width, keys, spec.run.level, account);
  }

  private *writeBuild(): Work {
    const { buildSink, held, spec } = this;
    for (const batch of batchesOf(held)) {
      writeBatch(buildSink, batch);
      yield PENDING;
    }
    writeBatch(buildSink, this.excess);
    this.releaseHeld();
    for (const step of spec.build.batches()) {
      if (step !== PENDING) writeBatch(buildSink, step);
      yield PENDING;
    }
    buildSink.seal();
  }

  private *writeProbe(): Work {
    const { probeSink, spec } = this;
    for (const step of spec.probe.batches()) {
      if (step !== PENDING) writeBatch(probeSink, this.withPlaces(step));
      yield PENDING;
    }
    probeSink.seal();
  }

  private withPlaces(batch: QueryBatch): QueryBatch {
    if (!this.spec.run.ordered) return batch;
    for (let row = 0; row < batch.rows; row++) {
      this.places[2 * row] = (this.placed + row) >>> 0;
      this.places[2 * row + 1] = Math.floor((this.placed + row) / 2 ** 32);
    }
    this.placed += batch.rows;
    return { rows: batch.rows, columns: [...batch.columns.slice(0, this.spec.probe.variables.length), this.places] };
  }

  private pairsOf(probe: Sink, build: Sink): Pair[] {
    if (probe instanceof SpilledRows || build instanceof SpilledRows) {
      return [{ probe: probe as SpilledRows, build: build as SpilledRows, inPieces: true }];
    }
    const total = build.parts.reduce((sum, part) => sum + part.rows, 0);
    const splitAgain = this.spec.run.level + 1 < LEVELS_MAX;
    return build.parts.map((part, at) => ({
      probe: probe.parts[at] as SpilledRows,
      build: part,
      inPieces: !splitAgain || part.rows > total * SKEWED_SHARE,
    }));
  }

  /** Takes the build side in pieces that surely fit, and joins each with all probe rows. */
  private *joinPieces({ probe, build }: Pair): Work<void, QueryBatch> {
    const { account, spec } = this;
    const { variables } = spec.build;
    const reader = new SpilledReader(build, { consume: true });
    const matched = new BitSet(account);
    try {
      // No rows are a piece too: the probe rows without partners come from it.
      for (let left = Math.max(1, build.rows); left > 0; ) {
        const rows = Math.max(PIECE_ROWS_MIN, Math.floor(account.room() / bytesPerBuildRow(variables.length)));
        const last = rows >= left;
        const piece = new PieceInput(variables, reader, last ? build.rows : rows);
        const run = { ...spec.run, piece: { matched, last } };
        yield* this.joinOne(new SpilledInput(this.probeVariables, probe, false), piece, run);
        left = last ? 0 : left - piece.given;
      }
    } finally {
      reader.close();
      matched.release();
    }
  }

  private *joinOne(probe: Operator, build: Operator, run: JoinRun): Work<void, QueryBatch> {
    const { account, spec } = this;
    const join = spec.makeJoin(probe, build, run);
    this.join = join;
    if (spec.run.ordered) this.output = new SpilledRows(account.spill, join.variables.length, account);
    for (const step of join.batches()) {
      if (step === PENDING || this.output === null) yield step;
      else {
        this.output.appendBatch(step);
        yield PENDING;
      }
    }
    join.close();
    this.join = null;
    if (this.output === null) return;
    this.output.seal();
    this.outputs.push(this.output);
    this.output = null;
  }

  /** The rows of all parts by their places, which are left out. */
  private *mergeOutputs(): Work<void, QueryBatch> {
    const width = this.outputs[0]?.width ?? 0;
    const order = orderByColumn(Math.max(0, width - 1));
    for (const step of mergeRuns(this.outputs.splice(0), width, order, this.account)) {
      yield step === PENDING ? PENDING : { rows: step.rows, columns: step.columns.slice(0, -1) };
    }
  }

  close(): void {
    this.join?.close();
    this.pairs.splice(0).forEach(releasePair);
    this.buildSink.release();
    this.probeSink.release();
    this.output?.release();
    for (const output of this.outputs.splice(0)) output.release();
    this.account.close();
  }
}

function releasePair({ probe, build }: Pair): void {
  probe.release();
  build.release();
}

function writeBatch(sink: Sink, batch: QueryBatch): void {
  const columns: readonly IdColumn[] = batch.columns;
  for (let row = 0; row < batch.rows; row++) sink.appendRow(columns, row);
}
