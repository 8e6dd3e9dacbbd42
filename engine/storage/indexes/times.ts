/**
 * The index from time labels to transactions, in parts of consecutive ids with the extent of each, so that a window of time is
 * found without the log. It has the transactions up to a fold; the later ones stand in the delta, so that a small commit
 * writes nothing here.
 *
 * | key of the database `times` | sealed JSON |
 * |---|---|
 * | `to` | the newest transaction that the index has |
 * | `p` and 16 digits, a part | types, and `[timestamp, asserted, retracted, number of the type]` of each transaction |
 * | `g` and 16 digits, a group | `[first, last, {type: [transactions, asserted, retracted]}]` of each of its parts |
 *
 * A file of an older program has none: it is read from the log, and the next publication makes it.
 */

import type { TxId } from '../ids/layout.js';
import { everyKey } from '../lmdb/every-key.js';
import { seal, unseal } from '../lmdb/sealed.js';
import { LogReader } from '../log/log-reader.js';
import { Findings, unlessDamaged } from '../seam/findings.js';
import {
  partOf,
  partsOf,
  TIMES_GROUP,
  TIMES_PART,
  type TimesPart,
  type TransactionTime,
  timeOf,
} from '../seam/transaction-times.js';
import type { FileView, IndexRebuild, IndexStore, IndexWriter, SecondaryIndex } from './secondary-index.js';

const NAME = 'index of times';
const TO = 'to';
const PARTS_OF_GROUP = TIMES_GROUP / TIMES_PART;

export interface TimesReader {
  /** Of one group, ascending. */
  parts(group: number): TimesPart[];
  /** Transactions `from` to `to`, as far as there are. */
  entries(from: TxId, to: TxId): TransactionTime[];
}

export const TIMES: SecondaryIndex<TimesReader, FileView> = {
  name: NAME,
  databases: ['times'],
  folded(writer, { times, log }) {
    const first = times[0]?.tx;
    if (first === undefined) return;
    const known = coveredBy(writer);
    putTimes(writer, [...inLog(log, known + 1, first - 1), ...times.filter(({ tx }) => tx > known)]);
  },
  at: (view) => ({ parts: (group) => partsIn(view, group), entries: (from, to) => entriesIn(view, from, to) }),
  verify: verifyTimes,
  rebuild: rebuildTimes,
};

const numbered = (letter: string, at: number): string => `${letter}${String(at).padStart(16, '0')}`;
const partKey = (at: number): string => numbered('p', at);
const groupKey = (at: number): string => numbered('g', at);
const partAt = (tx: TxId): number => Math.floor((tx - 1) / TIMES_PART);

type StoredSums = [first: number, last: number, byType: Record<string, [number, number, number]>];
type StoredPart = { readonly types: string[]; readonly rows: [number, number, number, number][] };

/** Undefined where there is none. */
function read<Value>(store: IndexStore, key: string, transaction?: object): Value | undefined {
  const value = store.readCopy('times', key, transaction);
  if (value === undefined) return undefined;
  return JSON.parse(unseal(value, `the index of times at ${key}`).toString('utf8')) as Value;
}

function put(writer: IndexWriter, key: string, value: unknown): void {
  writer.put('times', key, seal(Buffer.from(JSON.stringify(value))));
}

/** The newest transaction that the index has; 0 = it has none. */
function coveredBy(store: IndexStore, transaction?: object): TxId {
  return read<number>(store, TO, transaction) ?? 0;
}

function readPart(store: IndexStore, at: number, transaction?: object): TransactionTime[] {
  const { types, rows } = read<StoredPart>(store, partKey(at), transaction) ?? { types: [], rows: [] };
  return rows.map(([timestamp, asserted, retracted, type], row) => {
    return { tx: at * TIMES_PART + 1 + row, timestamp, type: types[type] ?? '', asserted, retracted };
  });
}

function storedPart(entries: readonly TransactionTime[]): StoredPart {
  const types = [...new Set(entries.map(({ type }) => type))];
  return {
    types,
    rows: entries.map(({ timestamp, asserted, retracted, type }) => [
      timestamp,
      asserted,
      retracted,
      types.indexOf(type),
    ]),
  };
}

function storedSums({ first, last, byType }: TimesPart): StoredSums {
  const types = Object.entries(byType);
  return [
    first,
    last,
    Object.fromEntries(types.map(([type, of]) => [type, [of.transactions, of.asserted, of.retracted]])),
  ];
}

function readSums([first, last, byType]: StoredSums, from: TxId, to: TxId): TimesPart {
  const types = Object.entries(byType).map(([type, [transactions, asserted, retracted]]) => [
    type,
    { transactions, asserted, retracted },
  ]);
  return { from, to, first, last, byType: Object.fromEntries(types) };
}

/** Consecutive transactions that follow those that the index has. */
function putTimes(writer: IndexWriter, times: readonly TransactionTime[]): void {
  const last = times.at(-1)?.tx;
  if (last === undefined) return;
  const groups = new Map<number, StoredSums[]>();
  for (let from = 0; from < times.length; ) {
    const at = partAt((times[from] as TransactionTime).tx);
    const end = from + (at + 1) * TIMES_PART + 1 - (times[from] as TransactionTime).tx;
    const entries = [...readPart(writer, at), ...times.slice(from, end)];
    put(writer, partKey(at), storedPart(entries));
    const group = Math.floor(at / PARTS_OF_GROUP);
    const sums = groups.get(group) ?? read<StoredSums[]>(writer, groupKey(group)) ?? [];
    sums[at % PARTS_OF_GROUP] = storedSums(partOf(entries));
    groups.set(group, sums);
    from = end;
  }
  for (const [group, sums] of groups) put(writer, groupKey(group), sums);
  put(writer, TO, last);
}

function partsIn(view: FileView, group: number): TimesPart[] {
  const { file, transaction, head } = view;
  const covered = coveredBy(file, transaction);
  const stored = read<StoredSums[]>(file, groupKey(group), transaction) ?? [];
  const parts = stored.map((sums, at) => {
    const from = group * TIMES_GROUP + at * TIMES_PART + 1;
    return readSums(sums, from, Math.min(from + TIMES_PART - 1, covered));
  });
  const from = Math.max(group * TIMES_GROUP, covered) + 1;
  const to = Math.min((group + 1) * TIMES_GROUP, head.lastTx);
  return [...parts, ...partsOf(laterIn(view, from, to))];
}

function entriesIn(view: FileView, from: TxId, to: TxId): TransactionTime[] {
  const { file, transaction, head } = view;
  const covered = coveredBy(file, transaction);
  const entries: TransactionTime[] = [];
  for (let at = partAt(from); at <= partAt(Math.min(to, covered)); at++) {
    entries.push(...readPart(file, at, transaction).filter(({ tx }) => tx >= from && tx <= to));
  }
  entries.push(...laterIn(view, Math.max(from, covered + 1), Math.min(to, head.lastTx)));
  return entries;
}

/** Transactions that the index does not have: those of the delta, and in the file of an older program those of its log. */
function laterIn({ file, transaction, manifest, delta }: FileView, from: TxId, to: TxId): TransactionTime[] {
  if (from > to) return [];
  const log = new LogReader(file);
  const folded = inLog(log, from, Math.min(to, manifest.foldedTx), transaction);
  log.release();
  return [...folded, ...delta.times.slice(firstAt(delta.times, from), firstAt(delta.times, to + 1))];
}

/** Where the transactions from `tx` on begin; they ascend. */
function firstAt(times: readonly TransactionTime[], tx: TxId): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as TransactionTime).tx < tx) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * What the log tells. A record that can't be read stands where the one before it does: other checks report it, and the
 * transactions after it keep their places.
 */
function inLog(log: LogReader, from: TxId, to: TxId, transaction?: FileView['transaction']): TransactionTime[] {
  const times: TransactionTime[] = [];
  for (let tx = from; tx <= to; tx++) {
    const record = unlessDamaged(() => log.entry(tx, transaction))?.record;
    const timestamp = times.at(-1)?.timestamp ?? 0;
    times.push(timeOf(record ?? { id: tx, timestamp, source: null, quadsAdded: 0, quadsRetracted: 0 }));
  }
  return times;
}

/** Every part has what the log says of its transactions, and every group the sums of its parts. */
async function verifyTimes(view: FileView, findings: Findings): Promise<void> {
  const { file, transaction, manifest } = view;
  const covered = coveredBy(file, transaction);
  if (covered > manifest.foldedTx) {
    findings.add(NAME, `it goes to transaction ${covered}, and ${manifest.foldedTx} is the last that was folded`);
    return;
  }
  const log = new LogReader(file);
  const keys = new Set<string>(covered === 0 ? [] : [TO]);
  let sums: StoredSums[] = [];
  for (let at = 0; at * TIMES_PART < covered; at++) {
    const [from, to] = [at * TIMES_PART + 1, Math.min((at + 1) * TIMES_PART, covered)];
    if (at % PARTS_OF_GROUP === 0) {
      const key = groupKey(at / PARTS_OF_GROUP);
      sums = read<StoredSums[]>(file, key, transaction) ?? [];
      keys.add(key);
    }
    keys.add(partKey(at));
    const should = inLog(log, from, to, transaction);
    const isRight =
      JSON.stringify(readPart(file, at, transaction)) === JSON.stringify(should) &&
      JSON.stringify(sums[at % PARTS_OF_GROUP]) === JSON.stringify(storedSums(partOf(should)));
    if (!isRight) findings.add(NAME, `transactions ${from} to ${to} are not there as the log has them`);
    await findings.turn('verify times');
  }
  log.release();
  for (const key of everyKey(file, 'times', transaction)) {
    if (!keys.has(key)) findings.add(NAME, `it has an entry ${key} that is of no transaction`);
  }
}

async function rebuildTimes({ control, rebuilt, reading, write }: IndexRebuild<FileView>): Promise<void> {
  const findings = new Findings(control);
  const times = await reading(async (view) => {
    await findings.check(NAME, () => verifyTimes(view, findings));
    if (findings.problems.length === 0) return null;
    const log = new LogReader(view.file);
    const found = inLog(log, 1, view.manifest.foldedTx, view.transaction);
    log.release();
    return found;
  });
  if (times === null) return;
  write((writer) => {
    for (const key of [...everyKey(writer, 'times')]) writer.remove('times', key);
    putTimes(writer, times);
  });
  rebuilt.push(`the ${NAME}`);
}
