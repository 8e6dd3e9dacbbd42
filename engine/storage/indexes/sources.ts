/**
 * The index from sources to transactions. It has those up to the last fold; the sources of later ones stand in the delta.
 * Keys of the database `sources` are 16 hex digits of the source's hash and the first transaction listed; values are sealed
 * JSON, the source and its transactions, ascending. A file of format 1 has no index, and answers from its log; the first publication makes one.
 */

import { createHash } from 'node:crypto';
import { addTo } from '../../base/maps.js';
import type { TxId } from '../ids/layout.js';
import { everyKey } from '../lmdb/every-key.js';
import { seal, unseal } from '../lmdb/sealed.js';
import { LogReader } from '../log/log-reader.js';
import { decodeLogRecord } from '../log/record.js';
import type { Manifest } from '../runs/manifest.js';
import { Findings, unlessDamaged } from '../seam/findings.js';
import type {
  FileView,
  FoldedTransactions,
  IndexRebuild,
  IndexStore,
  IndexWriter,
  SecondaryIndex,
} from './secondary-index.js';

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

const NAME = 'index of sources';

export interface SourceReader {
  /** Transactions whose source is exactly this one, ascending. */
  transactionsOf(source: string): TxId[];
}

type Named = FoldedTransactions['sources'];

export const SOURCES: SecondaryIndex<SourceReader, FileView> = {
  name: NAME,
  databases: ['sources'],
  folded(writer, { manifest, firstTx, sources }) {
    const before = hasSourceIndex(manifest) ? [] : inLog(writer, firstTx - 1);
    for (const { tx, source } of before) putSource(writer, source, [tx]);
    for (const [source, txs] of bySource(sources)) putSource(writer, source, txs);
  },
  at: ({ file, transaction, manifest, delta }) => ({
    transactionsOf(source) {
      const folded = hasSourceIndex(manifest)
        ? file
            .valuesOf('sources', sourcePrefix(source), transaction)
            .map(decodeSource)
            .filter((entry) => entry.source === source)
        : [{ txs: transactionsIn(inLog(file, manifest.lastTx), source) }];
      return [...folded.flatMap(({ txs }) => txs), ...transactionsIn(delta.sources, source)];
    },
  }),
  verify: verifySources,
  rebuild: rebuildSources,
};

const transactionsIn = (named: Named, source: string): TxId[] =>
  named.filter((entry) => entry.source === source).map(({ tx }) => tx);

function bySource(named: Named): Map<string, TxId[]> {
  const sources = new Map<string, TxId[]>();
  for (const { tx, source } of named) addTo(sources, source, tx);
  return sources;
}

/** Of a file of format 1, whose transactions were loads. */
function inLog(store: IndexStore, lastTx: TxId): Named {
  const named: { tx: TxId; source: string }[] = [];
  for (let tx = 1; tx <= lastTx; tx++) {
    const value = store.readCopy('log', tx);
    const source = value === undefined ? null : decodeLogRecord(value, tx).record.source;
    if (source !== null) named.push({ tx, source });
  }
  return named;
}

/** It lists every folded transaction that names a source, under that source, once, and nothing else. */
async function verifySources({ file, manifest, transaction }: FileView, findings: Findings): Promise<void> {
  if (!hasSourceIndex(manifest)) return;
  const seen = new Uint8Array(Math.ceil((manifest.foldedTx + 1) / 8));
  let listed = 0;
  const log = new LogReader(file);
  for (const key of everyKey(file, 'sources', transaction)) {
    const { source, txs } = decodeSource(file.readCopy('sources', key, transaction));
    if (key !== sourceKey(source, txs[0] ?? 0)) findings.add(NAME, `its entry ${key} is that of another source`);
    for (const tx of txs) {
      const bit = 1 << (tx & 7);
      if (!(tx >= 1 && tx <= manifest.foldedTx) || log.entry(tx, transaction).record.source !== source) {
        findings.add(NAME, `it lists transaction ${tx} for a source that is not its own: ${source}`);
        continue;
      }
      if (((seen[tx >>> 3] as number) & bit) !== 0) findings.add(NAME, `it lists transaction ${tx} twice`);
      seen[tx >>> 3] = (seen[tx >>> 3] as number) | bit;
      listed++;
    }
    await findings.turn('verify sources');
  }
  const expected = foldedSources(log, manifest.foldedTx, transaction).length;
  log.release();
  if (listed !== expected) findings.add(NAME, `it lists ${listed} transactions, ${expected} have a source`);
}

async function rebuildSources({ control, rebuilt, reading, write }: IndexRebuild<FileView>): Promise<void> {
  const findings = new Findings(control);
  const named = await reading(async (view) => {
    if (!hasSourceIndex(view.manifest)) return null;
    await findings.check(NAME, () => verifySources(view, findings));
    return foldedSources(new LogReader(view.file), view.manifest.foldedTx, view.transaction);
  });
  if (named === null || findings.problems.length === 0) return;
  write((writer) => {
    for (const key of [...everyKey(writer, 'sources')]) writer.remove('sources', key);
    for (const [source, txs] of bySource(named)) putSource(writer, source, txs);
  });
  rebuilt.push('the index of sources');
}

/** What the log tells of the sources of folded transactions, as far as it can be read. */
function foldedSources(log: LogReader, foldedTx: TxId, transaction: FileView['transaction']): Named {
  const named: { tx: TxId; source: string }[] = [];
  for (let tx = 1; tx <= foldedTx; tx++) {
    const source = unlessDamaged(() => log.entry(tx, transaction))?.record.source ?? null;
    if (source !== null) named.push({ tx, source });
  }
  return named;
}
