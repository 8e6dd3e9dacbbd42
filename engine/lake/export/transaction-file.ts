/** The transactions of an export as a file of their table. */

import type { TransactionRange, TransactionRecord } from '../../storage/seam/engine.js';
import type { StoredFile } from '../lake-file.js';
import { TRANSACTION_COLUMNS } from '../layout.js';
import { GROUP_ROWS } from '../parquet/parquet-file.js';
import type { LakeTarget } from '../target/target.js';
import { writeMicros } from './micros.js';
import { TableFile } from './table-file.js';

const READ_AT_ONCE = 1000;
const TWO_32 = 2 ** 32;

export type ReadTransactions = (range: TransactionRange) => readonly TransactionRecord[];

/** Those after `since`, up to `last`; null when there is none. */
export async function writeTransactionFile(
  read: ReadTransactions,
  { since, last }: { readonly since: number; readonly last: number },
  target: LakeTarget,
  path: string,
): Promise<StoredFile | null> {
  if (since >= last) return null;
  const file = await TableFile.begin(target, path, TRANSACTION_COLUMNS);
  try {
    const [ids, instants] = [new Uint32Array(2 * GROUP_ROWS), new Uint32Array(2 * GROUP_ROWS)];
    let rows = 0;
    const flush = async (): Promise<void> => {
      if (rows === 0) return;
      const column = (halves: Uint32Array) => ({
        values: { kind: 'int64', halves } as const,
        count: rows,
        present: null,
      });
      await file.group(rows, [column(ids), column(instants)]);
      rows = 0;
    };
    for (let at = since; at < last; ) {
      const records = read({ since: at, limit: Math.min(READ_AT_ONCE, last - at) });
      for (const { id, timestamp } of records) {
        if (id > last) break;
        ids[2 * rows] = id % TWO_32;
        ids[2 * rows + 1] = Math.floor(id / TWO_32);
        writeMicros(instants, rows, timestamp * 1000);
        if (++rows === GROUP_ROWS) await flush();
      }
      at = records.at(-1)?.id ?? last;
    }
    await flush();
    return await file.finish(last);
  } catch (error) {
    await file.abandon();
    throw error;
  }
}
