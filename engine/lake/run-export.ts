/** An export from its beginning to its end: what is there is looked at, what was cut off is gone on with or swept. */

import type { Control } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { type ExportBounds, type ExportSource, exportLake, type FoundLake, markOf } from './export/export-lake.js';
import { JOURNAL_FILE, Journal } from './export/journal.js';
import { byTable, LAKE_FILE, type LakeContent, type LakeTable, readLakeFile } from './lake-file.js';
import type { LakeTarget } from './target/target.js';

export interface LakeReport {
  /** The newest transaction that the lake holds. */
  readonly tx: number;
  /** Rows that it has, by table. */
  readonly rows: Readonly<Record<LakeTable, number>>;
  /** Files that were written, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** An export that was cut off was gone on with. */
  readonly resumed: boolean;
}

export async function runExport(
  source: ExportSource,
  target: LakeTarget,
  control: Control,
  bounds: ExportBounds = {},
): Promise<LakeReport> {
  const unlock = await target.lock();
  try {
    let [resumed, files, bytes] = [false, 0, 0];
    for (;;) {
      const found = await findLake(target);
      checkLineage(source, found.content, target);
      if (found.content?.tx === source.snapshot.tx) {
        return { ...reportOf(found.content), files, bytes, resumed };
      }
      const { store, snapshot } = source;
      const base = found.content?.tx ?? 0;
      const left = await Journal.left(target, store, base, snapshot.tx);
      await sweep(target, found.content, left);
      const journal = left ?? (await Journal.begin(target, { store, tx: snapshot.tx, base }));
      resumed ||= left !== null;
      const known = new Set(Object.values(found.content?.tables ?? {}).flatMap((all) => all.map(({ path }) => path)));
      const content = await exportLake(source, found, journal, target, control, bounds);
      for (const file of Object.values(content.tables).flat()) {
        if (known.has(file.path)) continue;
        files++;
        bytes += file.bytes;
      }
      await journal.end();
      if (content.tx === snapshot.tx) return { ...reportOf(content), files, bytes, resumed };
    }
  } finally {
    await unlock();
  }
}

/** Throws for what is no lake, one of a later version, and a damaged one. */
export async function findLake(target: LakeTarget): Promise<FoundLake> {
  const file = await target.read(LAKE_FILE);
  if (file !== null) return { file, content: readLakeFile(file.bytes, `${target.name}/${LAKE_FILE}`) };
  if ((await target.read(JOURNAL_FILE)) === null) await refuseForeign(target);
  return { file, content: null };
}

/** A folder with files of others may not become a lake. */
async function refuseForeign(target: LakeTarget): Promise<void> {
  for await (const path of target.list()) {
    if (isOurs(path)) continue;
    throw new SvcError('invalid_request', `${target.name} is not empty and no lake: it holds ${path}`, {
      hint: 'name an empty or a new folder',
    });
  }
}

const OWN = /^(?:export\.lock|export\.json|lake\.json\.new-\d+|(?:facts|history|terms|transactions|state)\/.*)$/;

function isOurs(path: string): boolean {
  return OWN.test(path);
}

function checkLineage(
  { store, snapshot, transactions }: ExportSource,
  content: LakeContent | null,
  target: LakeTarget,
): void {
  if (content === null) return;
  const hint = 'export into another folder';
  if (content.store !== store) {
    throw new SvcError(
      'state_conflict',
      `${target.name} is a lake of the store ${content.store}, and this is ${store}`,
      { hint },
    );
  }
  if (content.location !== target.location) {
    throw new SvcError('state_conflict', `the lake ${target.name} was moved: its tables stand at ${content.location}`, {
      hint: 'export to where it was, or into another folder',
    });
  }
  const [record] = content.tx > 0 ? transactions({ since: content.tx - 1, limit: 1 }) : [];
  if (content.tx <= snapshot.tx && markOf(record) === content.mark) return;
  throw new SvcError(
    'state_conflict',
    `${target.name} is a lake of another course of the store: its transaction ${content.tx} is not the one of the store`,
    { hint },
  );
}

/** Removes what no export has finished. */
async function sweep(target: LakeTarget, content: LakeContent | null, journal: Journal | null): Promise<void> {
  const kept = new Set<string>(journal?.files.map(({ path }) => path));
  if (content !== null) {
    for (const files of [...Object.values(content.tables), ...Object.values(content.retired)]) {
      for (const { path } of files) kept.add(path);
    }
    kept.add(content.termIds.path);
  }
  const left: string[] = [];
  for (const folder of ['facts', 'history', 'terms', 'transactions']) {
    for await (const path of target.list(`${folder}/data`)) if (!kept.has(path)) left.push(path);
  }
  for await (const path of target.list('state')) if (!kept.has(path)) left.push(path);
  await target.remove(left);
}

function reportOf(content: LakeContent): Pick<LakeReport, 'tx' | 'rows'> {
  const rows = byTable((table) => content.tables[table].reduce((sum, file) => sum + file.rows, 0));
  return { tx: content.tx, rows };
}
