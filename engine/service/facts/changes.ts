/**
 * The change feed: what each transaction asserted and retracted, as records. Transactions are taken from the log
 * one after the other, sorted one at a time, and never split.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import { addTo } from '../../base/maps.js';
import { unlistedIds } from '../../query/registry/system-graphs.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { Transaction } from '../reads/transaction.js';
import { termToJson, writeJson } from '../requests/json.js';
import { type ChangeLine, type ChangeLines, sortChanges } from './change-lines.js';
import { readFactsOfEach } from './entity-facts.js';

/** `new_values`, `old_and_new_values`: a record for each statement; `new_row`: one for each entity. */
export type Capture = 'new_values' | 'old_and_new_values' | 'new_row';

/** The JSON text of a record, keys as callers read them. */
export type ChangeRecord = string;

/** Entities whose facts are looked up by one probe. */
const ENTITIES_AT_ONCE = 256;

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
  // Which graphs there are, and what overlays take away, is nobody's fact.
  const unlisted = new Set(unlistedIds(snapshot));
  const isWanted = (id: TermId): boolean => (graph === null || id === graph) && !unlisted.has(id);
  const sorted = await sortChanges(
    snapshot,
    snapshot.changes(tx, graph ?? undefined),
    { isWanted, withIds: capture === 'new_row' },
    control,
  );
  if (sorted.count === 0) {
    await sorted.close();
    return null;
  }
  const head = { tx, timestamp };
  const count = capture === 'new_row' ? await countEntities(sorted) : sorted.count;
  const records = () =>
    capture === 'new_row' ? rowRecords(snapshot, head, sorted, control) : statementRecords(head, sorted, capture);
  return { tx, count, records, close: () => sorted.close() };
}

interface Head {
  readonly tx: TxId;
  readonly timestamp: string;
}

const samePredicate = (a: ChangeLine, b: ChangeLine): boolean => a.owner === b.owner && a.predicate === b.predicate;

/** What the records of an owner begin with, without the closing brace. */
function beginningOf({ tx, timestamp }: Head, owner: string): string {
  const [graph, entity] = owner.split('\t') as [string, string];
  return `{"tx":${tx},"timestamp":"${timestamp}","graph":${writeJson(graph)},"entity":${writeJson(entity)}`;
}

async function* statementRecords(
  head: Head,
  sorted: ChangeLines,
  capture: Exclude<Capture, 'new_row'>,
): AsyncGenerator<ChangeRecord[]> {
  const pairing = new Pairing();
  const writer = new RecordWriter(head, capture);
  const toRecord = (paired: PairedLine) => writer.write(paired);
  for await (const lines of sorted.lines()) yield lines.flatMap((line) => pairing.add(line)).map(toRecord);
  yield pairing.end().map(toRecord);
}

/** Writes records as texts; what neighbours share is written once. */
class RecordWriter {
  #last: ChangeLine | null = null;
  #beginning = '';

  constructor(
    private readonly head: Head,
    private readonly capture: Exclude<Capture, 'new_row'>,
  ) {}

  write({ line, other }: PairedLine): ChangeRecord {
    if (this.#last === null || !samePredicate(this.#last, line)) {
      this.#beginning = `${beginningOf(this.head, line.owner)},"predicate":${writeJson(line.predicate)}`;
    }
    this.#last = line;
    const { op, validFrom, validTo } = line;
    const end = validTo === '' ? 'null' : `"${validTo}"`;
    return `${this.#beginning},"op":"${op}",${this.#valuesOf(line, other)},"valid_from":"${validFrom}","valid_to":${end}}`;
  }

  #valuesOf(line: ChangeLine, other: ChangeLine | null): string {
    const isAsserted = line.op === 'assert';
    if (this.capture === 'new_values') return `"new_value":${isAsserted ? line.value : 'null'}`;
    const [retracted, asserted] = isAsserted ? [other, line] : [line, other];
    return `"old_value":${retracted?.value ?? 'null'},"new_value":${asserted?.value ?? 'null'}`;
  }
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
  let [count, last] = [0, ''];
  for await (const lines of sorted.lines()) {
    for (const { owner } of lines) {
      if (owner !== last) count++;
      last = owner;
    }
  }
  return count;
}

/** An entity that changed, and the predicates of what changed. */
interface ChangedEntity {
  readonly owner: string;
  readonly graph: TermId;
  readonly entity: TermId;
  readonly changed: string[];
}

function toChanged({ owner, ids }: ChangeLine): ChangedEntity {
  const [graph, entity] = ids.split('\t') as [string, string];
  return { owner, graph: BigInt(graph), entity: BigInt(entity), changed: [] };
}

async function* changedEntities(sorted: ChangeLines): AsyncGenerator<ChangedEntity[]> {
  let last: ChangedEntity | null = null;
  for await (const lines of sorted.lines()) {
    const found: ChangedEntity[] = [];
    for (const line of lines) {
      if (last?.owner !== line.owner) {
        if (last !== null) found.push(last);
        last = toChanged(line);
      }
      const { predicate } = line;
      if (last.changed.at(-1) !== predicate) last.changed.push(predicate);
    }
    yield found;
  }
  if (last !== null) yield [last];
}

async function* rowRecords(
  snapshot: StorageSnapshot,
  head: Head,
  sorted: ChangeLines,
  control: Control,
): AsyncGenerator<ChangeRecord[]> {
  for await (const entities of changedEntities(sorted)) {
    for (let from = 0; from < entities.length; ) {
      const { graph } = entities[from] as ChangedEntity;
      let to = from + 1;
      while (to < entities.length && to < from + ENTITIES_AT_ONCE && entities[to]?.graph === graph) to++;
      yield rowsOf(snapshot, head, graph, entities.slice(from, to));
      throwIfStopped(control, 'the listing');
      from = to;
    }
  }
}

function rowsOf(
  snapshot: StorageSnapshot,
  head: Head,
  graph: TermId,
  entities: readonly ChangedEntity[],
): ChangeRecord[] {
  const time = { kind: 'asOf', tx: head.tx } as const;
  const ids = entities.map(({ entity }) => entity);
  return readFactsOfEach(snapshot, { graphs: { kind: 'one', graph }, time }, ids).map(({ facts }, at) => {
    const { owner, changed } = entities[at] as ChangedEntity;
    const row = new Map<string, unknown[]>();
    for (const { predicate, value } of facts) addTo(row, predicate.value, termToJson(value));
    const values = writeJson(Object.fromEntries(row));
    return `${beginningOf(head, owner)},"op":"row","row":${values},"changed":${writeJson(changed)}}`;
  });
}
