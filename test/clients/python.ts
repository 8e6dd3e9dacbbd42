/** Python programs, those of pages among them, with our client where they look for it. */

import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CHECKOUT } from '../../tools/tidy.js';

const PROBE = 'import sys; sys.exit(sys.version_info < (3, 11))';

export function python(): string | null {
  return (
    ['python3', 'python3.11', 'python3.12', 'python3.13'].find((name) => spawnSync(name, ['-c', PROBE]).status === 0) ??
    null
  );
}

/** What a program of Python printed; the servers that it asks live in this process, so it is not waited for in one step. */
export function run(
  program: string,
  words: readonly string[],
  environment: Record<string, string>,
): Promise<{ code: number; said: string }> {
  const folder = join(CHECKOUT, 'clients', 'python');
  const env = { ...process.env, PYTHONPATH: join(folder, 'src'), PYTHONDONTWRITEBYTECODE: '1', ...environment };
  return new Promise((resolve) => {
    execFile(program, words, { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), said: stdout + stderr });
    });
  });
}

/** A program of a page, the packages that it needs, and what it prints. */
export interface Program {
  readonly packages: readonly string[];
  readonly text: string;
  readonly output: string;
}

export function programsOf(page: string): Program[] {
  return [...page.matchAll(/^```python([^\n]*)\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm)].map(
    ([, packages = '', text = '', output = '']) => ({ packages: packages.split(' ').filter(Boolean), text, output }),
  );
}
