/**
 * Reads a pack through: each order of its rows is checked block by block, all orders hold the same rows, and hash and counts
 * are found anew from the rows and the terms.
 */

import { createHash } from 'node:crypto';
import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { TxId } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { PackContent, PackTransaction, ReadPack } from '../seam/pack.js';
import { COLUMNS, type Order, type StoredTerms } from '../seam/scan.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import { checkRuns } from './check-runs.js';
import { hashContent } from './content-hash.js';
import type { ContentBatch, ContentSource } from './content-source.js';
import { documentLines } from './pack-layout.js';
import type { Pack } from './pack-reader.js';
import { whileChecked } from './runs-apart.js';
import { assertSameContent } from './same-content.js';

export async function readPack(pack: Pack, control: Control): Promise<ReadPack> {
  await checkRuns(pack, control);
  checkDocuments(pack);
  return withPacked(pack, async (source) => {
    const content = await hashContent(source, documentLines(pack.manifest), control);
    return { manifest: pack.manifest, content, bytes: pack.bytes };
  });
}

/**
 * The same with less work, for a pack that was just written: what its file holds is compared with the graph itself instead of
 * by a hash (`same-content.ts`). `found` is what the live rows were found to be. Throws `store_corrupt`.
 */
export async function verifyPack(
  pack: Pack,
  live: ContentSource,
  found: PackContent,
  control: Control,
): Promise<{ readonly bytes: number }> {
  const { manifest, path, bytes } = pack;
  assertAsStated(path, { manifest, content: found, bytes });
  checkDocuments(pack);
  await whileChecked(pack, control, () =>
    withPacked(pack, (packed) => assertSameContent(path, { packed, live, found }, control)),
  );
  return { bytes };
}

/** Works with the rows and terms of a pack, as they stand in its file. */
export async function withPacked<Result>(
  pack: Pack,
  work: (source: ContentSource) => Promise<Result>,
): Promise<Result> {
  const snapshot = new LmdbSnapshot(pack.context, () => undefined);
  const transaction = pack.file.beginRead();
  try {
    return await work(new PackedContent(pack, snapshot, transaction));
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

function checkDocuments({ manifest, path }: Pack): void {
  for (const { name, sha256, text } of [...(manifest.shapes ?? []), ...(manifest.queries ?? [])]) {
    if (sha256 === createHash('sha256').update(text).digest('hex')) continue;
    throw new SvcError('store_corrupt', `${path} holds another text of ${name} than its hash says`);
  }
  for (const { entity, sha256, values } of manifest.vectors?.entities ?? []) {
    if (sha256 === createHash('sha256').update(Buffer.from(values, 'base64')).digest('hex')) continue;
    throw new SvcError('store_corrupt', `${path} holds another vector of <${entity}> than its hash says`);
  }
}

/** The rows of a pack, with the terms that it brings. */
class PackedContent implements ContentSource {
  readonly #pack: Pack;
  readonly #snapshot: LmdbSnapshot;
  readonly #transaction: ReadTransaction;

  constructor(pack: Pack, snapshot: LmdbSnapshot, transaction: ReadTransaction) {
    this.#pack = pack;
    this.#snapshot = snapshot;
    this.#transaction = transaction;
  }

  *batches(order?: Order): Generator<ContentBatch> {
    const { graph } = this.#pack;
    if (graph === null) return;
    const cursor = this.#snapshot.scan({
      graphs: { kind: 'one', graph },
      pattern: {},
      time: { kind: 'all' },
      columns: COLUMNS,
      ...(order === undefined ? { unordered: true } : { order }),
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
