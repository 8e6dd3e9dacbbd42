/**
 * A snapshot of a store file: one pinned read transaction, the manifest it sees, and the reads that
 * the seam promises.
 */

import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import type { Term } from '../../rdf/terms.js';
import type { StagedView, UncommittedLayer } from '../delta/uncommitted-layer.js';
import { dictionaryId, storedBytes, partsOf as termParts } from '../dictionary/stored-term.js';
import { inlineId } from '../ids/inline.js';
import { ROOT_ID, type TermId, type TxId } from '../ids/layout.js';
import type { Head } from '../log/head.js';
import { LogReader } from '../log/log-reader.js';
import { isOrdered, rootOf } from '../runs/manifest.js';
import { columnOf } from '../seam/rows.js';
import type {
  ChangedRows,
  CountRequest,
  Estimate,
  GraphSet,
  IdColumn,
  IndexView,
  NumberRange,
  PredicateStatistics,
  ProbeCursor,
  ProbeRequest,
  RootFigures,
  ScanCounters,
  ScanCursor,
  ScanRequest,
  StorageSnapshot,
  StoredPart,
  StoredTerms,
  TimeSlice,
} from '../seam/scan.js';
import type { IndexQuestion } from '../seam/source.js';
import { changesInStore, readChanges, stagedChanges } from './changes.js';
import type { SnapshotContext } from './context.js';
import { graphsHolding } from './graph-list.js';
import { indexView } from './index-view.js';
import { ViewPatches } from './patch/patches.js';
import { openProbe } from './probe/open-probe.js';
import { countRows, estimateRows } from './scan/count.js';
import { netPerGraph } from './scan/layer-figures.js';
import { predicatesOf } from './scan/predicates.js';
import { openCursor } from './scan/source-cursor.js';
import type { TermSource } from './term-decoder.js';
import type { ScanView } from './view.js';

export class LmdbSnapshot implements StorageSnapshot {
  readonly tx: TxId;
  readonly catalogTx: TxId;
  readonly staged: boolean;
  readonly counters: ScanCounters;
  readonly #opened: ScanView;
  /** Transactions from this one on are not in the log, and will not be before their stage is written. */
  readonly #stagedFrom: TxId;
  /** All that is staged stands in the uncommitted layer, as one transaction. */
  readonly #isLayer: boolean;
  /** Terms from this number on came later. */
  readonly termsEnd: number;
  /** Terms from this number on are the stage's, with numbers that may yet become another's. */
  readonly #provisional: number;
  readonly #onClose: () => void;
  /** Opened when it is asked for. */
  #log: LogReader | null = null;
  readonly #cursors = new Set<{ close(): void }>();
  /** Snapshots of attached stores that were read. */
  readonly #others = new Map<string, { readonly snapshot: LmdbSnapshot; release(): void }>();
  /** What indexes have answered, by what they were asked. */
  readonly #answers = new Map<string, ReturnType<typeof indexView>>();
  readonly #head: Head;
  readonly #patches = new ViewPatches();
  #closed = false;

  /** With a stage it shows the store as the stage's transaction would leave it. */
  constructor(
    context: SnapshotContext,
    onClose: () => void,
    staged?: StagedView,
    counters: ScanCounters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 },
  ) {
    this.#onClose = onClose;
    this.counters = counters;
    const { memory, blocks } = context;
    const shared = staged?.transaction;
    const transaction = shared === undefined ? context.file.beginRead() : context.file.share(shared);
    try {
      const { manifest, head } = context.state(transaction);
      this.#head = head;
      const delta = context.deltas.get(manifest, head, transaction).pin();
      const stage = staged?.overlay?.pin() ?? null;
      this.#provisional = stage?.terms.first ?? head.nextTermNumber;
      this.termsEnd = stage?.terms.next ?? head.nextTermNumber;
      this.tx = staged?.tx ?? head.lastTx;
      this.staged = staged !== undefined;
      this.catalogTx = staged?.tx ?? head.catalogTx ?? head.lastTx;
      this.#stagedFrom = staged === undefined ? Number.POSITIVE_INFINITY : (staged.stagedFrom ?? staged.tx);
      this.#isLayer = stage !== null && this.#stagedFrom === this.tx && staged?.inRuns !== true;
      this.#opened = {
        context,
        manifest,
        transaction,
        tx: this.tx,
        delta,
        stage,
        // A stage may have rows that begin earlier; it is small, and read for a short time.
        disjoint: stage === null && head.disjoint === true,
        scan: { memory, blocks, counters, transaction },
        store: (name) => this.#other(name),
        index: (asked, time) => this.#answer(asked, time),
        patched: (graphs, time) => this.#patches.of(this.#opened, graphs, time),
      };
    } catch (error) {
      context.file.release(transaction);
      throw error;
    }
  }

  get #view(): ScanView {
    if (this.#closed) throw new SvcError('store_closed', 'the snapshot is closed');
    return this.#opened;
  }

  #other(name: string): ScanView {
    let other = this.#others.get(name);
    if (other === undefined) {
      const { context, release } = this.#view.context.hold(name);
      try {
        other = { snapshot: new LmdbSnapshot(context, () => undefined, undefined, this.counters), release };
      } catch (error) {
        release();
        throw error;
      }
      this.#others.set(name, other);
    }
    return other.snapshot.#view;
  }

  #answer({ index, question }: IndexQuestion, time: TimeSlice): ScanView {
    const view = this.#view;
    const { context, manifest, transaction } = view;
    return getOrInsert(this.#answers, JSON.stringify([index, question, time]), () => {
      if (context.askIndex === null)
        throw new SvcError('invalid_request', `${context.file.path} has no indexes to ask`);
      const state = { manifest, head: this.#head, transaction };
      return indexView(view, context.askIndex(context, state, { index, question }, time));
    });
  }

  get layout(): number {
    return this.#opened.context.slices.materialisations;
  }

  scan(request: ScanRequest): ScanCursor {
    return openCursor(this.#view, request, this.#cursors);
  }

  probe(request: ProbeRequest): ProbeCursor {
    return openProbe(this.#view, request, this.#cursors);
  }

  estimate(request: CountRequest): Estimate {
    return estimateRows(this.#view, request);
  }

  count(request: CountRequest): number {
    const { graphs } = request;
    if (graphs.kind === 'all' && graphs.except !== undefined && graphs.except.length > 0) {
      // Counts of all graphs and of one come from directories where nothing is left out.
      const left = graphs.except.map((graph) => this.count({ ...request, graphs: { kind: 'one', graph } }));
      return this.count({ ...request, graphs: { kind: 'all' } }) - left.reduce((sum, count) => sum + count, 0);
    }
    const direct = countRows(this.#view, request);
    if (direct !== null) return direct;
    const cursor = this.scan({ ...request, columns: [], unordered: true });
    let rows = 0;
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      rows += batch.selection === null ? batch.rows : batch.selection.length;
    }
    cursor.close();
    return rows;
  }

  predicates(graphs: GraphSet): readonly PredicateStatistics[] {
    return predicatesOf(this.#view, graphs, !this.staged);
  }

  derived<Value extends object>(name: string, find: () => Value): Value {
    const { context, manifest } = this.#view;
    return context.known.derived.get(manifest.version, name, find) as Value;
  }

  changes(tx: TxId, graph?: TermId): Generator<ChangedRows> {
    const { context, manifest, transaction, stage } = this.#view;
    if (tx < this.#stagedFrom) {
      this.#log ??= new LogReader(context.file);
      const relocations = context.relocations(manifest, transaction);
      return readChanges(this, this.#log.entry(tx, transaction), { memory: context.memory, relocations }, graph);
    }
    return this.#isLayer ? stagedChanges(stage as UncommittedLayer) : changesInStore(this, tx, graph);
  }

  rootFigures(): RootFigures | null {
    return rootOf(this.#view.manifest);
  }

  orderedTerms(): readonly NumberRange[] {
    return this.#view.manifest.segments
      .filter(isOrdered)
      .map(({ firstNumber, terms }) => ({ from: firstNumber, to: firstNumber + terms }));
  }

  indexView(): IndexView {
    const { context, manifest, transaction } = this.#view;
    if (context.viewOf === null) throw new SvcError('invalid_request', `${context.file.path} has no indexes to read`);
    return context.viewOf(context, { manifest, head: this.#head, transaction });
  }

  graphs(): readonly TermId[] {
    const view = this.#view;
    const counts = view.context.graphCounts(view.manifest, view.transaction);
    return graphsHolding(counts, netPerGraph(view), (ids) => this.decode(columnOf(ids), ids.length));
  }

  encode(term: Term, lasting = false): TermId | null {
    const view = this.#view;
    const known = lasting ? view.context.known.lasting.get(term) : undefined;
    if (known !== undefined && known.number < view.manifest.nextTermNumber) return known.id;
    if (term.termType === 'DefaultGraph') return ROOT_ID;
    if (term.termType === 'Literal' && !term.language) {
      const inlined = inlineId(term.datatype.value, term.value);
      if (inlined !== null) return inlined;
    }
    const parts = termParts(term);
    if (parts === null) return null;
    const stored = storedBytes(parts);
    const above = view.stage?.terms.find(stored) ?? view.delta.terms.find(stored);
    if (above !== undefined) return above < this.termsEnd ? dictionaryId(parts, above) : null;
    const number = view.context.dictionary.find(
      view.manifest,
      view.transaction,
      stored,
      Buffer.byteLength(parts.qualifier),
    );
    if (number === null) return null;
    const id = dictionaryId(parts, number);
    // It is in a segment, whose numbers stay; those of a delta or a stage may yet become another's.
    if (lasting) view.context.known.lasting.set(term, { number, id });
    return id;
  }

  decode(ids: IdColumn, rows: number): Term[] {
    return this.#view.context.decoder.decode(this.#termSource(), ids, rows);
  }

  stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void, part?: StoredPart): void {
    this.#view.context.decoder.stored(this.#termSource(), ids, count, take, part);
  }

  #termSource(): TermSource {
    const { manifest, transaction, delta, stage } = this.#view;
    return {
      manifest,
      transaction,
      above: stage === null ? [delta.terms] : [delta.terms, stage.terms],
      provisional: this.#provisional,
      counters: this.counters,
    };
  }

  close(): void {
    if (this.#closed) return;
    for (const cursor of [...this.#cursors]) cursor.close();
    for (const { snapshot, release } of this.#others.values()) {
      snapshot.close();
      release();
    }
    for (const { delta } of this.#answers.values()) delta.unpin();
    this.#closed = true;
    const { context, transaction, delta, stage } = this.#opened;
    this.#log?.release();
    this.#patches.close();
    stage?.unpin();
    delta.unpin();
    context.file.release(transaction);
    this.#onClose();
  }
}
