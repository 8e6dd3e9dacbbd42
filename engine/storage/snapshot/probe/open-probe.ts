/**
 * Probes of a store file. Where the rows of a request lie in one run, and nothing stands above it, the run
 * is probed straight (`run-probe.ts`), with the same buffers for every `begin`; anything else goes through
 * merges and filters (`merged-probe.ts`).
 */

import { invariant } from '../../../base/errors.js';
import {
  BATCH_ROWS,
  COLUMNS,
  type Column,
  EMPTY_PROBE,
  type IdColumn,
  NO_COLUMNS,
  type ProbeBatch,
  type ProbeCursor,
  type ProbeRequest,
} from '../../seam/scan.js';
import { isComposed, isMerged } from '../../seam/source.js';
import type { RunScan } from '../../sources/run-read.js';
import { layersAreVoid } from '../scan/layers.js';
import { isTimed, repeatsQuads } from '../scan/parts.js';
import { inItsStore, type ScanView } from '../view.js';
import { MergedProbe } from './merged-probe.js';
import { ProbeKeys } from './probe-keys.js';
import { isStoredProbe, type ProbedRun, probedRuns } from './probe-plan.js';
import { RunProbe } from './run-probe.js';
import { spliceProbe } from './spliced-probe.js';

const TRIPLE: ReadonlySet<Column> = new Set(['s', 'p', 'o']);

/** The cursor that serves a request best. It is in `held` as long as it holds memory. */
export function openProbe(asked: ScanView, given: ProbeRequest, held: Set<{ close(): void }>): ProbeCursor {
  const [view, request] = inItsStore(asked, given);
  const { pattern, order, time, keys } = request;
  invariant(order !== 'GSPO' && keys.length > 0, 'a probe has keys, and an order other than GSPO');
  if (!isStoredProbe(request)) {
    const { graphs } = request;
    invariant(isComposed(graphs), 'what is not stored is composed');
    const ofTriples = request.counted === true || request.columns.every((column) => TRIPLE.has(column));
    const patched = ofTriples ? view.patched(graphs, time) : null;
    if (patched !== null) {
      const one = { ...request, graphs: patched.graphs };
      const base = (): ProbeCursor => openProbe(patched.below, one, held);
      return spliceProbe(patched, one, held, base) ?? openProbe(patched.view, one, held);
    }
    return new MergedProbe(view, request, held, (sources) => sources.composed(graphs));
  }
  const { graphs } = request;
  const runs = probedRuns(view, request);
  const wanted = request.counted === true ? [] : request.columns.map((column) => COLUMNS.indexOf(column));
  const bare = layersAreVoid(view, { graphs, pattern, order, time, timed: isTimed(wanted) });
  const [run] = runs;
  if (run === undefined && bare) return EMPTY_PROBE;
  const merged = isMerged(graphs);
  const distinct = !merged && repeatsQuads(view, runs, time, wanted, !bare);
  const mixed = runs.length > 1 || merged || distinct;
  if (run === undefined || !bare || mixed || (request.counted === true && run.tests.length > 0)) {
    return new MergedProbe(view, request, held, (sources) => sources.stored(request, runs, distinct));
  }
  return new PlainProbe(view.scan, run, request, held);
}

class PlainProbe implements ProbeCursor {
  readonly #keys: ProbeKeys;
  readonly #run: RunProbe;
  readonly #counted: boolean;
  /** Views of the full length, made once: kernel memory never moves. */
  readonly #columns: Readonly<Record<Column, IdColumn | null>>;
  readonly #numbers: Uint32Array;
  readonly #counts: Uint32Array | null;
  readonly #held: Set<{ close(): void }>;
  #closed = false;

  constructor(scan: RunScan, run: ProbedRun, request: ProbeRequest, held: Set<{ close(): void }>) {
    const { memory } = scan;
    this.#held = held.add(this);
    this.#counted = request.counted === true;
    const wanted = this.#counted ? [] : request.columns;
    this.#keys = new ProbeKeys(memory, request.keys.length);
    const numbers = wanted.map((column) => COLUMNS.indexOf(column));
    this.#run = new RunProbe(scan, run, this.#keys, numbers).prepare();
    const columns = { ...NO_COLUMNS };
    wanted.forEach((column, i) => {
      columns[column] = memory.wordsAt(this.#run.columns.addresses[numbers[i] as number] as number, 2 * BATCH_ROWS);
    });
    this.#columns = columns;
    this.#numbers = memory.wordsAt(this.#run.numbers, BATCH_ROWS);
    this.#counts = this.#counted ? memory.wordsAt(this.#run.rows, BATCH_ROWS) : null;
  }

  begin(keys: readonly IdColumn[], count: number): void {
    if (this.#closed) return;
    this.#keys.load(keys, count);
    this.#run.begin(0, count);
  }

  next(): ProbeBatch | null {
    if (this.#run.ended) return null;
    const rows = this.#counted ? this.#run.count() : this.#run.read();
    if (rows === 0 && this.#run.ended) return null;
    return { rows, columns: this.#columns, keys: this.#numbers, counts: this.#counts };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#held.delete(this);
    this.#run.close();
    this.#keys.release();
  }
}
