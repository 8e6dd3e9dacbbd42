/**
 * Graphs whose rows have left the store for a pack: what verification and readers of the log have to know of them.
 *
 * The runs hold nothing of such a graph. The log stays as it is: it is what happened. Records that hold their rows
 * themselves go on holding those of the graph, so that putting the graph back needs no change of the log; who reads rows
 * from the log leaves them out, and who compares the log with the runs counts these figures in.
 *
 * They stand sealed, as JSON, under the key `relocated` of `meta`; a file without the key has none.
 */

import type { TermId, TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { seal, unseal } from '../lmdb/sealed.js';
import { idFromHex, idToHex } from '../runs/manifest.js';

const KEY = 'relocated';

export interface Relocation {
  readonly graph: TermId;
  /** The transaction that took the rows out; those of later ones are here. */
  readonly tx: TxId;
  /** Rows that it took, and those of them that were closed. */
  readonly rows: number;
  readonly historyRows: number;
  /** Sums of the row checksums of all of them, and of the closed ones, modulo 2^64. */
  readonly opened: bigint;
  readonly closed: bigint;
}

export type Relocations = ReadonlyMap<TermId, Relocation>;

export const NO_RELOCATIONS: Relocations = new Map();

export function readRelocations(file: LmdbFile, transaction?: ReadTransaction): Relocations {
  const sealed = file.readCopy('meta', KEY, transaction);
  if (sealed === undefined) return NO_RELOCATIONS;
  const text = unseal(sealed, `the list of graphs that left ${file.path}`).toString('utf8');
  const stored = JSON.parse(text) as Record<keyof Relocation, string | number>[];
  return new Map(
    stored.map(({ graph, tx, rows, historyRows, opened, closed }) => {
      const id = idFromHex(graph as string);
      const figures = { rows: rows as number, historyRows: historyRows as number };
      const sums = { opened: idFromHex(opened as string), closed: idFromHex(closed as string) };
      return [id, { graph: id, tx: tx as number, ...figures, ...sums }];
    }),
  );
}

/** Whether a row of a graph that a transaction opened, or closed, stands in a pack. */
export function isRelocated(relocations: Relocations, graph: TermId, tx: TxId): boolean {
  const relocation = relocations.get(graph);
  return relocation !== undefined && tx <= relocation.tx;
}

/** Inside a write of the file only. */
export function putRelocations(file: LmdbFile, relocations: Relocations): void {
  if (relocations.size === 0) {
    file.remove('meta', KEY);
    return;
  }
  const stored = [...relocations.values()].map(({ graph, tx, rows, historyRows, opened, closed }) => ({
    graph: idToHex(graph),
    tx,
    rows,
    historyRows,
    opened: idToHex(opened),
    closed: idToHex(closed),
  }));
  file.put('meta', KEY, seal(Buffer.from(JSON.stringify(stored))));
}
