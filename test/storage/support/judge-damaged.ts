/**
 * Child process: opens and verifies store files that may be damaged, one after the other, and prints
 * a line of JSON for each: what opening or verifying said, and the lines of a store that was found
 * sound. It has a process of its own because a crash is one of the outcomes under test.
 *   node judge-damaged.js <read|write> <path ...>
 */

import { SvcError } from '../../../engine/base/errors.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import { linesOf } from './compare.js';

export interface Judgement {
  readonly path: string;
  /** The code of the error that opening or verifying threw. */
  readonly refused?: string;
  readonly problems?: number;
  readonly lines?: readonly string[];
  /** An error that is not of the registry, or of a kind that damage must not have. */
  readonly wrong?: string;
}

const DAMAGE = ['store_corrupt', 'store_foreign', 'store_newer'];

async function judge(path: string, readOnly: boolean): Promise<Judgement> {
  try {
    const engine = await openLmdbEngine(path, { readOnly, create: false });
    try {
      const report = await engine.verify({});
      if (!report.ok) return { path, problems: report.problems.length };
      return { path, problems: 0, lines: linesOf(engine) };
    } finally {
      await engine.close();
    }
  } catch (error) {
    if (error instanceof SvcError && DAMAGE.includes(error.code)) return { path, refused: error.code };
    return { path, wrong: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

const [mode, ...paths] = process.argv.slice(2);
for (const path of paths) console.log(JSON.stringify(await judge(path, mode === 'read')));
