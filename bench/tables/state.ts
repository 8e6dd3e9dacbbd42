/** What a run over all tables has done: a file for each state of the code, so that it goes on after a stop and starts anew after a change. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../engine/base/errors.js';
import { benchFolder } from '../data/data-set.js';
import { CHECKOUT } from '../harness/machine.js';

/** What a figure can depend on. The page with the tables is not among them, nor are the tests. */
const MEASURED = ['engine', 'interfaces', 'bench', 'package-lock.json'];

export interface DoneTable {
  readonly date: string;
  readonly seconds: number;
  /** Cores in use before it began. */
  readonly busyBefore: number;
}

/** Names the committed code, for instance `3f9a61c04b2d`. Throws `configuration` where what is measured has changes that are not committed. */
export function codeMark(): string {
  const changed = git('status', '--porcelain', '--', ...MEASURED);
  if (changed !== '') {
    throw new SvcError('configuration', `what is measured is not committed:\n${changed}`, {
      hint: 'commit it, so that the tables name the code that they are of, or give --uncommitted',
    });
  }
  return markOf(MEASURED.map((path) => git('rev-parse', `HEAD:${path}`)));
}

/** Names the code as it stands in the files, committed or not. */
export function uncommittedMark(): string {
  return markOf([git('rev-parse', 'HEAD'), git('diff', 'HEAD', '--', ...MEASURED)]);
}

function markOf(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
}

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd: CHECKOUT,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new SvcError('configuration', `the tables need a checkout of git: ${stderr?.trim() ?? ''}`);
  return stdout.trim();
}

export class TablesState {
  private readonly path: string;
  private readonly done: Record<string, DoneTable>;

  constructor(mark: string) {
    const folder = join(benchFolder(), 'results');
    mkdirSync(folder, { recursive: true });
    this.path = join(folder, `tables-${mark}.json`);
    this.done = existsSync(this.path) ? (JSON.parse(readFileSync(this.path, 'utf8')) as Record<string, DoneTable>) : {};
  }

  of(name: string): DoneTable | undefined {
    return this.done[name];
  }

  /** Kept at once: written beside and renamed. */
  set(name: string, table: DoneTable): void {
    this.done[name] = table;
    writeFileSync(`${this.path}.new`, `${JSON.stringify(this.done, null, 1)}\n`);
    renameSync(`${this.path}.new`, this.path);
  }
}
