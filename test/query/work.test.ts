/**
 * The work of each query of the benchmarks, pinned: blocks read, rows scanned, terms decoded, the most memory
 * that operators held. A query that does more work than it did fails here and names itself, whatever the machine.
 *
 * `SVC_WRITE_WORK=1` writes the figures anew, for a change that is meant to move them.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type DataName, provideData } from '../../bench/sparql/data.js';
import { provideParameters } from '../../bench/sparql/parameters.js';
import { instantiate, type Parameters, QUERY_SETS, readTemplates } from '../../bench/sparql/query-set.js';
import { executeQuery, explain } from '../../engine/query/query.js';
import { encodeResult } from '../../engine/query/results/encode.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { openStore } from '../../interfaces/library/index.js';

const SIZE = '50k';
const pinnedFile = join(import.meta.dirname, '../../../test/query/work.txt');
const HEAD =
  '# query, rows or bytes of the answer, blocks read, rows scanned, terms decoded, KiB held by operators at most\n';
const folder = mkdtempSync(join(tmpdir(), 'svc-work-'));
process.env.SVC_BENCH_DATA = folder;
after(() => rmSync(folder, { recursive: true, force: true }));

const nothing = (): void => undefined;

/** One line of the file. */
async function workOf(snapshot: StorageSnapshot, label: string, text: string): Promise<string> {
  const { counters } = snapshot;
  const before = { ...counters };
  const result = await executeQuery(snapshot, text);
  let bytes = 0;
  for await (const chunk of encodeResult(result, result.kind === 'graph' ? 'ntriples' : 'json')) bytes += chunk.length;
  const work = [counters.blocksRead, counters.rowsScanned, counters.termsDecoded];
  const spent = work.map((count, at) => count - [before.blocksRead, before.rowsScanned, before.termsDecoded][at]!);
  const { memory } = await explain(snapshot, text, { analyze: true });
  assert.ok(bytes > 0, label);
  return [label, bytes, ...spent, Math.ceil((memory?.peakBytes ?? 0) / 1024)].join(' ');
}

async function workOn(data: DataName): Promise<string[]> {
  const provided = await provideData(data, SIZE, nothing);
  assert.ok(provided !== null);
  const sets = QUERY_SETS.filter((set) => set.data === data);
  const parameters: (readonly Parameters[])[] = [];
  for (const set of sets) parameters.push(await provideParameters(set, provided, nothing));
  const store = await openStore(join(folder, `${data}.svc`));
  try {
    await store.load(provided.path);
    const lines: string[] = [];
    for (const [at, set] of sets.entries()) {
      for (const { label, text } of instantiate(readTemplates(set), parameters[at] ?? [], 1, nothing)) {
        // A snapshot of its own, so that no query profits from the one before.
        const snapshot = store.snapshot();
        lines.push(await workOf(snapshot.storage, `${set.name} ${label}`, text));
        snapshot.close();
      }
    }
    return lines;
  } finally {
    await store.close();
  }
}

test('no query of the benchmarks does more work than it did', async () => {
  const lines = [...(await workOn('bsbm')), ...(await workOn('watdiv'))];
  assert.ok(lines.length >= 80, `${lines.length} queries`);
  const text = `${HEAD}${lines.join('\n')}\n`;
  if (process.env.SVC_WRITE_WORK === '1') writeFileSync(pinnedFile, text);
  const pinned = readFileSync(pinnedFile, 'utf8');
  const moved = text.split('\n').filter((line, at) => line !== pinned.split('\n')[at]);
  assert.deepEqual(moved, [], 'these are the figures now; test/query/work.txt has the ones before');
  assert.equal(text, pinned);
});
