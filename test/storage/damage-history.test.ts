/**
 * Damage anywhere in the file of a store with a delta, history, dead rows and an index of sources: what is
 * asked before anybody verifies is answered rightly or refused as damage, verification reports whatever was
 * refused, and no process dies.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { decodeManifest } from '../../engine/storage/runs/manifest.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { scriptedChange } from './history/scripted-changes.js';
import { randomNumbers } from './scan-support.js';
import { child } from './support/children.js';
import { assertSound } from './support/compare.js';
import type { Answers } from './support/judge-answers.js';
import { StoreFolder } from './support/store-folder.js';

const RUNS = Number(process.env.SVC_PROPERTY_RUNS ?? 20);
const SEED = Number(process.env.SVC_DAMAGE_SEED ?? Date.now() % 1_000_000);
const PAGE_BYTES = 4096;
/** Of the header and the content of a first page. */
const META_BYTES = 176;
const KINDS = 6;
const JUDGE = new URL('./support/judge-answers.js', import.meta.url);
const CHANGES = 45;
/** Folds after these changes; those behind the last are the delta. */
const FOLDS = [8, 16, 24, 32, 38];
const folder = new StoreFolder();

async function change(engine: StorageEngine, number: number): Promise<void> {
  const { kind, options, retract, assert: quads } = scriptedChange(3, number);
  if (kind === 'load' && number < (FOLDS[FOLDS.length - 1] as number)) {
    const source = { kind: 'quads', quads, name: 'quads' } as const;
    const bounds = { ownPartitionRows: 40, epochRowsMax: 200 };
    const staged = await engine.stageLoad([source], { ...options, blankNodeScope: 'store', threads: 1, bounds }, {});
    await staged.commit().durable;
    return;
  }
  const stage = engine.stage(options);
  stage.retract(retract);
  stage.assert(quads);
  await stage.commit({ recordEmpty: true }).durable;
}

async function makeStore(): Promise<string> {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  for (let number = 1; number <= CHANGES; number++) {
    await change(engine, number);
    if (FOLDS.includes(number)) await engine.fold({});
  }
  await assertSound(engine);
  await engine.close();
  const file = LmdbFile.open(path, { readOnly: true });
  const manifest = decodeManifest(file.readCopy('meta', 'manifest'), path);
  const runs = manifest.partitions.flatMap((partition) => partition.runs.SPOG ?? []);
  assert.ok(manifest.foldedTx < CHANGES, 'a delta');
  assert.ok(
    runs.some((run) => run.kind === 'history'),
    'history',
  );
  assert.ok(
    runs.some((run) => run.dead !== undefined),
    'dead rows',
  );
  assert.ok(file.valuesOf('sources', '').length > 0, 'an index of sources');
  await file.close();
  return path;
}

async function judge(paths: readonly string[], mode: 'read' | 'write'): Promise<Answers[]> {
  const { code, signal, lines, errors } = await child(JUDGE, [mode, ...paths]).ended;
  const judged = lines.map((line) => JSON.parse(line) as Answers);
  assert.equal(code, 0, `the process ended (${code ?? signal}) at file ${judged.length}: ${errors}`);
  return judged;
}

function assertHonest(answers: Answers, whole: Answers, what: string): void {
  assert.deepEqual(answers.wrong, [], what);
  if (answers.refused !== undefined) return;
  for (const [part, answer] of Object.entries(answers.parts)) {
    if (answer.startsWith('refused')) assert.ok((answers.problems ?? 0) > 0, `${what}: ${part}, but verified as sound`);
    else assert.equal(answer, whole.parts[part], `${what}: a wrong answer to ${part}, ${answers.problems} problems`);
  }
}

/** A copy with a bit changed, a byte anywhere or in a page's head or a first page of the file, or a whole page. */
function damaged(whole: Buffer, kind: number, next: (below: number) => number): { path: string; what: string } {
  const bytes = Buffer.from(whole);
  const page = next(bytes.length / PAGE_BYTES) * PAGE_BYTES;
  const length = kind < 4 ? 1 : PAGE_BYTES;
  const first = next(2) * PAGE_BYTES + next(META_BYTES);
  const at = [next(bytes.length), next(bytes.length), page + next(64), first, page, page][kind] as number;
  if (kind === 0) bytes[at] = (bytes[at] as number) ^ (1 << next(8));
  else if (kind === 5) bytes.fill(0, at, at + length);
  else for (let i = 0; i < length; i++) bytes[at + i] = next(256);
  return { path: folder.file(bytes, '.db'), what: `seed ${SEED}: ${length} bytes at ${at}` };
}

test('damage anywhere: right answers, or refused and reported', { timeout: 600_000 }, async () => {
  const path = await makeStore();
  const [whole] = (await judge([path], 'read')) as [Answers];
  assert.deepEqual([whole.refused, whole.problems, whole.wrong], [undefined, 0, []]);
  const bytes = readFileSync(path);
  const next = randomNumbers(SEED);
  const copies = Array.from({ length: 2 * RUNS }, (_, run) => damaged(bytes, run % KINDS, next));
  const paths = copies.map((copy) => copy.path);
  const half = Math.ceil(paths.length / 2);
  const judged = [...(await judge(paths.slice(0, half), 'read')), ...(await judge(paths.slice(half), 'write'))];
  for (const [i, answers] of judged.entries()) assertHonest(answers, whole, copies[i]?.what as string);
  assert.ok(judged.some(({ problems }) => problems !== undefined && problems > 0));
});
