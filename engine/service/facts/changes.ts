/**
 * The change feed: what each transaction asserted and retracted, as records. Transactions are taken from the log
 * one after the other, sorted one at a time, and never split.
 */

import type { Control } from '../../base/control.js';
import { registryId } from '../../query/registry/system-graphs.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/scan.js';
import { termToJson } from '../json.js';
import type { Transaction } from '../store.js';
import { type ChangeLine, type ChangeLines, sortChanges } from './change-lines.js';
import { readFacts } from './entity-facts.js';

/** `new_values`, `old_and_new_values`: a record for each statement; `new_row`: one for each entity. */
export type Capture = 'new_values' | 'old_and_new_values' | 'new_row';

/** Keys as callers read them. */
export type ChangeRecord = Readonly<Record<string, unknown>>;

/** The records of one transaction; close them. */
export interface TransactionChanges {
  readonly tx: TxId;
  readonly count: number;
  /** In batches. */
  records(): AsyncGenerator<ChangeRecord[]>;
  close(): Promise<void>;
}

/** Null when the transaction changed nothing in the graph. */
export async function changesOf(
  snapshot: StorageSnapshot,
  transaction: Pick<Transaction, 'id' | 'timestamp'>,
  { graph, capture }: { readonly graph: TermId | null; readonly capture: Capture },
  control: Control,
): Promise<TransactionChanges | null> {
  const { id: tx, timestamp } = transaction;
  // Which graphs there are is nobody's fact.
  const registry = registryId(snapshot);
  const isWanted = (id: TermId): boolean => (graph === null ? id !== registry : id === graph);
  const sorted = await sortChanges(snapshot, snapshot.changes?.(tx) ?? [], isWanted, control);
  if (sorted.count === 0) {
    await sorted.close();
    return null;
  }
  const head = { tx, timestamp };
  const count = capture === 'new_row' ? await countEntities(sorted) : sorted.count;
  const records = () =>
    capture === 'new_row' ? rowRecords(snapshot, head, sorted) : statementRecords(head, sorted, capture);
  return { tx, count, records, close: () => sorted.close() };
}

interface Head {
  readonly tx: TxId;
  readonly timestamp: string;
}

const sameEntity = (a: ChangeLine, b: ChangeLine): boolean => a.graphId === b.graphId && a.entityId === b.entityId;
const samePredicate = (a: ChangeLine, b: ChangeLine): boolean => sameEntity(a, b) && a.predicate === b.predicate;

async function* statementRecords(
  head: Head,
  sorted: ChangeLines,
  capture: Exclude<Capture, 'new_row'>,
): AsyncGenerator<ChangeRecord[]> {
  const pairing = new Pairing();
  const toRecord = (paired: PairedLine) => statementRecord(head, paired, capture);
  for await (const lines of sorted.lines()) yield lines.flatMap((line) => pairing.add(line)).map(toRecord);
  yield pairing.end().map(toRecord);
}

function statementRecord(head: Head, { line, other }: PairedLine, capture: Exclude<Capture, 'new_row'>): ChangeRecord {
  const { graph, entity, predicate, op, value, validFrom, validTo } = line;
  const asserted = op === 'assert' ? line : other;
  const retracted = op === 'retract' ? line : other;
  const values =
    capture === 'new_values'
      ? { new_value: op === 'assert' ? value : null }
      : { old_value: retracted?.value ?? null, new_value: asserted?.value ?? null };
  return { ...head, graph, entity, predicate, op, ...values, valid_from: validFrom, valid_to: validTo };
}

/** A line, and the one that it is paired with. */
interface PairedLine {
  readonly line: ChangeLine;
  readonly other: ChangeLine | null;
}

/**
 * Pairs lines where a transaction retracted exactly one and asserted exactly one value of a predicate. Holds two
 * lines at most.
 */
class Pairing {
  #held: ChangeLine[] = [];
  #last: ChangeLine | null = null;
  /** The predicate at hand has more lines than a pair. */
  #many = false;

  /** The lines that are settled by this one. */
  add(line: ChangeLine): PairedLine[] {
    let settled: PairedLine[] = [];
    if (this.#last === null || !samePredicate(this.#last, line)) {
      settled = this.end();
      this.#many = false;
    } else if (this.#many || this.#held.length === 2) {
      this.#many = true;
      settled = this.end();
    }
    this.#held.push(line);
    this.#last = line;
    return settled;
  }

  end(): PairedLine[] {
    const held = this.#held;
    this.#held = [];
    const [first, second] = held;
    const isPair = !this.#many && held.length === 2 && first?.op !== second?.op;
    return held.map((line, at) => ({ line, other: isPair ? (held[1 - at] as ChangeLine) : null }));
  }
}

async function countEntities(sorted: ChangeLines): Promise<number> {
  let [count, last] = [0, null as ChangeLine | null];
  for await (const lines of sorted.lines()) {
    for (const line of lines) {
      if (last === null || !sameEntity(last, line)) count++;
      last = line;
    }
  }
  return count;
}

async function* rowRecords(snapshot: StorageSnapshot, head: Head, sorted: ChangeLines): AsyncGenerator<ChangeRecord[]> {
  let first: ChangeLine | null = null;
  let changed: string[] = [];
  for await (const lines of sorted.lines()) {
    const records: ChangeRecord[] = [];
    for (const line of lines) {
      if (first !== null && !sameEntity(first, line)) {
        records.push(rowRecord(snapshot, head, first, changed));
        first = null;
      }
      if (first === null) [first, changed] = [line, []];
      if (changed.at(-1) !== line.predicate) changed.push(line.predicate);
    }
    yield records;
  }
  if (first !== null) yield [rowRecord(snapshot, head, first, changed)];
}

function rowRecord(snapshot: StorageSnapshot, head: Head, line: ChangeLine, changed: readonly string[]): ChangeRecord {
  const { graph, entity, graphId, entityId } = line;
  const row: Record<string, unknown[]> = {};
  const time = { kind: 'asOf', tx: head.tx } as const;
  for (const { predicate, value } of readFacts(snapshot, { graph: BigInt(graphId), subject: BigInt(entityId), time })
    .facts) {
    const values = row[predicate.value] ?? [];
    row[predicate.value] = values;
    values.push(termToJson(value));
  }
  return { ...head, graph, entity, op: 'row', row, changed };
}
