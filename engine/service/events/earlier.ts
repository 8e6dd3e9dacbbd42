/**
 * What stood in the store before a transaction: rows of earlier transactions, open or closed, in the graphs that count.
 * Rows are never taken away, so what was found once stays true.
 */

import type { Control } from '../../base/control.js';
import { throwIfStopped } from '../../base/control.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import { exactly, idIn, readRows } from '../../storage/seam/rows.js';
import type { GraphSet, IdColumn, ScanPattern, ScanRequest, StorageSnapshot } from '../../storage/seam/scan.js';
import { byId, columnOf, nodeKeyAt } from './node-keys.js';

const ALL_ROWS = { kind: 'all' } as const;
/** Classes up to this many are looked up one by one, each until the first row that tells. */
const ONE_BY_ONE = 256;
/** Keys of one probe. */
const KEYS_AT_ONCE = 4096;
const TWO_32 = 2 ** 32;

const isBefore = (column: IdColumn, row: number, tx: TxId): boolean =>
  (column[2 * row + 1] as number) * TWO_32 + (column[2 * row] as number) < tx;

/** Whether an earlier transaction wrote one of some rows. */
export function anyEarlier(
  snapshot: StorageSnapshot,
  rows: Pick<ScanRequest, 'graphs' | 'pattern' | 'time'>,
  tx: TxId,
): boolean {
  for (const batch of readRows(snapshot, { ...rows, columns: ['txFrom'], unordered: true })) {
    for (let row = 0; row < batch.rows; row++) if ((batch.tx('txFrom', row) as TxId) < tx) return true;
  }
  return false;
}

export class Earlier {
  readonly #snapshot: StorageSnapshot;
  readonly #tx: TxId;
  readonly #graphs: GraphSet;

  constructor(snapshot: StorageSnapshot, tx: TxId, quiet: readonly TermId[]) {
    this.#snapshot = snapshot;
    this.#tx = tx;
    this.#graphs = { kind: 'all', except: quiet };
  }

  /** Of some predicates those that had a row. */
  predicates(keys: readonly number[]): Set<number> {
    return new Set(keys.filter((key) => this.#anyRow({ p: exactly(idOf(key)) })));
  }

  /** Of some classes those that something was said to be of. */
  classes(keys: readonly number[], type: TermId, control: Control): Set<number> {
    const p = exactly(type);
    if (keys.length <= ONE_BY_ONE) {
      return new Set(keys.filter((key) => this.#anyRow({ p, o: exactly(idOf(key)) })));
    }
    const found = new Set<number>();
    this.#probe('POSG', 'o', { p }, keys, control, (key) => found.add(key));
    return found;
  }

  /** Tells of each node and graph in which it was a subject, or an object. */
  nodes(
    position: 's' | 'o',
    keys: readonly number[],
    control: Control,
    tell: (key: number, graph: number) => void,
  ): void {
    this.#probe(position === 's' ? 'SPOG' : 'OSPG', position, {}, keys, control, tell);
  }

  #anyRow(pattern: ScanPattern): boolean {
    return anyEarlier(this.#snapshot, { graphs: this.#graphs, pattern, time: ALL_ROWS }, this.#tx);
  }

  #probe(
    order: 'SPOG' | 'POSG' | 'OSPG',
    position: 's' | 'o',
    pattern: ScanPattern,
    keys: readonly number[],
    control: Control,
    tell: (key: number, graph: number) => void,
  ): void {
    if (keys.length === 0) return;
    const sorted = [...new Set(keys)].sort(byId);
    const cursor = this.#snapshot.probe({
      graphs: this.#graphs,
      pattern,
      order,
      time: ALL_ROWS,
      keys: [position],
      columns: ['g', 'txFrom'],
    });
    try {
      for (let from = 0; from < sorted.length; from += KEYS_AT_ONCE) {
        const some = sorted.slice(from, from + KEYS_AT_ONCE);
        cursor.begin([columnOf(some)], some.length);
        for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
          for (let row = 0; row < batch.rows; row++) {
            if (!isBefore(batch.columns.txFrom as IdColumn, row, this.#tx)) continue;
            tell(some[batch.keys[row] as number] as number, nodeKeyAt(batch.columns.g as IdColumn, row));
          }
          throwIfStopped(control, 'reading events');
        }
      }
    } finally {
      cursor.close();
    }
  }
}

export function idOf(key: number): TermId {
  return idIn(columnOf([key]), 0);
}
