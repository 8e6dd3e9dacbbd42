/**
 * Writes a pack, in steps of bounded memory:
 *
 * 1. The rows of the graph, once in each order of a partition of one graph: a run of open rows and one of closed ones. On the
 *    way the dictionary terms that they name, and their transactions, are noted.
 * 2. The terms, in the order of their numbers, as segments with lists of those numbers.
 * 3. The transactions.
 * 4. History that is long is split as in a store, so that looking back costs what it cost there.
 * 5. What names all of it, in one transaction of the file; before it the file is no store.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { fromSystemError, invariant, SvcError } from '../../base/errors.js';
import { ThreadMemory } from '../../kernels/memory.js';
import { Memtable } from '../delta/memtable.js';
import { encodeNumbers, type NumberList } from '../dictionary/sparse-terms.js';
import { highOf, lowOf } from '../ids/halves.js';
import { isDictionaryTag, makeId, TAG, type TermId, type TxId } from '../ids/layout.js';
import { LmdbFile } from '../lmdb/file.js';
import { seal } from '../lmdb/sealed.js';
import { putSeed, SEED_BYTES } from '../lmdb/seed.js';
import { flush, removeAside } from '../lmdb/temporary-sibling.js';
import { encodeHead } from '../log/head.js';
import type { LogRecord } from '../log/record.js';
import { encodeSegment } from '../log/segment.js';
import { dueMerges } from '../merge/merge-policy.js';
import { mergeManyRuns } from '../merge/merge-runs.js';
import { FileSink } from '../runs/file-sink.js';
import { encodeGraphCounts } from '../runs/graph-counts.js';
import {
  EMPTY_MANIFEST,
  encodeManifest,
  FORMAT_TRIPLE_TERMS,
  FORMAT_VERSION,
  idToHex,
  type Manifest,
  type RunRecord,
  type SegmentRecord,
} from '../runs/manifest.js';
import { OWN_ORDERS } from '../runs/orders.js';
import { encodeRunStatistics } from '../runs/run-statistics.js';
import type { PackContent, PackDescription, PackManifest } from '../seam/pack.js';
import { CURRENT, type Order } from '../seam/scan.js';
import { type ContentBatch, isOpenAt, type SnapshotContent } from './content-source.js';
import { IdTable } from './id-table.js';
import { type PackLayout, putPackLayout, putPackManifest } from './pack-layout.js';
import { SegmentTerms } from './pack-terms.js';
import { SplitRows } from './split-rows.js';

/** Batches of rows, or terms, between two looks at the clock. */
const STEP_BATCHES = 32;
/** Terms of a segment, and bytes of their text. */
const SEGMENT_TERMS = 131_072;
const SEGMENT_BYTES = 32 * 1024 * 1024;
const READ_TERMS = 16_384;
/** Transactions that stand in one value. */
const SEGMENT_RECORDS = 512;
const WHAT = 'writing the pack';

/** What a pack is made of. */
export interface PackInput {
  readonly path: string;
  readonly graph: string;
  readonly content: SnapshotContent;
  readonly description: PackDescription;
  readonly found: PackContent;
  readonly storeId: string;
  /** Of the dictionary, 16 bytes in hex. */
  readonly epoch: string;
  /** No quad has two rows that hold at the same instant. */
  readonly disjoint: boolean;
  /** Rows of a window of history; tests make it small. */
  readonly windowRows?: number | undefined;
}

export interface PackOutput {
  readonly manifest: PackManifest;
  readonly bytes: number;
}

/** The file must not exist; it is flushed when this returns, and removed when it fails. */
export async function writePack(input: PackInput, control: Control): Promise<PackOutput> {
  const { path } = input;
  if (existsSync(path)) {
    throw new SvcError('invalid_request', `${path} exists already`, { hint: 'name another file, or remove this one' });
  }
  try {
    const file = LmdbFile.open(path, { readOnly: false });
    const manifest = await new PackWriter(file, input, control).run().finally(() => file.close());
    await flush(path);
    await removeLock(path);
    return { manifest, bytes: statSync(path).size };
  } catch (error) {
    await removeAside(path);
    throw fromSystemError(error, `writing ${path}`);
  }
}

/** LMDB's lock file is of who has the file open; nobody has. */
async function removeLock(path: string): Promise<void> {
  const { rm } = await import('node:fs/promises');
  await rm(`${path}-lock`, { force: true });
}

class PackWriter {
  readonly #file: LmdbFile;
  readonly #input: PackInput;
  readonly #control: Control;
  readonly #started = performance.now();
  readonly #memory = new ThreadMemory();
  readonly #sink: FileSink;
  readonly #terms = new IdTable();
  readonly #transactions = new Set<TxId>();
  readonly #numbers: NumberList[] = [];
  readonly #segments: SegmentRecord[] = [];
  readonly #logKeys: number[] = [];
  #distinctSubjects = 0;
  #holdsTriples = false;
  #nextRun = 1;

  constructor(file: LmdbFile, input: PackInput, control: Control) {
    this.#file = file;
    this.#input = input;
    this.#control = control;
    this.#sink = new FileSink(file, EMPTY_MANIFEST);
  }

  async run(): Promise<PackManifest> {
    const { graph } = this.#input.content;
    if (graph !== null) this.#terms.place(lowOf(graph), highOf(graph) & 0xffff);
    const runs: Partial<Record<Order, readonly RunRecord[]>> = {};
    for (const order of OWN_ORDERS) runs[order] = await this.#writeOrder(order);
    await this.#writeTerms();
    this.#sink.flush();
    const logBytes = await this.#writeTransactions();
    this.#sink.flush();
    const manifest = await this.#splitHistory(this.#manifestOf(runs, logBytes));
    return this.#complete(manifest);
  }

  async #turn(phase: string, done: number, total: number): Promise<void> {
    this.#control.onProgress?.({ phase, done, total, elapsedMs: performance.now() - this.#started });
    await breathe();
    throwIfStopped(this.#control, WHAT);
  }

  /** Writes the rows in an order; returns their runs. */
  async #writeOrder(order: Order): Promise<RunRecord[]> {
    const { content } = this.#input;
    const { open, closed } = content.rows;
    const total = open + closed;
    const split = new SplitRows(this.#memory, this.#sink, order, open, closed);
    try {
      let [batches, rows] = [0, 0];
      for (const batch of content.batches(order)) {
        if (order === 'SPOG') this.#note(batch);
        split.take(batch);
        rows += batch.selection?.length ?? batch.rows;
        if (++batches % STEP_BATCHES === 0) await this.#turn(`write ${order}`, rows, total);
      }
      const [current, history] = split.finish(() => this.#nextRun++);
      if (order === 'SPOG') this.#writeStatistics(current, history);
      return [current, history].filter((run) => run !== null);
    } finally {
      split.release();
    }
  }

  /** Notes the terms and transactions of rows in the order of their subjects. */
  #note({ rows, columns, selection }: ContentBatch): void {
    const count = selection?.length ?? rows;
    const { txFrom, txTo } = columns;
    for (const column of [columns.s, columns.p, columns.o]) {
      let [lastLow, lastHigh] = [-1, -1];
      for (let i = 0; i < count; i++) {
        const at = 2 * (selection === null ? i : (selection[i] as number));
        const [low, high] = [column[at] as number, column[at + 1] as number];
        if ((low === lastLow && high === lastHigh) || !isDictionaryTag(high >>> 24)) continue;
        this.#terms.place(low, high & 0xffff);
        [lastLow, lastHigh] = [low, high];
      }
    }
    let [lastFrom, lastTo] = [-1, -1];
    for (let i = 0; i < count; i++) {
      const at = 2 * (selection === null ? i : (selection[i] as number));
      const from = (txFrom[at] as number) + (txFrom[at + 1] as number) * 2 ** 32;
      if (from !== lastFrom) this.#transactions.add(from);
      lastFrom = from;
      if (isOpenAt(txTo, at)) continue;
      const to = (txTo[at] as number) + (txTo[at + 1] as number) * 2 ** 32;
      if (to !== lastTo) this.#transactions.add(to);
      lastTo = to;
    }
  }

  /** The figures of the graph in the store are those of its open rows; plans over the pack are the same. */
  #writeStatistics(current: RunRecord | null, history: RunRecord | null): void {
    const { snapshot, graph } = this.#input.content;
    if (current !== null && graph !== null) {
      const predicates = [...snapshot.predicates({ kind: 'one', graph })].sort((a, b) =>
        a.predicate < b.predicate ? -1 : 1,
      );
      const figures = { distinctSubjects: this.#distinctSubjectsOf(graph), predicates };
      this.#sink.statistics(current.id, encodeRunStatistics(figures, current.id));
    }
    if (history !== null) {
      this.#sink.statistics(history.id, encodeRunStatistics({ distinctSubjects: 0, predicates: [] }, history.id));
    }
  }

  #distinctSubjectsOf(graph: TermId): number {
    const cursor = this.#input.content.snapshot.scan({
      graphs: { kind: 'one', graph },
      pattern: {},
      time: CURRENT,
      order: 'SPOG',
      columns: ['s'],
    });
    let [low, high] = [-1, -1];
    try {
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
        const s = batch.columns.s as Uint32Array;
        const count = batch.selection?.length ?? batch.rows;
        for (let i = 0; i < count; i++) {
          const at = 2 * (batch.selection === null ? i : (batch.selection[i] as number));
          if (s[at] === low && s[at + 1] === high) continue;
          [low, high] = [s[at] as number, s[at + 1] as number];
          this.#distinctSubjects++;
        }
      }
    } finally {
      cursor.close();
    }
    return this.#distinctSubjects;
  }

  async #writeTerms(): Promise<void> {
    const { count } = this.#terms;
    const numbers = new Float64Array(count);
    for (let i = 0; i < count; i++) numbers[i] = this.#terms.low(i) + this.#terms.high(i) * 2 ** 32;
    numbers.sort();
    const terms = new SegmentTerms(this.#memory, Math.min(count, SEGMENT_TERMS));
    try {
      for (let from = 0; from < count; ) {
        from = this.#writeSegment(terms, numbers, from);
        await this.#turn('write terms', from, count);
      }
      this.#holdsTriples = terms.holdsTriples;
    } finally {
      terms.release();
    }
  }

  /** Writes a segment of terms from a place of the list on; returns where it ends. */
  #writeSegment(terms: SegmentTerms, numbers: Float64Array, from: number): number {
    while (from + terms.count < numbers.length && terms.count < SEGMENT_TERMS && terms.bytes < SEGMENT_BYTES) {
      const at = from + terms.count;
      const to = Math.min(numbers.length, at + READ_TERMS, from + SEGMENT_TERMS);
      // The tag does not matter: what is stored says what it is.
      const ids = BigUint64Array.from(numbers.subarray(at, to), (number) => makeId(TAG.iri, 0, BigInt(number)));
      // Numbers ascend, so the terms come in their sequence.
      this.#input.content.stored(new Uint32Array(ids.buffer), ids.length, (stored) => terms.add(stored));
      invariant(from + terms.count === to, 'each number has a term');
    }
    const to = from + terms.count;
    const firstNumber = (this.#segments.at(-1)?.firstNumber ?? 1) + (this.#segments.at(-1)?.terms ?? 0);
    this.#segments.push(terms.write(this.#sink, firstNumber));
    const key = this.#sink.directory(encodeNumbers(numbers.subarray(from, to)));
    this.#numbers.push({ key, first: numbers[from] as number, last: numbers[to - 1] as number });
    return to;
  }

  async #writeTransactions(): Promise<number> {
    const all = [...this.#transactions].sort((a, b) => a - b);
    const none = new Memtable(this.#memory);
    let logBytes = 0;
    for (let from = 0; from < all.length; from += SEGMENT_RECORDS) {
      const records = all.slice(from, from + SEGMENT_RECORDS).map((tx): LogRecord => {
        const { id, timestamp, actor, source, authenticated } = this.#input.content.transaction(tx);
        const rows = { quadsAdded: 0, quadsRetracted: 0, validFrom: timestamp, sum: '0' };
        return { id, timestamp, actor, source, authenticated, ...rows };
      });
      const key = (records[0] as LogRecord).id;
      const bytes = encodeSegment(this.#memory, records, none, none);
      this.#file.write(() => this.#file.put('log', key, bytes));
      this.#logKeys.push(key);
      logBytes += bytes.length;
      await this.#turn('write transactions', from, all.length);
    }
    none.release();
    return logBytes;
  }

  #manifestOf(runs: Partial<Record<Order, readonly RunRecord[]>>, logBytes: number): Manifest {
    const { content, found } = this.#input;
    const last = this.#segments.at(-1);
    const lastTx = found.maxTx ?? 0;
    return {
      ...EMPTY_MANIFEST,
      format: this.#holdsTriples ? FORMAT_TRIPLE_TERMS : FORMAT_VERSION,
      version: 1,
      lastTx,
      foldedTx: lastTx,
      nextTermNumber: (last?.firstNumber ?? 1) + (last?.terms ?? 0),
      nextTermBlock: this.#sink.nextTermBlock,
      nextHashBlock: this.#sink.nextHashBlock,
      nextRowBlock: this.#sink.nextRowBlock,
      nextDirectory: this.#sink.nextDirectory,
      nextRun: this.#nextRun,
      segments: this.#segments,
      partitions: content.graph === null ? [] : [{ graph: idToHex(content.graph), runs }],
      logBytes,
    };
  }

  async #splitHistory(manifest: Manifest): Promise<Manifest> {
    const due = (next: Manifest) => dueMerges(next, this.#input.windowRows).filter(({ split }) => split);
    const { manifest: merged, replaced } = await mergeManyRuns(this.#file, manifest, this.#sink, this.#control, due);
    this.#sink.flush();
    this.#file.write(() => {
      for (const run of replaced) {
        for (let i = 0; i < run.blocks; i++) this.#file.remove('rows', run.firstBlock + i);
      }
    });
    return merged;
  }

  #complete(merged: Manifest): PackManifest {
    const { content, found, description, graph, storeId, epoch, disjoint } = this.#input;
    const id = content.graph;
    const manifest: PackManifest = {
      ...description,
      graph,
      store_id: storeId,
      counts: found.counts,
      min_tx: found.minTx,
      max_tx: found.maxTx,
      content_hash: found.contentHash,
    };
    const layout: PackLayout = {
      graph: id === null ? null : idToHex(id),
      numbers: this.#numbers,
      transactions: this.#logKeys,
    };
    const { lastTx, nextTermNumber, logBytes, version: manifestVersion } = merged;
    const { open } = content.rows;
    this.#file.write(() => {
      putSeed(this.#file, randomBytes(SEED_BYTES));
      this.#file.put('meta', 'epoch', seal(Buffer.from(epoch, 'hex')));
      this.#file.put('meta', 'graphs', encodeGraphCounts(new Map(id === null || open === 0 ? [] : [[id, open]])));
      this.#file.put('meta', 'head', encodeHead({ lastTx, nextTermNumber, logBytes, manifestVersion, disjoint }));
      putPackLayout(this.#file, layout);
      putPackManifest(this.#file, manifest);
      this.#file.put('meta', 'manifest', encodeManifest(merged));
    });
    return manifest;
  }
}
