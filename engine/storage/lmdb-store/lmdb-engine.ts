/** The storage engine over a store file. */

import { type Control, throwIfAborted } from '../../base/control.js';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { type CompactResult, compactDictionary } from '../dictionary/compact.js';
import type {
  LoadOptions,
  LoadSource,
  MaintenanceReport,
  StagedLoad,
  StagedTransaction,
  StorageEngine,
  StorageStats,
  TransactionOptions,
  TransactionRange,
  TransactionRecord,
  VerifyReport,
} from '../engine.js';
import { type Instant, instantToColumn, type TxId } from '../ids/layout.js';
import type { LmdbFile } from '../lmdb/file.js';
import type { WriterLock } from '../lmdb/writer-lock.js';
import { decodeLogRecord, encodeLogRecord, type LogRecord } from '../log/record.js';
import { decodeManifest, encodeManifest, FORMAT_VERSION, type Manifest } from '../runs/manifest.js';
import { mergeManyRuns, type ReplacedRun } from '../runs/merge-runs.js';
import type { StorageSnapshot } from '../scan.js';
import { SnapshotContext } from '../snapshot/context.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import { collectStats } from '../stats/collect.js';
import { encodeGraphCounts, readGraphCounts } from './graph-counts.js';

export class LmdbEngine implements StorageEngine {
  readonly path: string;
  readonly readOnly: boolean;
  readonly #file: LmdbFile;
  readonly #seed: readonly [bigint, bigint];
  readonly #lock: WriterLock | null;
  readonly #context: SnapshotContext;
  readonly #open = new Set<LmdbSnapshot>();
  #loading = false;
  #closed = false;

  constructor(file: LmdbFile, seed: readonly [bigint, bigint], lock: WriterLock | null) {
    this.path = file.path;
    this.readOnly = file.readOnly;
    this.#file = file;
    this.#seed = seed;
    this.#lock = lock;
    this.#context = new SnapshotContext(file, seed);
  }

  #assertOpen(): void {
    if (this.#closed) throw new SvcError('store_closed', `the store ${this.path} is closed`);
  }

  #manifest(): Manifest {
    const transaction = this.#file.beginRead();
    try {
      return decodeManifest(this.#file.readCopy('meta', 'manifest', transaction), this.path);
    } finally {
      this.#file.release(transaction);
    }
  }

  snapshot(): StorageSnapshot {
    this.#assertOpen();
    const snapshot = new LmdbSnapshot(this.#context, () => this.#open.delete(snapshot));
    this.#open.add(snapshot);
    return snapshot;
  }

  async stageLoad(sources: readonly LoadSource[], options: LoadOptions, control: Control): Promise<StagedLoad> {
    this.#assertOpen();
    if (this.readOnly) {
      throw new SvcError('store_read_only', `${this.path} was opened read-only`, { hint: 'open it for writing' });
    }
    if (this.#loading) {
      throw new SvcError('store_locked', `another write into ${this.path} is going on; writes take turns`);
    }
    throwIfAborted(control.signal, 'the load');
    this.#loading = true;
    try {
      return await this.#stage(sources, options, control);
    } catch (error) {
      this.#loading = false;
      throw fromSystemError(error, `loading into ${this.path}`);
    }
  }

  async #stage(sources: readonly LoadSource[], options: LoadOptions, control: Control): Promise<StagedLoad> {
    const manifest = this.#manifest();
    const tx = manifest.lastTx + 1;
    const timestamp: Instant = options.timestamp ?? Math.floor(Date.now() / 1000);
    const validFrom = options.validFrom ?? timestamp;
    // Loaded when needed: it brings every reader of documents with it.
    const { BulkLoader } = await import('../bulk/loader.js');
    const loader = new BulkLoader({ file: this.#file, manifest, seed: this.#seed }, sources, options, control, {
      txFrom: tx,
      validFrom: instantToColumn(validFrom),
    });
    const outcome = await loader.run();
    let state: 'staged' | 'publishing' | 'published' | 'dropped' = 'staged';
    const finish = (next: 'published' | 'dropped'): void => {
      state = next;
      this.#loading = false;
    };
    return {
      summary: outcome.summary,
      publish: async () => {
        this.#assertOpen();
        if (state !== 'staged') throw new SvcError('invalid_request', `this load is ${state} already`);
        state = 'publishing';
        try {
          let next = outcome.manifest;
          const merged = await mergeManyRuns(this.#file, next, outcome.sink, control);
          const compacted = compactDictionary(this.#file, merged.manifest, outcome.sink, this.#seed);
          next = compacted.manifest;
          outcome.sink.flush();
          const record: LogRecord = {
            id: tx,
            timestamp,
            actor: options.actor ?? null,
            source: options.source ?? null,
            quadsAdded: outcome.summary.quadsAdded,
            quadsRetracted: 0,
            validFrom,
            sum: outcome.sum,
            sources: sources.map((source) => (source.kind === 'file' ? (source.name ?? source.path) : source.name)),
          };
          this.#publish(next, tx, record, outcome.perGraph, merged.replaced, compacted);
          finish('published');
        } catch (error) {
          this.#discard(outcome.sink);
          finish('dropped');
          throw fromSystemError(error, `publishing a load into ${this.path}`);
        }
        return tx;
      },
      discard: async () => {
        // A publication that failed has dropped it already.
        if (state === 'dropped') return;
        if (state !== 'staged') throw new SvcError('invalid_request', `this load is ${state} already`);
        this.#discard(outcome.sink);
        finish('dropped');
      },
    };
  }

  #discard(sink: { discard(): void }): void {
    try {
      sink.discard();
    } catch {
      // Nothing of it is visible; the next opening for writing removes it.
    }
  }

  /** One transaction makes everything visible. */
  #publish(
    next: Manifest,
    tx: TxId,
    record: LogRecord,
    perGraph: ReadonlyMap<bigint, number>,
    replaced: readonly ReplacedRun[],
    compacted: CompactResult,
  ): void {
    const bytes = encodeLogRecord(record);
    this.#file.write(() => {
      const counts = readGraphCounts(this.#file, undefined);
      for (const [graph, rows] of perGraph) counts.set(graph, (counts.get(graph) ?? 0) + rows);
      this.#file.put('log', tx, bytes);
      this.#file.put('meta', 'graphs', encodeGraphCounts(counts));
      for (const run of replaced) {
        for (let i = 0; i < run.blocks; i++) this.#file.remove('rows', run.firstBlock + i);
        for (let i = 0; i < run.directories; i++) this.#file.remove('directories', run.directory + i);
        this.#file.remove('statistics', run.run);
      }
      for (const { first, count } of compacted.hashBlocks) {
        for (let i = 0; i < count; i++) this.#file.remove('hashes', first + i);
      }
      for (const key of compacted.directories) this.#file.remove('directories', key);
      this.#file.put(
        'meta',
        'manifest',
        encodeManifest({
          ...next,
          format: FORMAT_VERSION,
          foldedTx: tx,
          lastTx: tx,
          version: next.version + 1,
          logBytes: next.logBytes + bytes.length,
        }),
      );
    });
  }

  stage(_options: TransactionOptions): StagedTransaction {
    this.#assertOpen();
    throw new SvcError('unsupported', 'small commits are not supported yet');
  }

  transactionsOf(_source: string): readonly TxId[] {
    this.#assertOpen();
    throw new SvcError('unsupported', 'the index of sources is not supported yet');
  }

  async fold(_control: Control): Promise<MaintenanceReport> {
    this.#assertOpen();
    throw new SvcError('unsupported', 'folding is not supported yet');
  }

  transactions(_range: TransactionRange = {}): readonly TransactionRecord[] {
    this.#assertOpen();
    const transaction = this.#file.beginRead();
    try {
      const manifest = decodeManifest(this.#file.readCopy('meta', 'manifest', transaction), this.path);
      const records: TransactionRecord[] = [];
      for (let tx = 1; tx <= manifest.lastTx; tx++) {
        const { id, timestamp, actor, source, quadsAdded, quadsRetracted } = decodeLogRecord(
          this.#file.readCopy('log', tx, transaction),
          tx,
        );
        records.push({ id, timestamp, actor, source, quadsAdded, quadsRetracted: quadsRetracted ?? 0 });
      }
      return records;
    } finally {
      this.#file.release(transaction);
    }
  }

  stats(): StorageStats {
    this.#assertOpen();
    return collectStats(this.#context);
  }

  async verify(control: Control): Promise<VerifyReport> {
    this.#assertOpen();
    const { verifyStore } = await import('../verify/verify.js');
    return verifyStore(this.#context, control);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    if (this.#loading) {
      throw new SvcError('store_locked', `a load into ${this.path} is going on; abort it before closing the store`);
    }
    this.#closed = true;
    for (const snapshot of [...this.#open]) snapshot.close();
    await this.#file.close();
    this.#lock?.release();
  }
}
