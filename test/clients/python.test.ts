/** The Python client: its own tests, against live servers and against servers that misbehave. */

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../interfaces/library/index.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { startTestServer } from '../http/support.js';

const TOKEN = 'a-token-of-the-tests';
const PROBE = 'import sys; sys.exit(sys.version_info < (3, 11))';

function python(): string | null {
  return (
    ['python3', 'python3.11', 'python3.12', 'python3.13'].find((name) => spawnSync(name, ['-c', PROBE]).status === 0) ??
    null
  );
}

/** What it printed; the servers that it asks live in this process, so it is not waited for in one step. */
function run(
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
interface Program {
  readonly packages: readonly string[];
  readonly text: string;
  readonly output: string;
}

function programsOf(page: string): Program[] {
  return [...page.matchAll(/^```python([^\n]*)\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm)].map(
    ([, packages = '', text = '', output = '']) => ({ packages: packages.split(' ').filter(Boolean), text, output }),
  );
}

test('the programs of docs/python.md print what it shows', { timeout: 120_000 }, async (t) => {
  const program = python();
  if (program === null) {
    t.skip('there is no Python 3.11 or newer, so its client is not tried');
    return;
  }
  const server = await startTestServer(t);
  const page = readFileSync(join(CHECKOUT, 'docs/python.md'), 'utf8').replaceAll('http://127.0.0.1:3030', server.base);
  const programs = programsOf(page);
  assert.equal(programs.length, 6);
  for (const { packages, text, output } of programs) {
    const probe = await run(program, ['-c', packages.map((name) => `import ${name}`).join('\n')], {});
    if (probe.code !== 0) {
      t.diagnostic(`a program of docs/python.md was not run: ${packages.join(' and ')} are not here`);
      continue;
    }
    const { code, said } = await run(program, ['-c', text], {});
    assert.equal(said, output, text);
    assert.equal(code, 0);
  }
});

test('the Python client', { timeout: 120_000 }, async (t) => {
  const program = python();
  if (program === null) {
    t.skip('there is no Python 3.11 or newer, so its client is not tried');
    return;
  }
  const open = await startTestServer(t);
  const guarded = await startTestServer(t, { server: { auth_token: TOKEN } });
  const path = join(open.folder, 'read-only.svc');
  await (await openStore(path)).close();
  const readOnly = await startTestServer(t, { server: { read_only: true } }, { path });
  const { code, said } = await run(program, ['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'], {
    SVC_TEST_OPEN: open.base,
    SVC_TEST_GUARDED: guarded.base,
    SVC_TEST_TOKEN: TOKEN,
    SVC_TEST_READ_ONLY: readOnly.base,
  });
  assert.equal(code, 0, said);
  assert.match(said, /Ran 2\d tests[\s\S]*\nOK\n$/);
  // It says who it is, and shows its token to writes alone.
  const names = new Set(open.events('request_start').map(({ client, task }) => `${client} ${task}`));
  assert.deepEqual([...names], ['python-test t-1']);
});
