/** The machine: what is there is read first, then judged by rules that tests can give other facts to. */

import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { availableParallelism, freemem, tmpdir, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Configuration } from '../../../engine/service/configuration/configuration.js';
import { freeBytes } from '../../../engine/storage/lmdb/disk-space.js';
import { type Finding, findingsOf, showBytes } from './finding.js';

export interface Folder {
  readonly path: string;
  /** Why nothing can be written there; null when it can. */
  readonly trouble: string | null;
  readonly freeBytes: number;
}

export interface EnvironmentFacts {
  readonly node: string;
  /** As package.json says it: `>=20.19`. */
  readonly engines: string;
  readonly platform: string;
  readonly processors: number;
  /** Why the native part of the storage can't be loaded; null when it can. */
  readonly nativeTrouble: string | null;
  /** Null: no limit, or the system does not tell. */
  readonly openFilesMax: number | null;
  readonly memoryBytes: number;
  readonly freeMemoryBytes: number;
  readonly now: Date;
  /** Where queries and exports put what does not fit into memory. */
  readonly spill: Folder;
}

const MIB = 1024 * 1024;
/** A server with its threads, and connections of a busy hour. */
const OPEN_FILES_MIN = 1024;
const YEAR_MIN = 2020;

const { ok, warning, problem } = findingsOf('environment');

function readEngines(): string {
  const path = fileURLToPath(new URL('../../../../package.json', import.meta.url));
  return (JSON.parse(readFileSync(path, 'utf8')) as { engines: { node: string } }).engines.node;
}

async function nativeTrouble(): Promise<string | null> {
  try {
    await import('../../../engine/storage/lmdb/file.js');
    return null;
  } catch (error) {
    return (error as Error).message.split('\n')[0] as string;
  }
}

function openFilesMax(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

/** The memory that this process may have: a container may give it less than the machine has. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

export function readFolder(path: string): Folder {
  let trouble: string | null = null;
  try {
    if (!statSync(path).isDirectory()) trouble = 'it is no folder';
    else accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    trouble = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such folder' : 'it may not be written';
  }
  return { path, trouble, freeBytes: freeBytes(path) };
}

export async function readEnvironment({ query }: Configuration): Promise<EnvironmentFacts> {
  return {
    node: process.versions.node,
    engines: readEngines(),
    platform: `${process.platform}-${process.arch}`,
    processors: availableParallelism(),
    nativeTrouble: await nativeTrouble(),
    openFilesMax: openFilesMax(),
    memoryBytes: memoryBytes(),
    freeMemoryBytes: Math.min(freemem(), memoryBytes()),
    now: new Date(),
    spill: readFolder(query.spill_directory ?? tmpdir()),
  };
}

/** Whether a version is not below that of `>=20.19`. */
function isAtLeast(version: string, range: string): boolean {
  const [has, needs] = [version, range.replace(/^>=\s*/, '')].map((text) => text.split('.').map(Number));
  for (const [at, least] of (needs as number[]).entries()) {
    const part = (has as number[])[at] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

function judgeMemory({ memoryBytes: all, freeMemoryBytes: free }: EnvironmentFacts, budget: number): Finding {
  const message = `${showBytes(all)}, ${showBytes(free)} free; queries may use ${showBytes(budget)}`;
  if (budget < all) return ok('memory', message);
  return warning('memory', message, 'lower query.memory_budget_mb, or give the process more memory');
}

function judgeSpill({ spill }: EnvironmentFacts, spillMax: number): Finding {
  const { path, trouble, freeBytes: free } = spill;
  if (trouble !== null) {
    return problem(
      'temporary files',
      `${path}: ${trouble}`,
      'name another folder with query.spill_directory or TMPDIR',
    );
  }
  const message = `${path}, ${showBytes(free)} free; a query may need ${showBytes(spillMax)}`;
  if (free >= spillMax) return ok('temporary files', message);
  return warning(
    'temporary files',
    message,
    'lower query.spill_max_mb, or name a larger disk with query.spill_directory',
  );
}

export function judgeEnvironment(facts: EnvironmentFacts, { query }: Configuration): Finding[] {
  const { node, engines, platform, nativeTrouble: trouble, openFilesMax: files, now, processors } = facts;
  const many = files === null || files >= OPEN_FILES_MIN;
  return [
    isAtLeast(node, engines)
      ? ok('Node', `${node} (needs ${engines})`)
      : problem('Node', `${node} is too old; needs ${engines}`, 'install a newer Node'),
    trouble === null
      ? ok('platform', `${platform}, ${processors} processor(s); the native part of the storage is there`)
      : problem(
          'platform',
          `the native part of the storage is not there for ${platform}: ${trouble}`,
          'install the package again on this machine, with its optional dependencies',
        ),
    many
      ? ok('open files', files === null ? 'no limit is known' : `at most ${files}`)
      : warning('open files', `at most ${files}; a server may need ${OPEN_FILES_MIN}`, 'raise the limit: ulimit -n'),
    judgeMemory(facts, query.memory_budget_mb * MIB),
    now.getUTCFullYear() >= YEAR_MIN
      ? ok('clock', now.toISOString())
      : problem('clock', `it says ${now.toISOString()}`, 'set it: transactions are stamped with it'),
    judgeSpill(facts, query.spill_max_mb * MIB),
  ];
}
