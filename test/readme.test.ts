/** The README and the page about time run: commands print what they show, programs what they say, scripts exist. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CHECKOUT } from '../tools/tidy.js';
import { blocks, inFolder, runCommands } from './pages.js';

const README = readFileSync(join(CHECKOUT, 'README.md'), 'utf8');
const PAGES: readonly (readonly [string, string, number])[] = [
  ['README.md', README, 10],
  ['docs/time.md', readFileSync(join(CHECKOUT, 'docs/time.md'), 'utf8'), 10],
  ['docs/queries.md', readFileSync(join(CHECKOUT, 'docs/queries.md'), 'utf8'), 4],
  ['docs/updates.md', readFileSync(join(CHECKOUT, 'docs/updates.md'), 'utf8'), 5],
  ['docs/library.md', readFileSync(join(CHECKOUT, 'docs/library.md'), 'utf8'), 0],
  ['docs/results.md', readFileSync(join(CHECKOUT, 'docs/results.md'), 'utf8'), 6],
];
const LIBRARY = join(dirname(dirname(fileURLToPath(import.meta.url))), 'interfaces/library/index.js');

for (const [name, page, commandsMin] of PAGES) {
  if (commandsMin > 0) {
    test(
      `the commands of ${name} print what it shows`,
      inFolder((folder) => runCommands(folder, page, commandsMin)),
    );
  }

  test(
    `the program of ${name} prints what it says`,
    inFolder((folder) => {
      const [program] = blocks(page, 'js');
      const [said] = blocks(page, 'text');
      assert.ok(program !== undefined && said !== undefined);
      const file = join(folder, 'readme.mjs');
      writeFileSync(file, program.replace("from '@svc-graph/svc'", `from '${pathToFileURL(LIBRARY).href}'`));
      const { stdout, stderr, status } = spawnSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, '']);
      assert.deepEqual(stdout.split('\n').sort(), said.split('\n').sort());
    }),
  );
}

test('the scripts and pages that the README names exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const [, name] of README.matchAll(/npm run ([\w:-]+)/g)) assert.ok(scripts[name as string], `npm run ${name}`);
  for (const [, target] of README.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
    assert.ok(existsSync(join(CHECKOUT, target as string)), target);
  }
});
