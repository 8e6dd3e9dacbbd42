/**
 * The index from sources to transactions: which transactions up to the last fold have a source. Keys of
 * the database `sources` are 16 hex digits of the source's hash and the first transaction listed; values
 * are sealed JSON, the source and its transactions, ascending.
 */

import { createHash } from 'node:crypto';
import type { TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { seal, unseal } from '../lmdb/sealed.js';
import type { Manifest } from '../runs/manifest.js';
import type { IndexWriter } from './secondary-index.js';

/** Format from which on the file has the index. */
const SOURCES_FORMAT = 2;

export interface SourceEntry {
  readonly source: string;
  readonly txs: readonly TxId[];
}

export function hasSourceIndex(manifest: Manifest): boolean {
  return manifest.format >= SOURCES_FORMAT;
}

export function sourcePrefix(source: string): string {
  return `${createHash('sha256').update(source).digest('hex').slice(0, 16)}/`;
}

export function sourceKey(source: string, first: TxId): string {
  return `${sourcePrefix(source)}${String(first).padStart(16, '0')}`;
}

/** Inside a write of the file only. */
export function putSource(writer: IndexWriter, source: string, txs: readonly TxId[]): void {
  writer.put('sources', sourceKey(source, txs[0] as TxId), seal(Buffer.from(JSON.stringify({ source, txs }))));
}

export function decodeSource(value: Buffer | undefined): SourceEntry {
  return JSON.parse(unseal(value, 'the index of sources').toString('utf8')) as SourceEntry;
}

/** Entries under keys that begin with a text. */
export function sourceEntries(file: LmdbFile, prefix: string, transaction?: ReadTransaction): SourceEntry[] {
  return file.valuesOf('sources', prefix, transaction).map(decodeSource);
}
