/**
 * One transaction of a stage beside a store file. Changes are taken in batches: encoded, sorted, freed of
 * repetitions, and judged against what the stage holds and what is open in the store.
 *
 * Netting (semantics text 1.2): a quad that was open before stays untouched however often it is
 * closed and opened again; one that was not and is not in the end leaves nothing.
 *
 * A row with an end from birth is opened and closed by the same transaction, so that no read by transaction shows it. In the
 * layer it stands among the rows alone, with its ends; among what is closed it is told of and written too.
 *
 * Length: opening, closing and ending are one table of what may become of a row, over state that all three change.
 */

import { invariant, SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { Quad, Term } from '../../rdf/terms.js';
import type { Delta } from '../delta/delta.js';
import { type Memtable, type Permutation, writeKey } from '../delta/memtable.js';
import { UncommittedLayer } from '../delta/uncommitted-layer.js';
import { idOfHalves } from '../ids/halves.js';
import { type Instant, instantToColumn, OPEN, type TermId, type TxId } from '../ids/layout.js';
import type { Validity } from '../log/head.js';
import { type LiveRows, liveClosed, liveOpened } from '../log/live-rows.js';
import { PACKED_KEY_DEPTH } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import { GroupedChanges } from '../seam/changes-by-graph.js';
import type { ChangeCounts, ChangesByGraph, QuadColumns, SettledOptions } from '../seam/engine.js';
import { BATCH_ROWS, type ChangedRows, type IdColumn } from '../seam/scan.js';
import { TimedTransaction } from '../seam/stage-of-transactions.js';
import { stagedChanges } from '../snapshot/changes.js';
import type { View } from '../snapshot/view.js';
import { OpenLookup } from './open-lookup.js';
import { QuadList, SortedQuads } from './sorted-quads.js';
import { type KnownTerms, TermEncoder } from './term-encoder.js';
import type { IdHalves } from './term-map.js';

const KEY_DEPTH = 4;
const TX_FROM = 4;
const TX_TO = 5;
const VALID_FROM = 6;
const VALID_TO = 7;
const OPEN_HALF = 0xffffffff;
const ALL_MASK = 0xff;
const FOUND_FIRST = 128;

/** What a transaction is judged against. */
export interface StageBase {
  readonly view: View;
  readonly delta: Delta;
  readonly known: KnownTerms;
}

/** What is told of a transaction when it begins; `assertOpen` throws once its stage is over. */
export interface TransactionBegin {
  readonly tx: TxId;
  readonly options: SettledOptions;
  readonly assertOpen: () => void;
}

/** What is left of its changes: rows that were taken back do not count, nor terms when there are no rows. */
export interface NetChanges {
  readonly opened: LiveRows;
  readonly closed: LiveRows;
  readonly terms: readonly Buffer[];
}

/** What was staged when a change began, sorted by s, p, o, g and pinned; null = nothing. */
interface Staged {
  readonly rows: Permutation | null;
  readonly tombstones: Permutation | null;
}

function stagedBefore({ rows, tombstones }: UncommittedLayer): Staged {
  return {
    rows: rows.count === 0 ? null : rows.sorted('SPOG').pin(),
    tombstones: tombstones.count === 0 ? null : tombstones.sorted('SPOG').pin(),
  };
}

export class WriteTransaction extends TimedTransaction {
  readonly #assertOpen: () => void;
  readonly #memory: ThreadMemory;
  readonly #encoder: TermEncoder;
  readonly #lookup: OpenLookup;
  readonly #quads: SortedQuads;
  /** Rows of a slice that are new, put together to be appended. */
  readonly #added: RowColumns;
  readonly #numbers: number;
  readonly #key: number;
  /** Which rows of a slice are open; as long as most slices are, or as the longest may be. */
  #found = new Uint8Array(FOUND_FIRST);
  readonly #ids: IdHalves[] = [];
  #layer: UncommittedLayer;
  #net: NetChanges | null = null;
  #pins = 1;
  #changes: ChangesByGraph | null = null;
  #begin = Number.POSITIVE_INFINITY;
  #lastEnd = Number.NEGATIVE_INFINITY;
  #asserted = 0;
  #retracted = 0;
  /** Rows with an end from birth. */
  #ended = 0;
  #frozen = false;

  constructor({ view, delta, known }: StageBase, { tx, options, assertOpen }: TransactionBegin) {
    super(tx, options);
    this.#assertOpen = assertOpen;
    const memory = delta.memory;
    this.#memory = memory;
    this.#layer = UncommittedLayer.empty(memory, delta.terms.next);
    this.#encoder = new TermEncoder(view, delta.terms, known, this.#layer.terms);
    this.#lookup = new OpenLookup(view, delta);
    this.#quads = new SortedQuads(memory);
    this.#added = new RowColumns(memory);
    this.#numbers = memory.allocate(4 * BATCH_ROWS);
    this.#key = memory.allocate(8 * PACKED_KEY_DEPTH);
  }

  get counts(): ChangeCounts {
    return { asserted: this.#asserted, retracted: this.#retracted };
  }

  /** What it would change. */
  get layer(): UncommittedLayer {
    return this.#layer;
  }

  get isEmpty(): boolean {
    return this.#asserted + this.#retracted === 0;
  }

  /** Beginnings and ends of validity that it sets, as far as it ever held them. */
  get validity(): Validity {
    const { asserted, retracted } = this.counts;
    const ends = retracted + this.#ended;
    return { begin: asserted === 0 ? null : this.#begin, end: ends === 0 ? null : this.#lastEnd };
  }

  assert(quads: Iterable<Quad>, validFrom: Instant = this.validFrom, validTo?: Instant): number {
    return this.#inBatches(
      quads,
      (quad) => {
        this.#encoder.encode(quad, this.#ids);
        return true;
      },
      (rows) => this.#openSlices(this.#quads.placed(rows), validFrom, validTo),
    );
  }

  retract(quads: Iterable<Quad>, validTo: Instant = this.timestamp): number {
    return this.#inBatches(
      quads,
      (quad) => this.#encoder.lookup(quad, this.#ids),
      (placed) => this.#judged(this.#quads.placed(placed), (rows, known) => this.#close(rows, known, validTo)),
    );
  }

  /** Gathers the ids of quads into batches. What came before a quad that is refused, or an exception of the source, is taken. */
  #inBatches(quads: Iterable<Quad>, encode: (quad: Quad) => boolean, take: (rows: number) => number): number {
    let changed = 0;
    let rows = 0;
    try {
      for (const quad of quads) {
        if (!encode(quad)) continue;
        this.#quads.place(rows++, this.#ids);
        if (rows < BATCH_ROWS) continue;
        rows = 0;
        changed += take(BATCH_ROWS);
      }
    } finally {
      // The source may have ended the stage while it was read.
      if (!this.#frozen) changed += take(rows);
    }
    this.#assertOpen();
    return changed;
  }

  assertIds(quads: QuadColumns, validFrom: Instant | IdColumn = this.validFrom): number {
    if (typeof validFrom === 'number') return this.#openSlices(this.#quads.of(quads), validFrom);
    return this.#openSlices(this.#quads.of(quads, validFrom), null);
  }

  retractIds(quads: QuadColumns, validTo: Instant = this.timestamp): number {
    return this.#judged(this.#quads.of(quads), (rows, known) => this.#close(rows, known, validTo));
  }

  openQuads(quads: QuadColumns): QuadColumns {
    const open = new QuadList(this.#memory, quads.rows);
    for (const rows of this.#quads.of(quads)) {
      this.#find(rows);
      open.take(this.#quads.slice, rows, this.#found);
    }
    return open.columns();
  }

  /** Marks which rows of the slice are open in the store. */
  #find(rows: number): void {
    if (rows > this.#found.length) this.#found = new Uint8Array(BATCH_ROWS);
    this.#found.fill(0, 0, rows);
    this.#lookup.find(this.#quads.slice, rows, this.#found);
  }

  /** The layer, to be changed. */
  #own(): UncommittedLayer {
    invariant(!this.#frozen, 'a transaction that is accepted does not change any more');
    this.#changes = null;
    if (this.#layer.shared) {
      const copy = this.#layer.clone();
      this.#layer.unpin();
      this.#layer = copy;
    }
    return this.#layer;
  }

  /** `validFrom` null: each row of the slices brings its own. */
  #openSlices(slices: Iterable<number>, validFrom: Instant | null, validTo?: Instant): number {
    return this.#judged(slices, (rows, known) =>
      validFrom === null || validTo === undefined
        ? this.#open(rows, known, validFrom)
        : this.#openEnding(rows, known, validFrom, validTo),
    );
  }

  /**
   * Judges slices that ascend, all of them against what was staged before the first: none of their quads
   * comes twice, so that what they add themselves needs no second look.
   */
  #judged(slices: Iterable<number>, judge: (rows: number, known: Staged) => number): number {
    let known: Staged | null = null;
    let changed = 0;
    try {
      for (const rows of slices) {
        known ??= stagedBefore(this.#own());
        this.#find(rows);
        changed += judge(rows, known);
      }
    } finally {
      known?.rows?.unpin();
      known?.tombstones?.unpin();
    }
    return changed;
  }

  #open(rows: number, known: Staged, validFrom: Instant | null): number {
    const layer = this.#layer;
    const { addresses } = this.#quads.slice;
    const begins = addresses[VALID_FROM] as number;
    if (validFrom !== null) this.#memory.kernels.fillColumn(begins, rows, instantToColumn(validFrom));
    const starts = this.#memory.bigsAt(begins, rows);
    this.#begin = Math.min(this.#begin, validFrom ?? this.#quads.firstBegin(rows, this.#found));
    const fresh = this.#memory.wordsAt(this.#numbers, rows);
    let [opened, added] = [0, 0];
    for (let i = 0; i < rows; i++) {
      if (this.#found[i] === 1) {
        // Open before: when this stage has closed it, the close is taken back.
        if (known.tombstones === null) continue;
        writeKey(this.#memory, 'SPOG', addresses, i, this.#key);
        const close = layer.tombstones.find(this.#key, KEY_DEPTH, known.tombstones);
        if (close < 0 || layer.tombstones.high(TX_TO, close) === OPEN_HALF) continue;
        layer.tombstones.set(TX_TO, close, OPEN_HALF, OPEN_HALF);
        this.#retracted--;
        opened++;
        continue;
      }
      const staged = known.rows === null ? -1 : this.#findRow(i, known.rows);
      if (staged < 0) {
        fresh[added++] = i;
        continue;
      }
      const isBack = layer.rows.high(TX_FROM, staged) === OPEN_HALF;
      const ends = layer.rows.high(TX_TO, staged) !== OPEN_HALF;
      if (!isBack && !ends) continue;
      if (isBack) this.#asserted++;
      else this.#ended--;
      this.#setTimes(staged, BigInt(this.tx), OPEN, starts[i] as bigint, OPEN);
      opened++;
    }
    if (added === 0) return opened;
    const columns = this.#gathered(rows, added);
    this.#fill(columns, added, [BigInt(this.tx), OPEN, null, OPEN]);
    layer.rows.append(columns, 0, added);
    this.#asserted += added;
    return opened + added;
  }

  /** The last that is said of the end of a row counts. */
  #openEnding(rows: number, known: Staged, validFrom: Instant, validTo: Instant): number {
    const layer = this.#layer;
    const times = [BigInt(this.tx), BigInt(this.tx), instantToColumn(validFrom), instantToColumn(validTo)] as const;
    this.#begin = Math.min(this.#begin, validFrom);
    this.#lastEnd = Math.max(this.#lastEnd, validTo);
    const fresh = this.#memory.wordsAt(this.#numbers, rows);
    let [opened, added] = [0, 0];
    for (let i = 0; i < rows; i++) {
      if (this.#found[i] === 1 && !this.#isClosed(i, known)) continue;
      const staged = known.rows === null ? -1 : this.#findRow(i, known.rows);
      if (staged < 0) {
        fresh[added++] = i;
        continue;
      }
      const isBack = layer.rows.high(TX_FROM, staged) === OPEN_HALF;
      if (!isBack && layer.rows.high(TX_TO, staged) === OPEN_HALF) continue;
      this.#setTimes(staged, ...times);
      if (isBack) opened++;
    }
    if (added > 0) {
      const columns = this.#gathered(rows, added);
      this.#fill(columns, added, times);
      layer.rows.append(columns, 0, added);
    }
    this.#asserted += opened + added;
    this.#ended += opened + added;
    return opened + added;
  }

  /** True for a row of the slice that is open in the store and that the stage has closed. */
  #isClosed(i: number, { tombstones }: Staged): boolean {
    if (tombstones === null) return false;
    writeKey(this.#memory, 'SPOG', this.#quads.slice.addresses, i, this.#key);
    const close = this.#layer.tombstones.find(this.#key, KEY_DEPTH, tombstones);
    return close >= 0 && this.#layer.tombstones.high(TX_TO, close) !== OPEN_HALF;
  }

  #setTimes(row: number, ...times: readonly [txFrom: bigint, txTo: bigint, validFrom: bigint, validTo: bigint]): void {
    for (const [at, value] of times.entries()) {
      this.#layer.rows.set(TX_FROM + at, row, Number(value & 0xffffffffn), Number(value >> 32n));
    }
  }

  #findRow(i: number, known: Permutation): number {
    writeKey(this.#memory, 'SPOG', this.#quads.slice.addresses, i, this.#key);
    return this.#layer.rows.find(this.#key, KEY_DEPTH, known);
  }

  /** The rows of the slice that `#numbers` lists. */
  #gathered(rows: number, listed: number): RowColumns {
    const { slice } = this.#quads;
    if (listed === rows) return slice;
    this.#memory.kernels.gatherRows(slice.list, this.#numbers, 0, listed, ALL_MASK, this.#added.list);
    return this.#added;
  }

  /** Times in the sequence of their columns; null: the rows have theirs. */
  #fill(columns: RowColumns, rows: number, times: readonly (bigint | null)[]): void {
    for (const [at, value] of times.entries()) {
      if (value === null) continue;
      this.#memory.kernels.fillColumn(columns.addresses[TX_FROM + at] as number, rows, value);
    }
  }

  #close(rows: number, known: Staged, validTo: Instant): number {
    const layer = this.#layer;
    const end = instantToColumn(validTo);
    this.#lastEnd = Math.max(this.#lastEnd, validTo);
    const { addresses } = this.#quads.slice;
    const fresh = this.#memory.wordsAt(this.#numbers, rows);
    let [closed, added] = [0, 0];
    for (let i = 0; i < rows; i++) {
      if (this.#found[i] === 0) {
        const staged = known.rows === null ? -1 : this.#findRow(i, known.rows);
        if (staged < 0 || layer.rows.high(TX_FROM, staged) === OPEN_HALF) continue;
        if (layer.rows.high(TX_TO, staged) !== OPEN_HALF) continue;
        layer.rows.set(TX_FROM, staged, OPEN_HALF, OPEN_HALF);
        this.#asserted--;
        closed++;
        continue;
      }
      let close = -1;
      if (known.tombstones !== null) {
        writeKey(this.#memory, 'SPOG', addresses, i, this.#key);
        close = layer.tombstones.find(this.#key, KEY_DEPTH, known.tombstones);
      }
      if (close < 0) {
        this.#assertEarlier(i);
        fresh[added++] = i;
        continue;
      }
      if (layer.tombstones.high(TX_TO, close) !== OPEN_HALF) continue;
      layer.tombstones.set(TX_TO, close, this.tx >>> 0, Math.floor(this.tx / 2 ** 32));
      layer.tombstones.set(VALID_TO, close, Number(end & 0xffffffffn), Number(end >> 32n));
      this.#retracted++;
      closed++;
    }
    if (added === 0) return closed;
    const columns = this.#gathered(rows, added);
    const { kernels } = this.#memory;
    kernels.fillColumn(columns.addresses[TX_TO] as number, added, BigInt(this.tx));
    kernels.fillColumn(columns.addresses[VALID_TO] as number, added, end);
    layer.tombstones.append(columns, 0, added);
    this.#retracted += added;
    return closed + added;
  }

  /** An open row that this transaction itself has begun came in bulk: in runs, where it can't be taken back. */
  #assertEarlier(row: number): void {
    const at = ((this.#quads.slice.addresses[TX_FROM] as number) >>> 2) + 2 * row;
    const { words } = this.#memory;
    if (words[at] !== this.tx >>> 0 || words[at + 1] !== Math.floor(this.tx / 2 ** 32)) return;
    throw new SvcError('invalid_request', 'a load can not retract in its own transaction what it has loaded', {
      hint: 'begin another transaction of the same stage',
    });
  }

  intern(term: Term): TermId {
    const { low, high } = this.#encoder.intern(term);
    return idOfHalves(low, high);
  }

  /** What it changes so far; kept until it changes again. */
  changes(): ChangesByGraph {
    const { rows, tombstones } = this.#layer;
    this.#changes ??= new GroupedChanges({
      count: rows.count + tombstones.count + this.#ended,
      rows: () => this.#staged(),
    });
    return this.#changes;
  }

  *#staged(): Generator<ChangedRows> {
    const { rows, tombstones } = this.#layer;
    const closed = this.#closedRows();
    try {
      yield* stagedChanges({ rows, tombstones: closed });
    } finally {
      if (closed !== tombstones) closed.release();
    }
  }

  /** Nothing more comes: frees what only changes need. The layer stays. */
  freeze(): void {
    if (this.#frozen) return;
    this.#frozen = true;
    const memory = this.#memory;
    this.#lookup.release();
    this.#quads.release();
    this.#added.release();
    memory.free(this.#numbers, 4 * BATCH_ROWS);
    memory.free(this.#key, 8 * PACKED_KEY_DEPTH);
  }

  /** Its net changes, found once; nothing more comes then. */
  get net(): NetChanges {
    this.freeze();
    const { rows, terms } = this.#layer;
    if (this.#net === null) {
      const [opened, closed] = [liveOpened(rows), liveClosed(this.#closedRows())];
      this.#net = { opened, closed, terms: opened.count === 0 ? [] : terms.list() };
    }
    return this.#net;
  }

  /** The tombstones, with those of rows that end by themselves where there are any: then a copy, which the caller releases. */
  #closedRows(): Memtable {
    const { rows, tombstones } = this.#layer;
    if (this.#ended === 0) return tombstones;
    const closed = tombstones.clone();
    for (let row = 0; row < rows.count; row++) {
      if (rows.high(TX_TO, row) !== OPEN_HALF) closed.append(rows.columns, row, 1);
    }
    return closed;
  }

  /** Its layer and net changes stay until there were as many releases. */
  pin(): this {
    this.#pins++;
    return this;
  }

  release(): void {
    this.freeze();
    if (--this.#pins > 0) return;
    for (const { list, bytes } of this.#net === null ? [] : [this.#net.opened, this.#net.closed]) {
      this.#memory.free(list, bytes);
    }
    if (this.#net !== null && this.#net.closed.set !== this.#layer.tombstones) this.#net.closed.set.release();
    this.#layer.unpin();
  }
}
