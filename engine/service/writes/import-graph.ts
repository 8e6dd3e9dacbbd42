/**
 * The history of another store's ROOT as a graph of this one. Its transactions are written again in their order, as
 * transactions of this store with the times, actors and sources that they had: first a transaction that makes the graph, then
 * one for each that changed ROOT. All of them are published together, or none is. What a token proved to the other store is
 * no evidence here and does not come along.
 */

import { resolve } from 'node:path';
import { type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { refuseOverlay } from '../../graphs/targets.js';
import { refuseFrozen } from '../../query/registry/frozen.js';
import { findGraph } from '../../query/registry/graph-rows.js';
import { checkTarget } from '../../query/update/targets.js';
import { type Quad, type Term, terms } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { columnToInstant, payloadOf, ROOT_ID } from '../../storage/ids/layout.js';
import { storePath } from '../../storage/lmdb/store-path.js';
import type { Stage, StorageEngine, TransactionRecord } from '../../storage/seam/engine.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import type { ChangedRows, IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';
import { everHeld } from '../facts/entity.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

/** Transactions of one import: each is held in memory until all are published. */
const TRANSACTIONS_MAX = 100_000;
const TRANSACTIONS_AT_ONCE = 1024;

export interface ImportGraphOptions extends Omit<WriteOptions, 'source' | 'validFrom'>, Control {}

export interface ImportedGraph extends TransactionResult {
  readonly graph: string;
  /** The number of the graph in this store. */
  readonly number: number;
  /** Terms that this store did not know. */
  readonly terms: number;
  readonly transactions: number;
  /** Current facts of the graph. */
  readonly facts: number;
}

interface Imported {
  readonly number: number;
  readonly transactions: number;
  readonly facts: number;
}

export const importGraph: WriteCommand<
  { readonly path: string; readonly graph: string },
  ImportGraphOptions,
  ImportedGraph
> = {
  what: 'the import of a graph',
  async run(context, { path, graph }, options) {
    const { engine, pipeline, control } = context;
    checkTarget(graph);
    const settled = context.settle({ ...options, source: `graph-import:${path}` });
    if (resolve(storePath(path)) === resolve(engine.path)) {
      throw new SvcError('invalid_request', `${path} is this store; its ROOT is here already`);
    }
    const { openLmdbEngine } = await import('../../storage/lmdb-store/open.js');
    const other = await openLmdbEngine(path, { readOnly: true });
    try {
      const termsBefore = engine.stats().terms;
      const change: StageChange<Imported> = async (stage, registry, events, begin) => {
        const number = await withSnapshot(stage.snapshot(), (snapshot) => {
          const known = findGraph(snapshot, graph);
          refuseOverlay(known);
          refuseFrozen(known);
          const id = stage.intern(terms.namedNode(graph));
          if (everHeld(snapshot, id)) {
            throw new SvcError('invalid_request', `the graph <${graph}> has a history of its own`, {
              hint: 'name another graph',
            });
          }
          if (known === null) registry.create(snapshot, graph, { source: 'graph-import' });
          return Number(payloadOf(id));
        });
        events.onlyOwn();
        const copy = new Copy(stage, graph);
        await withSnapshot(other.snapshot(), async (snapshot) => {
          for (const transaction of transactionsOf(other)) {
            throwIfStopped(control, 'the import');
            const { timestamp, actor, source } = transaction;
            copy.one(snapshot, transaction, () => {
              begin({ timestamp, actor: actor ?? undefined, source: source ?? undefined }).onlyOwn();
            });
          }
        });
        return { number, transactions: copy.transactions, facts: copy.facts };
      };
      const receipt = await pipeline.transact(change, settled, control);
      const more = { graph, terms: engine.stats().terms - termsBefore };
      return { ...toResult(receipt), ...receipt.result, ...more };
    } finally {
      await other.close();
    }
  },
};

function* transactionsOf(other: StorageEngine): Generator<TransactionRecord> {
  for (let since = 0; ; ) {
    const page = other.transactions({ since, limit: TRANSACTIONS_AT_ONCE });
    if (page.length === 0) return;
    for (const transaction of page) if (transaction.quadsAdded + transaction.quadsRetracted > 0) yield transaction;
    since = (page.at(-1) as TransactionRecord).id;
  }
}

/** Rows of ROOT of the other store, as quads of the graph on the stage. */
class Copy {
  transactions = 0;
  facts = 0;
  readonly #stage: Stage;
  readonly #graph: Quad['graph'];

  constructor(stage: Stage, graph: string) {
    this.#stage = stage;
    this.#graph = terms.namedNode(graph);
  }

  /** `begin` is called before the first row of a transaction that has any. */
  one(snapshot: StorageSnapshot, { id }: TransactionRecord, begin: () => void): void {
    const before = this.transactions;
    for (const rows of snapshot.changes(id, ROOT_ID)) {
      const [starts, quads] = this.#quadsOf(snapshot, rows);
      if (quads.length === 0) continue;
      if (this.transactions === before) {
        if (++this.transactions > TRANSACTIONS_MAX) {
          throw new SvcError(
            'limit_exceeded',
            `the store has more than ${TRANSACTIONS_MAX} transactions of ROOT to import`,
            {
              hint: 'export its current facts, and load those',
            },
          );
        }
        begin();
      }
      for (const [instant, some] of byInstant(starts, quads)) {
        if (rows.op === 'assert') this.facts += this.#stage.assert(some, instant);
        else this.facts -= this.#stage.retract(some, instant);
      }
    }
  }

  /** Of asserted rows with their starts, of retracted ones with their ends. */
  #quadsOf(snapshot: StorageSnapshot, { op, rows, columns }: ChangedRows): [number[], Quad[]] {
    const picked: number[] = [];
    const [low, high] = [lowOf(ROOT_ID), highOf(ROOT_ID)];
    for (let row = 0; row < rows; row++) {
      if (columns.g[2 * row] === low && columns.g[2 * row + 1] === high) picked.push(row);
    }
    const decode = (column: IdColumn): Term[] => snapshot.decode(column, rows);
    const [s, p, o] = [decode(columns.s), decode(columns.p), decode(columns.o)];
    const times = op === 'assert' ? columns.validFrom : columns.validTo;
    const instants = picked.map((row) => instantAt(times, row));
    const quads = picked.map((row) =>
      terms.quad(s[row] as Quad['subject'], p[row] as Quad['predicate'], o[row] as Quad['object'], this.#graph),
    );
    return [instants, quads];
  }
}

function instantAt(column: IdColumn, row: number): number {
  return columnToInstant((BigInt(column[2 * row + 1] as number) << 32n) | BigInt(column[2 * row] as number));
}

function byInstant(instants: readonly number[], quads: readonly Quad[]): Map<number, Quad[]> {
  const grouped = new Map<number, Quad[]>();
  for (const [at, quad] of quads.entries()) {
    const instant = instants[at] as number;
    const group = grouped.get(instant) ?? [];
    grouped.set(instant, group);
    group.push(quad);
  }
  return grouped;
}
