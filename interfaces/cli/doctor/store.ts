/** The store: whether it is there and sound from outside, who writes to it, and whether its disk has room. */

import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SvcError } from '../../../engine/base/errors.js';
import { formatInstant } from '../../../engine/base/instant.js';
import { namespaceFault } from '../../../engine/rdf/formats/input/term-checks.js';
import { MEMORY_PATH } from '../../../engine/service/options/store-options.js';
import type { StoreInspection, StoreWriter } from '../../../engine/storage/admin/inspect.js';
import { freeBytes } from '../../../engine/storage/lmdb/disk-space.js';
import { type Finding, findingsOf, showBytes } from './finding.js';
import { judgeForecast } from './forecast.js';

const { ok, warning, problem } = findingsOf('store');

/** A load of some size does not fit into less. */
const FREE_BYTES_MIN = 64 * 1024 * 1024;
/** Every process that opens the store reads them anew. */
const UNFOLDED_MAX = 10_000;

export interface StoreFacts {
  readonly path: string;
  /** Whether the caller named it. */
  readonly named: boolean;
  readonly inspection: StoreInspection | null;
  readonly writer: StoreWriter | null;
  readonly writable: boolean;
  /** Of the disk that it lies on, or would. */
  readonly freeBytes: number;
  readonly now: Date;
  /** `base_ns` of the configuration. */
  readonly baseNamespace: string;
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folder of a path, or the nearest above it that is there. */
function folderOf(path: string): string {
  let folder = dirname(resolve(path));
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

function judgeWriter({ writer }: StoreFacts): Finding {
  if (writer === null) return ok('writer', 'nobody writes to it');
  const who = `process ${writer.pid} on ${writer.host} (${writer.command}, since ${writer.since})`;
  if (writer.alive) return ok('writer', `${who}; others may read`);
  return warning('writer', `${who} ended without giving the lock back`, 'nothing to do: the next writer takes it over');
}

function judgeRoom({ inspection, freeBytes: free }: StoreFacts): Finding {
  const message = `${showBytes(free)} free beside it`;
  if (free < FREE_BYTES_MIN) return problem('disk', message, 'free some space: writes will be refused');
  const needed = inspection?.fileBytes ?? 0;
  if (free >= needed) return ok('disk', message);
  return warning('disk', `${message}; svc compact needs ${showBytes(needed)}`, 'free some space before you compact it');
}

function judgeBaseNamespace(kept: string | null, configured: string): Finding {
  if (kept === null) return ok('base_ns', `none is kept yet; the next write keeps ${configured}`);
  if (namespaceFault(kept) !== null) {
    return warning(
      'base_ns',
      `the store keeps ${kept}, which no IRI can begin with`,
      `the next write keeps ${configured}`,
    );
  }
  if (kept === configured) return ok('base_ns', kept);
  const message = `the store mints its IRIs in ${kept}, the configuration says ${configured}: it is not opened`;
  return problem('base_ns', message, `set base_ns = "${kept}" under [svc] of the configuration`);
}

function* judgeContent({ inspection, now, path, baseNamespace }: StoreFacts): Generator<Finding> {
  if (inspection === null) return;
  const { format, fileBytes, lastTx, lastTimestamp, unfolded, runs } = inspection;
  yield ok('file', `${path}: format ${format}, ${showBytes(fileBytes)}, ${runs} run(s); its pages are in order`);
  const stamp = lastTimestamp === null ? '' : ` of ${formatInstant(lastTimestamp)}`;
  if (lastTx === 0) yield ok('last transaction', 'none: it is empty');
  else if (lastTimestamp !== null && lastTimestamp * 1000 > now.getTime()) {
    const advice = 'look whether the clock is right; a timestamp that was given may lie ahead';
    yield warning('last transaction', `tx ${lastTx}${stamp}, which is later than the clock`, advice);
  } else yield ok('last transaction', `tx ${lastTx}${stamp}`);
  const message = `${unfolded} transaction(s) since the last fold`;
  if (unfolded <= UNFOLDED_MAX) yield ok('delta', message);
  else yield warning('delta', message, 'svc fold makes opening and reading faster');
  yield judgeBaseNamespace(inspection.baseNamespace, baseNamespace);
}

export function judgeStore(facts: StoreFacts): Finding[] {
  const { path, named, inspection, writable } = facts;
  const findings: Finding[] = [];
  if (inspection === null) {
    const say = named ? problem : warning;
    findings.push(say('file', `there is no store at ${path}`, `svc knot FILE --db ${path} makes one`));
  }
  findings.push(...judgeContent(facts));
  if (inspection !== null && !writable) {
    findings.push(warning('rights', 'this user may read it, but not write', 'change its mode or owner if you want to'));
  }
  const forecast = inspection === null ? null : judgeForecast(inspection, facts.freeBytes);
  return [...findings, judgeWriter(facts), judgeRoom(facts), ...(forecast === null ? [] : [forecast])];
}

export interface ExaminedStore {
  readonly findings: readonly Finding[];
  /** Null where it could not be looked at. */
  readonly inspection: StoreInspection | null;
}

export async function examineStore(
  path: string,
  { named, now, baseNamespace }: Pick<StoreFacts, 'named' | 'now' | 'baseNamespace'>,
): Promise<ExaminedStore> {
  if (path === MEMORY_PATH)
    return { findings: [ok('file', 'in memory: it lasts as long as a process')], inspection: null };
  try {
    const { inspectStore, inspectWriter } = await import('../../../engine/storage/admin/inspect.js');
    const inspection = inspectStore(path);
    const free = freeBytes(folderOf(path));
    const facts = {
      path,
      named,
      inspection,
      writer: inspectWriter(path),
      writable: mayWrite(path),
      freeBytes: free,
      now,
      baseNamespace,
    };
    return { findings: judgeStore(facts), inspection };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const damaged = error.code === 'store_corrupt';
    const advice = damaged ? 'svc verify tells more, svc repair may help; else restore a backup' : (error.hint ?? null);
    return { findings: [problem('file', error.message, advice)], inspection: null };
  }
}
