/**
 * Reads a pack through: each order of its rows is checked block by block, all orders hold the same rows, and hash and counts
 * are found anew from the rows and the terms.
 */

import { createHash } from 'node:crypto';
import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { TxId } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { idFromHex, type Manifest, type PartitionRecord } from '../runs/manifest.js';
import { OWN_ORDERS } from '../runs/orders.js';
import { Findings } from '../seam/findings.js';
import type { PackTransaction, ReadPack } from '../seam/pack.js';
import { COLUMNS, type Order, type StoredTerms } from '../seam/scan.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import { type RowSums, sumsOf } from '../verify/row-sums.js';
import { verifyRun } from '../verify/verify-run.js';
import { hashContent } from './content-hash.js';
import type { ContentBatch, ContentSource } from './content-source.js';
import { documentLines } from './pack-layout.js';
import type { Pack } from './pack-reader.js';

export async function readPack(pack: Pack, control: Control): Promise<ReadPack> {
  await checkRuns(pack, control);
  const snapshot = new LmdbSnapshot(pack.context, () => undefined);
  const transaction = pack.file.beginRead();
  try {
    checkDocuments(pack);
    const source = new PackContent(pack, snapshot, transaction);
    const content = await hashContent(source, documentLines(pack.manifest), control);
    return { manifest: pack.manifest, content, bytes: pack.bytes };
  } finally {
    pack.file.release(transaction);
    snapshot.close();
  }
}

/** Throws unless what was read is what the manifest says. */
export function assertAsStated(path: string, { manifest, content }: ReadPack): void {
  const { contentHash, counts, minTx, maxTx } = content;
  if (manifest.content_hash !== contentHash) {
    throw new SvcError('store_corrupt', `${path} holds ${contentHash}, its manifest says ${manifest.content_hash}`, {
      hint: 'the file was altered; take it from a copy',
    });
  }
  const said = JSON.stringify([manifest.counts, manifest.min_tx, manifest.max_tx]);
  const found = JSON.stringify([counts, minTx, maxTx]);
  if (said !== found) throw new SvcError('store_corrupt', `${path} holds ${found}, its manifest says ${said}`);
}

function partitionOf({ parts, layout, path }: Pack): PartitionRecord | null {
  const [only, ...others] = parts.partitions;
  if (others.length > 0 || (only?.graph ?? null) !== (only === undefined ? null : layout.graph)) {
    throw new SvcError('store_corrupt', `${path} has rows of other graphs than its own`);
  }
  return only ?? null;
}

async function checkRuns(pack: Pack, control: Control): Promise<void> {
  const partition = partitionOf(pack);
  if (partition === null) return;
  const findings = new Findings(control);
  const { context, file, layout, parts, path } = pack;
  // Rows name terms by the numbers of the store.
  const nextTermNumber = 1 + Math.max(0, ...layout.numbers.map(({ last }) => last));
  const manifest: Manifest = { ...parts, nextTermNumber };
  const transaction = file.beginRead();
  try {
    const sums = new Map<Order, RowSums>();
    for (const order of OWN_ORDERS) {
      const runs = partition.runs[order] ?? [];
      for (const run of runs) {
        const where = `${order} run ${run.id}`;
        const about = { context, manifest, transaction, order, run, isShared: false, where, findings };
        await findings.check(where, () => verifyRun(about));
      }
      sums.set(order, sumsOf(runs));
    }
    const first = sums.get('SPOG') as RowSums;
    for (const [order, { rows, living, history }] of sums) {
      if (rows === first.rows && living === first.living && history === first.history) continue;
      findings.add(order, 'it does not hold the rows of SPOG');
    }
    for (const graph of findings.graphRows.keys()) {
      if (graph !== idFromHex(partition.graph as string)) findings.add('SPOG', 'it has rows of another graph');
    }
  } finally {
    file.release(transaction);
  }
  const [worst] = findings.problems;
  if (worst !== undefined) {
    throw new SvcError('store_corrupt', `${path} is damaged: ${worst.where}: ${worst.what}`, {
      hint: 'take the file from a copy',
    });
  }
}

function checkDocuments({ manifest, path }: Pack): void {
  for (const { name, sha256, text } of [...(manifest.shapes ?? []), ...(manifest.queries ?? [])]) {
    if (sha256 === createHash('sha256').update(text).digest('hex')) continue;
    throw new SvcError('store_corrupt', `${path} holds another text of ${name} than its hash says`);
  }
}

/** The rows of a pack, with the terms that it brings. */
class PackContent implements ContentSource {
  readonly #pack: Pack;
  readonly #snapshot: LmdbSnapshot;
  readonly #transaction: ReadTransaction;

  constructor(pack: Pack, snapshot: LmdbSnapshot, transaction: ReadTransaction) {
    this.#pack = pack;
    this.#snapshot = snapshot;
    this.#transaction = transaction;
  }

  *batches(): Generator<ContentBatch> {
    const { graph } = this.#pack;
    if (graph === null) return;
    const cursor = this.#snapshot.scan({
      graphs: { kind: 'one', graph },
      pattern: {},
      time: { kind: 'all' },
      columns: COLUMNS,
      unordered: true,
    });
    try {
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) yield batch as ContentBatch;
    } finally {
      cursor.close();
    }
  }

  stored(ids: Uint32Array, count: number, take: (terms: StoredTerms) => void): void {
    this.#pack.stored(this.#transaction, ids, count, take);
  }

  transaction(tx: TxId): PackTransaction {
    return this.#pack.transaction(tx);
  }
}
