/**
 * Exports a store as a lake, or what has changed since the last export.
 *
 * 1. Rows become files that nobody knows yet. The first export writes all. A later one writes the rows that were opened
 *    behind the files of their predicates, the closed ones to `history`, and the files anew from which rows have gone.
 * 2. Terms that are new, and transactions, follow.
 * 3. `lake.json` gets its new content at once, which names them. That is the export: before it, the lake is as it was.
 * 4. The metadata of Iceberg is written from that (`iceberg/`); an export that was cut off here is completed by the next.
 *
 * A predicate's rows stand in files of its own, or in the shared ones, never in both: so what is to be written anew is
 * known from the predicate.
 */

import { createHash } from 'node:crypto';
import { type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { TransactionRecord } from '../../storage/seam/engine.js';
import { txIn } from '../../storage/seam/rows.js';
import { CURRENT, type GraphSet, type StorageSnapshot, type TimeSlice } from '../../storage/seam/scan.js';
import {
  byTable,
  LAKE_FILE,
  LAKE_FORMAT,
  type LakeContent,
  type LakeTable,
  type RetiredFile,
  type StoredFile,
  writeLakeFile,
} from '../lake-file.js';
import type { LakeTarget, ReadFile } from '../target/target.js';
import {
  countRows,
  type FactFilesOptions,
  knownCounts,
  LARGE_ROWS,
  type RowCounts,
  type RowSource,
  writeFactFiles,
} from './fact-files.js';
import type { Journal } from './journal.js';
import { PredicateStatistics, type Seen } from './predicate-statistics.js';
import { isOpen, type RowColumns } from './row-buffer.js';
import { addComponents, readTermIds, writeTermFile, writeTermIds } from './term-file.js';
import { TermIds } from './term-ids.js';
import { type ReadTransactions, writeTransactionFile } from './transaction-file.js';

const WHAT = 'the export';
const REPORT_MS = 100;
/** Files of a predicate, or shared ones, that are made into one. */
const FILES_MAX = 8;
const EVERY_GRAPH: GraphSet = { kind: 'all' };

/** What is exported. */
export interface ExportSource {
  readonly snapshot: StorageSnapshot;
  /** Identity of the store. */
  readonly store: string;
  readonly transactions: ReadTransactions;
}

/** The lake as it was found. */
export interface FoundLake {
  readonly file: ReadFile | null;
  readonly content: LakeContent | null;
}

export interface ExportBounds {
  /** Rows from which on a predicate has files of its own; tests make it small. */
  readonly largeRows?: number | undefined;
  /** Told how many files of facts are whole. */
  readonly afterFile?: ((files: number) => void) | undefined;
}

/** Writes the files and `lake.json`; `tx` is the transaction that the journal names. */
export async function exportLake(
  source: ExportSource,
  found: FoundLake,
  journal: Journal,
  target: LakeTarget,
  control: Control,
  bounds: ExportBounds = {},
): Promise<LakeContent> {
  const exporter = new LakeExporter(source, found, journal, target, control, bounds);
  return exporter.run();
}

export function markOf(record: TransactionRecord | undefined): string {
  if (record === undefined) return '';
  const { id, timestamp, validFrom, actor, source, quadsAdded, quadsRetracted } = record;
  const told = JSON.stringify([id, timestamp, validFrom, actor, source, quadsAdded, quadsRetracted]);
  return createHash('sha256').update(told).digest('hex').slice(0, 32);
}

class LakeExporter {
  readonly #source: ExportSource;
  readonly #found: FoundLake;
  readonly #journal: Journal;
  readonly #target: LakeTarget;
  readonly #control: Control;
  readonly #largeRows: number;
  readonly #afterFile: ExportBounds['afterFile'];
  readonly #started = performance.now();
  /** The transaction that is exported, and the one of the export before; 0 = there is none. */
  readonly #tx: number;
  readonly #base: number;
  /** Terms that the lake has, and those of them that it did not have. */
  #known = new TermIds();
  readonly #fresh = new TermIds();
  readonly #statistics: PredicateStatistics;
  #reported = 0;
  #rows = 0;

  constructor(
    source: ExportSource,
    found: FoundLake,
    journal: Journal,
    target: LakeTarget,
    control: Control,
    { largeRows = LARGE_ROWS, afterFile }: ExportBounds,
  ) {
    this.#source = source;
    this.#found = found;
    this.#journal = journal;
    this.#target = target;
    this.#control = control;
    this.#largeRows = largeRows;
    this.#afterFile = afterFile;
    this.#tx = journal.begun.tx;
    this.#base = found.content?.tx ?? 0;
    this.#statistics = new PredicateStatistics(found.content === null ? null : found.content.predicates);
  }

  async run(): Promise<LakeContent> {
    const { snapshot, transactions, store } = this.#source;
    const before = this.#found.content;
    const tx = this.#tx;
    if (before !== null) this.#known = await readTermIds(this.#target, before.termIds);
    const touched = await this.#writeHistory();
    const retired = before === null ? [] : filesToRewrite(before.tables.facts, touched);
    await this.#writeFacts(retired);
    addComponents(snapshot, this.#known, this.#fresh);
    const termFile = await writeTermFile(snapshot, this.#target, `terms/data/tx${tx}.parquet`, this.#fresh, (rows) => {
      this.#report('write terms', rows);
      throwIfStopped(this.#control, WHAT);
    });
    const range = { since: this.#base, last: tx };
    const transactionPath = `transactions/data/tx${tx}.parquet`;
    const transactionFile = await writeTransactionFile(transactions, range, this.#target, transactionPath);
    const termIds = await writeTermIds(this.#target, `state/terms-tx${tx}.bin`, this.#known);
    throwIfStopped(this.#control, WHAT);
    const [record] = tx > 0 ? transactions({ since: tx - 1, limit: 1 }) : [];
    const own = {
      tx,
      at: record?.timestamp ?? null,
      exportedMs: Math.max(Date.now(), (before?.exportedMs ?? 0) + 1),
      mark: markOf(record),
    };
    const added: Record<LakeTable, readonly StoredFile[]> = {
      facts: [...this.#journal.filesOf('rewrite'), ...this.#journal.filesOf('append')],
      history: this.#journal.filesOf('history'),
      terms: termFile === null ? [] : [termFile],
      transactions: transactionFile === null ? [] : [transactionFile],
    };
    const gone = new Set(retired.map(({ path }) => path));
    const content: LakeContent = {
      format: LAKE_FORMAT,
      store,
      location: this.#target.location,
      ...own,
      tables: byTable((table) => [
        ...(before?.tables[table] ?? []).filter(({ path }) => !gone.has(path)),
        ...added[table],
      ]),
      retired: byTable((table): readonly RetiredFile[] => [
        ...(before?.retired[table] ?? []),
        ...(table === 'facts' ? retired.map((file) => ({ ...file, retiredTx: tx })) : []),
      ]),
      exports: [...(before?.exports ?? []), own],
      termIds,
      predicates: this.#statistics.stored(),
    };
    this.#checkRows(content.tables.facts);
    await this.#target.replace(LAKE_FILE, writeLakeFile(content), this.#found.file);
    return content;
  }

  /** The rows that were closed since the last export; returns the predicates that had them in `facts`. */
  async #writeHistory(): Promise<ReadonlySet<number>> {
    const [base, tx] = [this.#base, this.#tx];
    const touched = new Set<number>();
    const time: TimeSlice = { kind: 'all', closedSince: base + 1 };
    const wanted = ({ p, txFrom, txTo }: RowColumns, row: number): boolean => {
      if (isOpen(txTo, row)) return false;
      const closed = txIn(txTo, row);
      if (closed <= base || closed > tx) return false;
      if (txIn(txFrom, row) <= base)
        touched.add(((p[2 * row + 1] as number) & 0xffff) * 2 ** 32 + (p[2 * row] as number));
      return true;
    };
    const rows: RowSource = { snapshot: this.#source.snapshot, graphs: EVERY_GRAPH, time, wanted };
    const counts = await countRows(rows, this.#control);
    if (counts.size > 0) await writeFactFiles(rows, counts, this.#options('history', 'history'));
    return touched;
  }

  /** What takes the place of some files, and the rows of other predicates that were opened since. */
  async #writeFacts(retired: readonly StoredFile[]): Promise<void> {
    const { snapshot } = this.#source;
    const before = this.#found.content;
    const isNewest = this.#tx === snapshot.tx;
    const time: TimeSlice = isNewest ? CURRENT : { kind: 'asOf', tx: this.#tx };
    const open: RowSource = { snapshot, graphs: EVERY_GRAPH, time };
    if (before === null) {
      const counts = isNewest ? knownCounts(snapshot, EVERY_GRAPH) : await countRows(open, this.#control);
      await writeFactFiles(open, counts, this.#options('facts', 'rewrite'));
      return;
    }
    const apart = new Set(before.tables.facts.flatMap((file) => numberOf(file) ?? []));
    const rewritten = new Set(retired.map(numberOf));
    const isRewritten = (number: number): boolean => rewritten.has(apart.has(number) ? number : null);
    if (retired.length > 0) {
      const all = isNewest ? knownCounts(snapshot, EVERY_GRAPH) : await countRows(open, this.#control);
      const counts = new Map([...all].filter(([number]) => isRewritten(number)));
      const options = this.#options('facts', 'rewrite');
      const isApart = (number: number, rows: number): boolean => apart.has(number) || rows >= this.#largeRows;
      if (counts.size > 0) await writeFactFiles(open, counts, { ...options, isApart, isPart: true });
    }
    const since = this.#base;
    const isNew = ({ p, txFrom, txTo }: RowColumns, row: number): boolean =>
      txIn(txFrom, row) > since &&
      isOpen(txTo, row) &&
      !isRewritten(((p[2 * row + 1] as number) & 0xffff) * 2 ** 32 + (p[2 * row] as number));
    const opened: RowSource = {
      snapshot,
      graphs: EVERY_GRAPH,
      time: isNewest ? { kind: 'all', openedSince: since + 1 } : time,
      wanted: isNew,
    };
    const counts: RowCounts = await countRows(opened, this.#control);
    if (counts.size === 0) return;
    const isApart = (number: number): boolean => apart.has(number);
    await writeFactFiles(opened, counts, { ...this.#options('facts', 'append'), isApart });
  }

  #options(table: 'facts' | 'history', part: Seen): FactFilesOptions {
    const prefix = part === 'append' ? `tx${this.#tx}-new` : `tx${this.#tx}`;
    return {
      target: this.#target,
      folder: table,
      prefix,
      tx: this.#tx,
      control: this.#control,
      isApart: (_, rows) => rows >= this.#largeRows,
      done: this.#journal.done(part),
      onRows: (rows) => {
        this.#rows += rows;
        this.#report(`write ${table}`, this.#rows);
      },
      onGroup: (columns, rows) => {
        this.#statistics.add(part, columns, rows);
        const { g, s, p, o } = columns;
        for (const column of [g, s, p, o]) this.#known.addColumn(column, rows, this.#fresh);
      },
      onFiles: async (predicate, files) => {
        if (files.length === 0) return;
        await this.#journal.add({ part, predicate, files });
        this.#afterFile?.(this.#journal.files.length);
        throwIfStopped(this.#control, WHAT);
      },
    };
  }

  /** What the files hold must be what the store says that it holds. */
  #checkRows(files: readonly StoredFile[]): void {
    const { snapshot } = this.#source;
    const time: TimeSlice = this.#tx === snapshot.tx ? CURRENT : { kind: 'asOf', tx: this.#tx };
    const expected = snapshot.count({ graphs: EVERY_GRAPH, pattern: {}, time });
    const found = files.reduce((sum, { rows }) => sum + rows, 0);
    if (found === expected) return;
    throw new SvcError(
      'internal',
      `the lake would have ${found} facts of tx ${this.#tx}, and the store has ${expected}`,
      {
        hint: 'export into a new folder, and please report it',
      },
    );
  }

  #report(phase: string, done: number): void {
    const now = performance.now();
    if (now - this.#reported < REPORT_MS) return;
    this.#reported = now;
    this.#control.onProgress?.({ phase, done, elapsedMs: now - this.#started });
  }
}

/** Number of the predicate that has a file alone; null for a shared one. */
function numberOf({ predicate }: StoredFile): number | null {
  return predicate === undefined ? null : Number(BigInt(predicate) & 0xffffffffffffn);
}

/** Files from which rows have gone, with those of the same predicate; those of which there are too many. */
function filesToRewrite(files: readonly StoredFile[], touched: ReadonlySet<number>): readonly StoredFile[] {
  const groups = new Map<number | null, StoredFile[]>();
  for (const file of files) {
    const number = numberOf(file);
    const group = groups.get(number);
    if (group === undefined) groups.set(number, [file]);
    else group.push(file);
  }
  const isSharedTouched = [...touched].some((number) => !groups.has(number));
  return [...groups].flatMap(([number, group]) => {
    const isTouched = number === null ? isSharedTouched : touched.has(number);
    return isTouched || group.length > FILES_MAX ? group : [];
  });
}
