/** Tells a follower, change by change, what lies beside transactions, from where its copy is. */

import type { TxId } from '../ids/layout.js';
import { readHead } from '../indexes/vectors/vector-records.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { readRole } from '../lmdb/replication-role.js';
import type { Head } from '../log/head.js';
import { LogReader } from '../log/log-reader.js';
import { unlessDamaged } from '../seam/findings.js';
import type { BesidePlace, BesideTeller } from '../seam/replication.js';
import type { VectorDigest } from './beside-place.js';
import { type BesideTold, readBeside } from './beside-reader.js';
import { lastEventOf } from './change-reader.js';

export interface BesideHost {
  readonly file: LmdbFile;
  readonly digest: VectorDigest;
  read<Result>(work: (head: Head, transaction: ReadTransaction) => Result): Result;
}

export class StoreBesideTeller implements BesideTeller {
  readonly #host: BesideHost;
  readonly #log: LogReader;
  #told: BesideTold;

  constructor(host: BesideHost, from: BesidePlace) {
    this.#host = host;
    this.#log = new LogReader(host.file);
    this.#told = host.read((_, transaction) => toldBy(host, from, transaction));
  }

  next(tx: TxId): Buffer | 'behind' | null {
    const { file } = this.#host;
    return this.#host.read((head, transaction) => {
      if (head.lastTx !== tx) return 'behind';
      const { epoch } = readRole(file, transaction);
      const told = lastEventOf(this.#log, tx, transaction);
      const next = readBeside({ file, transaction, head, epoch, told }, this.#told);
      if (next === null) return null;
      this.#told = next.told;
      return next.bytes;
    });
  }
}

/** Vectors are gone on with where those that the follower has are the first of these; ends where this primary has told them. */
function toldBy({ file, digest }: BesideHost, from: BesidePlace, transaction: ReadTransaction): BesideTold {
  const head = unlessDamaged(() => readHead(file, transaction));
  const isBeginning =
    head !== null &&
    from.digest !== null &&
    head.generation === from.generation &&
    from.rows <= head.rows &&
    digest.of(file, from.rows, transaction) === from.digest;
  const { epoch } = readRole(file, transaction);
  const isOurs = isBeginning && from.epoch === epoch && from.ends <= head.ends;
  const vectors = isBeginning
    ? { generation: head.generation, model: null, rows: from.rows }
    : { generation: -1, model: null, rows: 0 };
  return { vectors, ends: isOurs ? from.ends : 0, waiting: [], event: from.event, floor: 0, notes: null };
}
