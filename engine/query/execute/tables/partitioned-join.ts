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
import { newColumn, type QueryBatch, sliceBatch } from '../../runtime/batch.js';
import type { MemoryAccount, MemoryBudget } from '../../runtime/memory.js';
import { type Operator, PENDING, type Step } from '../../runtime/operator.js';
import type { RowStore } from '../../runtime/row-store.js';
import { MergeRuns, orderByColumn } from '../../runtime/spill/merge-runs.js';
import { LEVELS_MAX, Partitions } from '../../runtime/spill/partitions.js';
import { PieceInput, SpilledInput } from '../../runtime/spill/spilled-input.js';
import { SpilledReader, SpilledRows } from '../../runtime/spill/spilled-rows.js';
import { type JoinRun, type MakeJoin, MatchedRows } from './join-run.js';

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
  private phase: 'held' | 'build' | 'probe' | 'pairs' | 'merge' = 'held';
  private heldRows = 0;
  private readonly places = newColumn(BATCH_ROWS);
  private placed = 0;
  private pairs: Pair[] = [];
  private pair: Pair | null = null;
  private join: Operator | null = null;
  private pieces: SpilledReader | null = null;
  /** Rows of the pair at hand that no piece has had. */
  private piecesLeft = 0;
  private piece: PieceInput | null = null;
  private matched: MatchedRows | null = null;
  private output: SpilledRows | null = null;
  private readonly outputs: SpilledRows[] = [];
  private merge: MergeRuns | null = null;

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

  next(): Step {
    switch (this.phase) {
      case 'held':
        return this.writeHeld();
      case 'build':
        return this.writeBuild();
      case 'probe':
        return this.writeProbe();
      case 'pairs':
        return this.joinPairs();
      case 'merge':
        return this.withoutPlaces((this.merge as MergeRuns).next());
    }
  }

  private openSink(width: number, keys: readonly number[]): Sink {
    const { account, spec } = this;
    if (keys.length === 0) return new SpilledRows(account.spill, width, account);
    return new Partitions(account.spill, width, keys, spec.run.level, account);
  }

  private writeHeld(): Step {
    const rows = Math.min(BATCH_ROWS, this.held.rows - this.heldRows);
    if (rows > 0) writeBatch(this.buildSink, sliceBatch(this.held, this.heldRows, rows));
    this.heldRows += rows;
    if (this.heldRows < this.held.rows) return PENDING;
    writeBatch(this.buildSink, this.excess);
    this.releaseHeld();
    this.phase = 'build';
    return PENDING;
  }

  private writeBuild(): Step {
    const step = this.spec.build.next();
    if (step !== null && step !== PENDING) writeBatch(this.buildSink, step);
    if (step !== null) return PENDING;
    this.buildSink.seal();
    this.phase = 'probe';
    return PENDING;
  }

  private writeProbe(): Step {
    const step = this.spec.probe.next();
    if (step === PENDING) return PENDING;
    if (step !== null) {
      writeBatch(this.probeSink, this.withPlaces(step));
      return PENDING;
    }
    this.probeSink.seal();
    this.pairs = this.pairsOf(this.probeSink, this.buildSink);
    this.phase = 'pairs';
    return PENDING;
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

  private joinPairs(): Step {
    if (this.join !== null) return this.pull(this.join);
    if (this.pieces !== null && this.piecesLeft > 0) this.beginPiece(this.pieces);
    else this.beginPair();
    return PENDING;
  }

  private beginPair(): void {
    this.endPair();
    const pair = this.pairs.shift();
    if (pair === undefined) {
      this.endPairs();
      return;
    }
    this.pair = pair;
    if (pair.inPieces) {
      this.pieces = new SpilledReader(pair.build, { consume: true });
      // No rows are a piece too: the probe rows without partners come from it.
      this.piecesLeft = Math.max(1, pair.build.rows);
      this.matched = new MatchedRows(this.account);
      return;
    }
    const run = { ...this.spec.run, level: this.spec.run.level + 1 };
    this.begin(new SpilledInput(this.probeVariables, pair.probe, true), this.inputOf(pair.build), run);
  }

  private inputOf(rows: SpilledRows): Operator {
    return new SpilledInput(this.spec.build.variables, rows, true);
  }

  /** The next rows of the build side that surely fit, with all probe rows. */
  private beginPiece(pieces: SpilledReader): void {
    const { probe, build } = this.pair as Pair;
    const width = this.spec.build.variables.length;
    const rows = Math.max(PIECE_ROWS_MIN, Math.floor(this.account.room() / bytesPerBuildRow(width)));
    const last = rows >= this.piecesLeft;
    const piece = { matched: this.matched as MatchedRows, last };
    this.piece = new PieceInput(this.spec.build.variables, pieces, last ? build.rows : rows);
    this.begin(new SpilledInput(this.probeVariables, probe, false), this.piece, { ...this.spec.run, piece });
    if (last) this.piecesLeft = 0;
  }

  private begin(probe: Operator, build: Operator, run: JoinRun): void {
    this.join = this.spec.makeJoin(probe, build, run);
    if (this.spec.run.ordered) {
      this.output = new SpilledRows(this.account.spill, this.join.variables.length, this.account);
    }
  }

  private pull(join: Operator): Step {
    const step = join.next();
    if (step === PENDING) return PENDING;
    if (step !== null) {
      if (this.output === null) return step;
      this.output.appendBatch(step);
      return PENDING;
    }
    join.close();
    this.join = null;
    if (this.piecesLeft > 0) this.piecesLeft -= this.piece?.given ?? 0;
    this.piece = null;
    if (this.output !== null) {
      this.output.seal();
      this.outputs.push(this.output);
      this.output = null;
    }
    return PENDING;
  }

  private endPair(): void {
    this.pieces?.close();
    this.pieces = null;
    this.matched?.release();
    this.matched = null;
    this.pair?.probe.release();
    this.pair?.build.release();
    this.pair = null;
  }

  private endPairs(): void {
    const width = this.outputs[0]?.width ?? 0;
    const order = orderByColumn(Math.max(0, width - 1));
    this.merge = new MergeRuns(this.outputs.splice(0), width, order, this.account);
    this.phase = 'merge';
  }

  private withoutPlaces(step: Step): Step {
    if (step === null || step === PENDING) return step;
    return { rows: step.rows, columns: step.columns.slice(0, -1) };
  }

  close(): void {
    this.join?.close();
    this.endPair();
    for (const { probe, build } of this.pairs.splice(0)) {
      probe.release();
      build.release();
    }
    this.buildSink.release();
    this.probeSink.release();
    this.output?.release();
    for (const output of this.outputs.splice(0)) output.release();
    this.merge?.close();
    this.account.close();
  }
}

function writeBatch(sink: Sink, batch: QueryBatch): void {
  const columns: readonly IdColumn[] = batch.columns;
  for (let row = 0; row < batch.rows; row++) sink.appendRow(columns, row);
}
