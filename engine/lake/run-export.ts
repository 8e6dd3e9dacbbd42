/** An export from its beginning to its end: what is there is looked at, what was cut off is gone on with or swept. */

import type { Control } from '../base/control.js';
import { type ExportBounds, type ExportSource, exportLake } from './export/export-lake.js';
import { Journal } from './export/journal.js';
import { checkLineage, findLake } from './find-lake.js';
import { completeTables } from './iceberg/table-metadata.js';
import { byTable, type LakeContent, type LakeTable } from './lake-file.js';
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
      // An export that was cut off behind its `lake.json` is completed before anything follows it.
      if (found.content !== null) await completeTables(target, found.content);
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
      await completeTables(target, content);
      await journal.end();
      if (content.tx === snapshot.tx) return { ...reportOf(content), files, bytes, resumed };
    }
  } finally {
    await unlock();
  }
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
