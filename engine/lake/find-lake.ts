/** What stands at an address: a lake, one that an export has begun, nothing, or something that is none of ours. */

import { SvcError } from '../base/errors.js';
import { type ExportSource, type FoundLake, markOf } from './export/export-lake.js';
import { JOURNAL_FILE } from './export/journal.js';
import { LAKE_FILE, type LakeContent, readLakeFile } from './lake-file.js';
import type { LakeTarget } from './target/target.js';

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

/** A lake is continued by the store that has made it, in the course that it had then. */
export function checkLineage(
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
