/**
 * What makes a store file a pack: two sealed values of `meta` beside those of every store.
 *
 * | key             | meaning                                                                         |
 * |-----------------|---------------------------------------------------------------------------------|
 * | `pack_manifest` | the manifest that is shown, JSON                                                |
 * | `pack_layout`   | id of the graph, lists of term numbers, first keys of the transactions; JSON    |
 *
 * Its runs, directories and statistics are those of a partition of one graph. The dictionary is sparse and has no hash
 * index, since nothing is looked up in it by its text. Transactions stand in `log`: segments without rows.
 */

import { SvcError } from '../../base/errors.js';
import type { NumberList } from '../dictionary/sparse-terms.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { seal, unseal } from '../lmdb/sealed.js';
import type { PackDescription, PackManifest } from '../seam/pack.js';
import type { DocumentLine } from './content-hash.js';

const MANIFEST_KEY = 'pack_manifest';
const LAYOUT_KEY = 'pack_layout';
const FORMATS: readonly string[] = ['archive/1', 'knowledge/1'];

export interface PackLayout {
  /** 16 hex digits; null when the store did not know the graph. */
  readonly graph: string | null;
  readonly numbers: readonly NumberList[];
  /** Keys in `log`, ascending. */
  readonly transactions: readonly number[];
}

/** Inside a write of the file only. */
export function putPackManifest(file: LmdbFile, manifest: PackManifest): void {
  file.put('meta', MANIFEST_KEY, seal(Buffer.from(JSON.stringify(manifest))));
}

/** Inside a write of the file only. */
export function putPackLayout(file: LmdbFile, layout: PackLayout): void {
  file.put('meta', LAYOUT_KEY, seal(Buffer.from(JSON.stringify(layout))));
}

export function isPack(file: LmdbFile): boolean {
  return file.read('meta', MANIFEST_KEY) !== undefined;
}

export function readPackManifest(file: LmdbFile, transaction?: ReadTransaction): PackManifest {
  const { path } = file;
  const sealed = file.readCopy('meta', MANIFEST_KEY, transaction);
  if (sealed === undefined) {
    throw new SvcError('store_foreign', `${path} is a store, but no pack: it has no manifest of one`, {
      hint: 'name a pack; svc graph import copies from a store',
    });
  }
  const manifest = JSON.parse(unseal(sealed, `the manifest of the pack ${path}`).toString('utf8')) as PackManifest;
  if (!FORMATS.includes(manifest.pack_format)) {
    throw new SvcError(
      'store_newer',
      `${path} is a pack of format ${manifest.pack_format}; this version of svc reads ${FORMATS.join(' and ')}`,
      { hint: 'use a newer version of svc; the file was left as it is' },
    );
  }
  return manifest;
}

export function readPackLayout(file: LmdbFile, transaction?: ReadTransaction): PackLayout {
  const bytes = unseal(file.readCopy('meta', LAYOUT_KEY, transaction), `the layout of the pack ${file.path}`);
  return JSON.parse(bytes.toString('utf8')) as PackLayout;
}

/** The lines that the documents and vectors of a pack have in its content hash. */
export function documentLines({
  shapes = [],
  queries = [],
  vectors,
}: Pick<PackDescription, 'shapes' | 'queries' | 'vectors'>): DocumentLine[] {
  return [
    ...queries.map(({ name, sha256 }): DocumentLine => ['q', name, sha256]),
    ...shapes.map(({ name, sha256 }): DocumentLine => ['s', name, sha256]),
    ...(vectors?.entities ?? []).map(({ entity, sha256 }): DocumentLine => ['v', entity, vectors?.model ?? '', sha256]),
  ];
}
