/** The terms of an export as a file of the table `terms`, and which terms the lake has then. */

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { TAG } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { StoredFile, StoredPart } from '../lake-file.js';
import { TERM_COLUMNS } from '../layout.js';
import { type LakeTarget, putFile } from '../target/target.js';
import { TableFile } from './table-file.js';
import { type IdBatch, TermIds } from './term-ids.js';
import { TERMS_AT_ONCE, TermRows } from './term-rows.js';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
/** Bitmaps of neighbours shrink as well at once. */
const LEVEL = 1;

/** Null when there is none to write. */
export async function writeTermFile(
  snapshot: StorageSnapshot,
  target: LakeTarget,
  path: string,
  ids: TermIds,
  onGroup: (rows: number) => void,
): Promise<StoredFile | null> {
  let file: TableFile | null = null;
  const terms = new TermRows(snapshot);
  const flush = async (): Promise<void> => {
    if (terms.rows === 0) return;
    file ??= await TableFile.begin(target, path, TERM_COLUMNS);
    await file.group(terms.rows, terms.group());
    terms.clear();
    onGroup(file.rows);
  };
  try {
    for (const batch of ids.batches(TERMS_AT_ONCE)) await terms.take(batch, flush);
    await flush();
    return (await (file as TableFile | null)?.finish(snapshot.tx)) ?? null;
  } catch (error) {
    await (file as TableFile | null)?.abandon();
    throw error;
  }
}

/** What triple terms consist of is in the table, too, as far as it has an id. */
export function addComponents(snapshot: StorageSnapshot, known: TermIds, fresh: TermIds): void {
  for (let batches = [...triplesOf(fresh)]; batches.length > 0; ) {
    const found = new TermIds();
    for (const { ids, count } of batches) {
      for (const term of snapshot.decode(ids, count)) {
        if (term.termType !== 'Quad') continue;
        for (const part of [term.subject, term.predicate, term.object] as Term[]) {
          const id = snapshot.encode(part);
          if (id === null) continue;
          const [low, high] = [lowOf(id), highOf(id)];
          if (!known.add(low, high)) continue;
          fresh.add(low, high);
          found.add(low, high);
        }
      }
    }
    batches = [...triplesOf(found)];
  }
}

function* triplesOf(ids: TermIds): Generator<IdBatch> {
  for (const batch of ids.batches(TERMS_AT_ONCE, TAG.triple)) {
    yield { ...batch, ids: batch.ids.slice(0, 2 * batch.count) };
  }
}

export async function writeTermIds(target: LakeTarget, path: string, ids: TermIds): Promise<StoredPart> {
  const bytes = await deflate(Buffer.concat([...ids.parts()]), { level: LEVEL });
  await putFile(target, path, bytes);
  return { path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

export async function readTermIds(target: LakeTarget, { path, sha256 }: StoredPart): Promise<TermIds> {
  const read = await target.read(path);
  const isSame = read !== null && createHash('sha256').update(read.bytes).digest('hex') === sha256;
  const ids = new TermIds();
  if (!isSame || !ids.readFrom(await inflate(read.bytes))) {
    throw new SvcError('store_corrupt', `${path} of ${target.name} is ${read === null ? 'missing' : 'damaged'}`, {
      hint: 'export into a new folder',
    });
  }
  return ids;
}
