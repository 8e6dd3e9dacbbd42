/**
 * A transaction beside a store file. Changes are taken in batches: encoded, sorted, freed of
 * repetitions, and judged against what the stage holds and what is open in the store.
 *
 * Netting (semantics text 1.2): a quad that was open before stays untouched however often it is
 * closed and opened again; one that was not and is not in the end leaves nothing.
 */

import type { Control } from '../../base/control.js';
import { invariant, SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { Quad, Term } from '../../rdf/terms.js';
import type { Delta } from '../delta/delta.js';
import type { DeltaTerms } from '../delta/delta-terms.js';
import { copyRows, writeKey } from '../delta/row-set.js';
import type {
  ChangeCounts,
  CommitOptions,
  Committed,
  GraphChange,
  QuadColumns,
  StagedTransaction,
  TransactionOptions,
} from '../engine.js';
import { idOfHalves } from '../ids/halves.js';
import { type Instant, instantToColumn, OPEN, type TermId, type TxId } from '../ids/layout.js';
import type { Validity } from '../log/head.js';
import { PACKED_KEY_DEPTH, packedKey } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, type StorageSnapshot } from '../scan.js';
import type { View } from '../snapshot/view.js';
import { changesByGraph } from './changes-by-graph.js';
import { OpenLookup } from './open-lookup.js';
import { Overlay } from './overlay.js';
import { type IdHalves, type KnownTerms, TermEncoder } from './term-encoder.js';

const KEY_DEPTH = 4;
const [TX_FROM, TX_TO, VALID_FROM, VALID_TO] = [4, 5, 6, 7] as const;
const OPEN_HALF = 0xffffffff;
const ALL_MASK = 0xff;

/** What a stage needs of its engine. */
export interface StageHost {
  /** The store that the stage is judged against. */
  readonly view: View;
  readonly delta: Delta;
  readonly known: KnownTerms;
  snapshot(overlay: Overlay, tx: TxId): StorageSnapshot;
  accept(stage: Stage, control: Control): Committed;
  /** Called once, when the stage is committed or discarded. */
  ended(stage: Stage): void;
}

export class Stage implements StagedTransaction {
  readonly tx: TxId;
  readonly timestamp: Instant;
  readonly validFrom: Instant;
  readonly options: TransactionOptions;
  readonly #host: StageHost;
  readonly #memory: ThreadMemory;
  readonly #encoder: TermEncoder;
  readonly #lookup: OpenLookup;
  readonly #batch: RowColumns;
  readonly #sorted: RowColumns;
  readonly #numbers: number;
  readonly #scratch: number;
  readonly #key: number;
  readonly #found = new Uint8Array(BATCH_ROWS);
  readonly #ids: IdHalves[] = [];
  #overlay: Overlay;
  #begin = Number.POSITIVE_INFINITY;
  #asserted = 0;
  #retracted = 0;
  #state: 'open' | 'committed' | 'discarded' = 'open';

  constructor(host: StageHost, tx: TxId, timestamp: Instant, options: TransactionOptions) {
    this.#host = host;
    this.tx = tx;
    this.timestamp = timestamp;
    this.validFrom = options.validFrom ?? timestamp;
    this.options = options;
    const { delta, view, known } = host;
    const memory = delta.memory;
    this.#memory = memory;
    this.#overlay = Overlay.empty(memory, delta.terms.next);
    this.#encoder = new TermEncoder(
      view.context.dictionary,
      view.manifest,
      view.transaction,
      delta.terms,
      known,
      this.#overlay.terms,
    );
    this.#lookup = new OpenLookup(view, delta);
    this.#batch = new RowColumns(memory);
    this.#sorted = new RowColumns(memory);
    this.#numbers = memory.allocate(4 * BATCH_ROWS);
    this.#scratch = memory.allocate(4 * BATCH_ROWS);
    this.#key = memory.allocate(8 * PACKED_KEY_DEPTH);
  }

  get counts(): ChangeCounts {
    return { asserted: this.#asserted, retracted: this.#retracted };
  }

  /** What it would change; for the engine. */
  get overlay(): Overlay {
    return this.#overlay;
  }

  /** Beginnings and ends of validity that it sets, as far as it ever held them. */
  get validity(): Validity {
    const { asserted, retracted } = this.counts;
    return { begin: asserted === 0 ? null : this.#begin, end: retracted === 0 ? null : this.timestamp };
  }

  get terms(): DeltaTerms {
    return this.#overlay.terms;
  }

  assert(quads: Iterable<Quad>, validFrom: Instant = this.validFrom): number {
    this.#assertOpen();
    return this.#inBatches(
      quads,
      (quad) => {
        this.#encoder.encode(quad, this.#ids);
        return true;
      },
      (rows) => this.#open(rows, validFrom),
    );
  }

  retract(quads: Iterable<Quad>): number {
    this.#assertOpen();
    return this.#inBatches(
      quads,
      (quad) => this.#encoder.lookup(quad, this.#ids),
      (rows) => this.#close(rows),
    );
  }

  /** Gathers the ids of quads into batches. What came before a quad that is refused, or an exception of the source, is taken. */
  #inBatches(quads: Iterable<Quad>, encode: (quad: Quad) => boolean, take: (rows: number) => number): number {
    let changed = 0;
    let rows = 0;
    try {
      for (const quad of quads) {
        if (!encode(quad)) continue;
        this.#place(rows++);
        if (rows < BATCH_ROWS) continue;
        rows = 0;
        changed += take(BATCH_ROWS);
      }
    } finally {
      // The source may have ended the stage while it was read.
      if (this.#state === 'open') changed += take(rows);
    }
    this.#assertOpen();
    return changed;
  }

  assertIds(quads: QuadColumns, validFrom: Instant = this.validFrom): number {
    this.#assertOpen();
    let opened = 0;
    for (let from = 0; from < quads.rows; from += BATCH_ROWS) {
      opened += this.#open(this.#placeIds(quads, from), validFrom);
    }
    return opened;
  }

  retractIds(quads: QuadColumns): number {
    this.#assertOpen();
    let closed = 0;
    for (let from = 0; from < quads.rows; from += BATCH_ROWS) closed += this.#close(this.#placeIds(quads, from));
    return closed;
  }

  #place(row: number): void {
    const { words } = this.#memory;
    for (let c = 0; c < KEY_DEPTH; c++) {
      const id = this.#ids[c] as IdHalves;
      const at = ((this.#batch.addresses[c] as number) >>> 2) + 2 * row;
      words[at] = id.low;
      words[at + 1] = id.high;
    }
  }

  #placeIds(quads: QuadColumns, from: number): number {
    const rows = Math.min(BATCH_ROWS, quads.rows - from);
    const columns = [quads.s, quads.p, quads.o, quads.g];
    columns.forEach((column, c) => {
      const address = this.#batch.addresses[c] as number;
      this.#memory.wordsAt(address, 2 * rows).set(column.subarray(2 * from, 2 * (from + rows)));
    });
    return rows;
  }

  /** Sorts the batch into `#sorted`, without repetitions; returns the rows left. */
  #sort(rows: number): number {
    const memory = this.#memory;
    const { kernels } = memory;
    const numbers = memory.wordsAt(this.#numbers, rows);
    for (let i = 0; i < rows; i++) numbers[i] = i;
    kernels.sortPermutation(this.#batch.list, this.#numbers, rows, packedKey('SPOG'), KEY_DEPTH, this.#scratch);
    kernels.gatherRows(this.#batch.list, this.#numbers, 0, rows, ALL_MASK, this.#sorted.list);
    let kept = 1;
    for (let i = 1; i < rows; i++) {
      if (this.#sameQuad(kept - 1, i)) continue;
      if (kept < i) copyRows(memory, this.#sorted, i, this.#sorted, kept, 1);
      kept++;
    }
    return kept;
  }

  #sameQuad(a: number, b: number): boolean {
    const { words } = this.#memory;
    for (let c = 0; c < KEY_DEPTH; c++) {
      const at = (this.#sorted.addresses[c] as number) >>> 2;
      if (words[at + 2 * a] !== words[at + 2 * b] || words[at + 2 * a + 1] !== words[at + 2 * b + 1]) return false;
    }
    return true;
  }

  /** The overlay, to be changed. */
  #own(): Overlay {
    if (this.#overlay.shared) {
      const copy = this.#overlay.clone();
      this.#overlay.unpin();
      this.#overlay = copy;
    }
    return this.#overlay;
  }

  #open(batch: number, validFrom: Instant): number {
    if (batch === 0) return 0;
    const overlay = this.#own();
    const rows = this.#sort(batch);
    this.#found.fill(0, 0, rows);
    this.#lookup.find(this.#sorted, rows, this.#found);
    const start = instantToColumn(validFrom);
    this.#begin = Math.min(this.#begin, validFrom);
    let opened = 0;
    let added = 0;
    for (let i = 0; i < rows; i++) {
      writeKey(this.#memory, 'SPOG', this.#sorted.addresses, i, this.#key);
      if (this.#found[i] === 1) {
        // Open before: when this stage has closed it, the close is taken back.
        const close = overlay.closes.find(this.#key, KEY_DEPTH);
        if (close < 0 || overlay.closes.high(TX_TO, close) === OPEN_HALF) continue;
        overlay.closes.set(TX_TO, close, OPEN_HALF, OPEN_HALF);
        this.#retracted--;
        opened++;
        continue;
      }
      const staged = overlay.rows.find(this.#key, KEY_DEPTH);
      if (staged >= 0) {
        if (overlay.rows.high(TX_FROM, staged) !== OPEN_HALF) continue;
        overlay.rows.set(TX_FROM, staged, this.tx >>> 0, Math.floor(this.tx / 2 ** 32));
        overlay.rows.set(VALID_FROM, staged, Number(start & 0xffffffffn), Number(start >> 32n));
        this.#asserted++;
        opened++;
        continue;
      }
      if (added < i) copyRows(this.#memory, this.#sorted, i, this.#sorted, added, 1);
      added++;
    }
    if (added > 0) {
      this.#fill(this.#sorted, added, start);
      overlay.rows.append(this.#sorted, 0, added);
      this.#asserted += added;
      opened += added;
    }
    return opened;
  }

  #fill(columns: RowColumns, rows: number, validFrom: bigint): void {
    const { kernels } = this.#memory;
    kernels.fillColumn(columns.addresses[TX_FROM] as number, rows, BigInt(this.tx));
    kernels.fillColumn(columns.addresses[TX_TO] as number, rows, OPEN);
    kernels.fillColumn(columns.addresses[VALID_FROM] as number, rows, validFrom);
    kernels.fillColumn(columns.addresses[VALID_TO] as number, rows, OPEN);
  }

  #close(batch: number): number {
    if (batch === 0) return 0;
    const overlay = this.#own();
    const rows = this.#sort(batch);
    this.#found.fill(0, 0, rows);
    this.#lookup.find(this.#sorted, rows, this.#found);
    const end = instantToColumn(this.timestamp);
    let closed = 0;
    let added = 0;
    for (let i = 0; i < rows; i++) {
      writeKey(this.#memory, 'SPOG', this.#sorted.addresses, i, this.#key);
      if (this.#found[i] === 0) {
        const staged = overlay.rows.find(this.#key, KEY_DEPTH);
        if (staged < 0 || overlay.rows.high(TX_FROM, staged) === OPEN_HALF) continue;
        overlay.rows.set(TX_FROM, staged, OPEN_HALF, OPEN_HALF);
        this.#asserted--;
        closed++;
        continue;
      }
      const close = overlay.closes.find(this.#key, KEY_DEPTH);
      if (close >= 0) {
        if (overlay.closes.high(TX_TO, close) !== OPEN_HALF) continue;
        overlay.closes.set(TX_TO, close, this.tx >>> 0, Math.floor(this.tx / 2 ** 32));
        this.#retracted++;
        closed++;
        continue;
      }
      if (added < i) copyRows(this.#memory, this.#sorted, i, this.#sorted, added, 1);
      added++;
    }
    if (added > 0) {
      const { kernels } = this.#memory;
      kernels.fillColumn(this.#sorted.addresses[TX_TO] as number, added, BigInt(this.tx));
      kernels.fillColumn(this.#sorted.addresses[VALID_TO] as number, added, end);
      overlay.closes.append(this.#sorted, 0, added);
      this.#retracted += added;
      closed += added;
    }
    return closed;
  }

  intern(term: Term): TermId {
    this.#assertOpen();
    const { low, high } = this.#encoder.intern(term);
    return idOfHalves(low, high);
  }

  changes(): readonly GraphChange[] {
    this.#assertOpen();
    return changesByGraph(this.#overlay);
  }

  snapshot(): StorageSnapshot {
    this.#assertOpen();
    return this.#host.snapshot(this.#overlay, this.tx);
  }

  commit(options: CommitOptions = {}): Committed {
    this.#assertOpen();
    invariant(!this.#overlay.shared, 'snapshots of a stage are closed before it is committed');
    if (this.#asserted + this.#retracted === 0 && options.recordEmpty !== true) {
      this.#end('committed');
      return { tx: 0, durable: Promise.resolve(), exclusive: false };
    }
    try {
      return this.#host.accept(this, options.control ?? {});
    } finally {
      this.#end('committed');
    }
  }

  discard(): void {
    if (this.#state === 'open') this.#end('discarded');
  }

  #end(state: 'committed' | 'discarded'): void {
    this.#state = state;
    const memory = this.#memory;
    this.#lookup.release();
    this.#batch.release();
    this.#sorted.release();
    memory.free(this.#numbers, 4 * BATCH_ROWS);
    memory.free(this.#scratch, 4 * BATCH_ROWS);
    memory.free(this.#key, 8 * PACKED_KEY_DEPTH);
    this.#overlay.unpin();
    this.#host.ended(this);
  }

  #assertOpen(): void {
    if (this.#state !== 'open') throw new SvcError('invalid_request', `the transaction was ${this.#state} already`);
  }
}
