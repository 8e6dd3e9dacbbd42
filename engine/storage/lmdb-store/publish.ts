/**
 * Publication: one transaction of the file that makes prepared parts visible (a load, a fold, merged
 * runs) and removes what they replace. Before it nothing shows, after it everything does.
 */

import type { Removed } from '../fold/fold-job.js';
import type { SealedLog } from '../fold/seal-log.js';
import type { TermId, TxId } from '../ids/layout.js';
import type { FileIndex, FoldedTransactions, IndexChange } from '../indexes/secondary-index.js';
import { adoptBaseNamespace } from '../lmdb/base-namespace.js';
import type { LmdbFile } from '../lmdb/file.js';
import { dropCopies } from '../log/copies.js';
import { encodeHead, type Head } from '../log/head.js';
import { LogReader } from '../log/log-reader.js';
import { putRelocations, type Relocations } from '../log/relocations.js';
import { DIRECTORY_BLOCKS } from '../runs/directory.js';
import { encodeGraphCounts, readGraphCounts } from '../runs/graph-counts.js';
import { decodeManifest, encodeManifest, FORMAT_VERSION, type Manifest } from '../runs/manifest.js';

export interface Publication {
  /** The manifest to be; its version and format are set here. */
  readonly manifest: Manifest;
  readonly head: Head;
  /** Those of the transactions that are published, in their sequence. */
  readonly records?: readonly { readonly tx: TxId; readonly bytes: Buffer }[];
  readonly perGraph?: ReadonlyMap<TermId, number>;
  /** Folded transactions that have a source, ascending. */
  readonly sources?: FoldedTransactions['sources'];
  /** All folded transactions, ascending. */
  readonly times?: FoldedTransactions['times'];
  /** What the transactions that are published do to secondary indexes. */
  readonly changes?: readonly IndexChange[];
  readonly removed?: Removed;
  /** Segments in place of log records. */
  readonly log?: SealedLog;
  /** All graphs whose rows are in packs, where that changes. */
  readonly relocations?: Relocations | undefined;
  readonly hashBlocks?: readonly { readonly first: number; readonly count: number }[];
}

/** Returns the head that was written. */
export function publish(file: LmdbFile, publication: Publication, indexes: readonly FileIndex[]): Head {
  const {
    manifest,
    records = [],
    perGraph,
    sources = [],
    times = [],
    changes = [],
    removed,
    hashBlocks,
    log: sealed,
  } = publication;
  const head = {
    ...publication.head,
    logBytes: publication.head.logBytes - (sealed?.bytesSaved ?? 0),
    manifestVersion: manifest.version + 1,
  };
  file.write(() => {
    adoptBaseNamespace(file);
    for (const { tx, bytes } of records) file.put('log', tx, bytes);
    if (perGraph !== undefined && perGraph.size > 0) addGraphCounts(file, perGraph);
    const firstTx = records[0]?.tx ?? manifest.lastTx + 1;
    const log = new LogReader(file);
    for (const index of indexes) index.folded?.(file, { manifest, firstTx, sources, times, log });
    log.release();
    for (const change of changes) change(file);
    if (publication.relocations !== undefined) putRelocations(file, publication.relocations);
    for (const run of removed?.runs ?? []) removeRun(file, run);
    for (const tx of sealed?.removed ?? []) file.remove('log', tx);
    for (const [first, bytes] of sealed?.segments ?? []) file.put('log', first, bytes);
    dropCopies(file, manifest.foldedTx, new Set([...(sealed?.removed ?? []), ...(sealed?.segments.keys() ?? [])]));
    for (const key of removed?.directories ?? []) file.remove('directories', key);
    for (const { first, count } of hashBlocks ?? []) {
      for (let i = 0; i < count; i++) file.remove('hashes', first + i);
    }
    file.put('meta', 'head', encodeHead(head));
    // A commit may have raised the format since the manifest was read.
    const stored = decodeManifest(file.readCopy('meta', 'manifest'), file.path).format;
    const format = Math.max(FORMAT_VERSION, manifest.format, stored);
    const published = { ...manifest, format, version: manifest.version + 1, logBytes: head.logBytes };
    file.put('meta', 'manifest', encodeManifest(published));
  });
  return head;
}

function addGraphCounts(file: LmdbFile, perGraph: ReadonlyMap<TermId, number>): void {
  const counts = readGraphCounts(file, undefined);
  for (const [graph, rows] of perGraph) {
    const now = (counts.get(graph) ?? 0) + rows;
    if (now === 0) counts.delete(graph);
    else counts.set(graph, now);
  }
  file.put('meta', 'graphs', encodeGraphCounts(counts));
}

function removeRun(file: LmdbFile, run: Removed['runs'][number]): void {
  for (let i = 0; i < run.blocks; i++) file.remove('rows', run.firstBlock + i);
  for (let i = 0; i * DIRECTORY_BLOCKS < run.blocks; i++) file.remove('directories', run.directory + i);
  if (run.dead) file.remove('directories', run.dead.key);
  file.remove('statistics', run.id);
}
