/**
 * The index from sources to transactions. It has those up to the last fold (`source-index.ts`); the sources of later ones
 * stand in the delta. A file of format 1 has no index, and answers from its log; the first publication makes one.
 */

import type { TxId } from '../ids/layout.js';
import { LogReader } from '../log/log-reader.js';
import { decodeLogRecord } from '../log/record.js';
import { Findings, unlessDamaged } from '../seam/findings.js';
import type { FileView, FoldedTransactions, IndexRebuild, IndexStore, SecondaryIndex } from './secondary-index.js';
import { decodeSource, hasSourceIndex, putSource, sourceEntries, sourceKey, sourcePrefix } from './source-index.js';

/** Keys that are listed at once. */
const KEYS_READ = 1024;
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
        ? sourceEntries(file, sourcePrefix(source), transaction).filter((entry) => entry.source === source)
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
  for (const { tx, source } of named) {
    const known = sources.get(source);
    if (known === undefined) sources.set(source, [tx]);
    else known.push(tx);
  }
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
  for (const key of keysOf(file, transaction)) {
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
    for (const key of [...keysOf(writer)]) writer.remove('sources', key);
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

function* keysOf(store: IndexStore, transaction?: FileView['transaction']): Generator<string> {
  let after: string | null = null;
  for (;;) {
    const keys = store.keysAfter('sources', after, KEYS_READ, transaction) as readonly string[];
    if (keys.length === 0) return;
    yield* keys;
    after = keys[keys.length - 1] as string;
  }
}
