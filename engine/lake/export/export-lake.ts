/**
 * Exports a store as a lake, or what has changed since the last export.
 *
 * 1. Rows become files that nobody knows yet: of the current facts, of those that were closed, of terms, of transactions.
 * 2. `lake.json` gets its new content at once, which names them. That is the export: before it, the lake is as it was.
 */

import type { Control } from '../../base/control.js';
import { throwIfStopped } from '../../base/control.js';
import type { TransactionRange, TransactionRecord } from '../../storage/seam/engine.js';
import { CURRENT, type GraphSet, type StorageSnapshot } from '../../storage/seam/scan.js';
import {
  LAKE_FILE,
  LAKE_FORMAT,
  type LakeContent,
  type LakeTable,
  type StoredFile,
  writeLakeFile,
} from '../lake-file.js';
import { TERM_COLUMNS, TRANSACTION_COLUMNS } from '../layout.js';
import { GROUP_ROWS } from '../parquet/parquet-file.js';
import type { LakeTarget } from '../target/target.js';
import { countRows, type FactFilesOptions, knownCounts, type RowSource, writeFactFiles } from './fact-files.js';
import { writeMicros } from './micros.js';
import { TableFile } from './table-file.js';
import { TermIds } from './term-ids.js';
import { TERMS_AT_ONCE, TermRows } from './term-rows.js';

const REPORT_MS = 100;
const TRANSACTIONS_AT_ONCE = 1000;
const EVERY_GRAPH: GraphSet = { kind: 'all' };

/** What is exported. */
export interface ExportSource {
  readonly snapshot: StorageSnapshot;
  /** Identity of the store. */
  readonly store: string;
  transactions(range: TransactionRange): readonly TransactionRecord[];
}

export interface LakeReport {
  readonly tx: number;
  /** Rows that were written, by table. */
  readonly rows: Readonly<Record<LakeTable, number>>;
  readonly files: number;
  readonly bytes: number;
}

export async function exportLake(source: ExportSource, target: LakeTarget, control: Control): Promise<LakeReport> {
  return new LakeExporter(source, target, control).run();
}

class LakeExporter {
  readonly #source: ExportSource;
  readonly #target: LakeTarget;
  readonly #control: Control;
  readonly #started = performance.now();
  readonly #ids = new TermIds();
  readonly #written: Record<LakeTable, StoredFile[]> = { facts: [], history: [], terms: [], transactions: [] };
  #reported = 0;
  #rows = 0;

  constructor(source: ExportSource, target: LakeTarget, control: Control) {
    this.#source = source;
    this.#target = target;
    this.#control = control;
  }

  async run(): Promise<LakeReport> {
    const { snapshot, store } = this.#source;
    const { tx } = snapshot;
    const unlock = await this.#target.lock();
    try {
      const before = await this.#target.read(LAKE_FILE);
      await this.#writeFacts();
      await this.#writeHistory();
      await this.#writeTerms();
      const at = await this.#writeTransactions();
      throwIfStopped(this.#control, 'the export');
      const own = { tx, at, exportedMs: Date.now() };
      const content: LakeContent = {
        format: LAKE_FORMAT,
        store,
        location: this.#target.location,
        ...own,
        tables: this.#written,
        exports: [own],
        termIds: null,
        nextPart: 1,
      };
      await this.#target.replace(LAKE_FILE, writeLakeFile(content), before);
    } finally {
      await unlock();
    }
    const files = Object.values(this.#written).flat();
    const rowsOf = (table: LakeTable): number => this.#written[table].reduce((sum, { rows }) => sum + rows, 0);
    return {
      tx,
      rows: {
        facts: rowsOf('facts'),
        history: rowsOf('history'),
        terms: rowsOf('terms'),
        transactions: rowsOf('transactions'),
      },
      files: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  async #writeFacts(): Promise<void> {
    const { snapshot } = this.#source;
    const rows: RowSource = { snapshot, graphs: EVERY_GRAPH, time: CURRENT };
    await writeFactFiles(rows, knownCounts(snapshot, EVERY_GRAPH), this.#options('facts'));
  }

  async #writeHistory(): Promise<void> {
    const { snapshot } = this.#source;
    const rows: RowSource = { snapshot, graphs: EVERY_GRAPH, time: { kind: 'all', closedSince: 1 } };
    await writeFactFiles(rows, await countRows(rows, this.#control), this.#options('history'));
  }

  #options(table: 'facts' | 'history'): FactFilesOptions {
    const { tx } = this.#source.snapshot;
    return {
      target: this.#target,
      folder: table,
      prefix: `tx${tx}`,
      tx,
      control: this.#control,
      onRows: (rows) => {
        this.#rows += rows;
        this.#report(`write ${table}`, this.#rows);
      },
      onGroup: ({ s, p, o, g }, rows) => {
        for (const column of [g, s, p, o]) this.#ids.addColumn(column, rows);
      },
      onFile: (file) => this.#written[table].push(file),
    };
  }

  async #writeTerms(): Promise<void> {
    const { snapshot } = this.#source;
    const file = await TableFile.begin(this.#target, `terms/data/tx${snapshot.tx}-1.parquet`, TERM_COLUMNS);
    const terms = new TermRows(snapshot);
    const flush = async (): Promise<void> => {
      if (terms.rows > 0) await file.group(terms.rows, terms.group());
      terms.clear();
      this.#report('write terms', file.rows);
      throwIfStopped(this.#control, 'the export');
    };
    try {
      for (const batch of this.#ids.batches(TERMS_AT_ONCE)) await terms.take(batch, flush);
      await flush();
    } catch (error) {
      await file.abandon();
      throw error;
    }
    this.#written.terms.push(await file.finish(snapshot.tx));
  }

  /** Returns the instant of the newest one. */
  async #writeTransactions(): Promise<number | null> {
    const { tx: last } = this.#source.snapshot;
    const file = await TableFile.begin(this.#target, `transactions/data/tx${last}-1.parquet`, TRANSACTION_COLUMNS);
    const ids = new Uint32Array(2 * GROUP_ROWS);
    const instants = new Uint32Array(2 * GROUP_ROWS);
    let [rows, at]: [number, number | null] = [0, null];
    const flush = async (): Promise<void> => {
      const columns = [ids, instants].map((halves) => ({
        values: { kind: 'int64' as const, halves },
        count: rows,
        present: null,
      }));
      if (rows > 0) await file.group(rows, columns);
      rows = 0;
    };
    for (let since = 0; since < last; ) {
      const records = this.#source.transactions({ since, limit: Math.min(TRANSACTIONS_AT_ONCE, last - since) });
      if (records.length === 0) break;
      for (const { id, timestamp } of records) {
        if (id > last) break;
        ids[2 * rows] = id % 2 ** 32;
        ids[2 * rows + 1] = Math.floor(id / 2 ** 32);
        writeMicros(instants, rows, timestamp * 1000);
        at = timestamp;
        if (++rows === GROUP_ROWS) await flush();
      }
      since = records.at(-1)?.id ?? last;
    }
    await flush();
    this.#written.transactions.push(await file.finish(last));
    return at;
  }

  #report(phase: string, done: number): void {
    const now = performance.now();
    if (now - this.#reported < REPORT_MS) return;
    this.#reported = now;
    this.#control.onProgress?.({ phase, done, elapsedMs: now - this.#started });
  }
}
