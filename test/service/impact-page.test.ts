/** The commands and the program of docs/impact.md do what the page says. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { blocks, inFolder, runCommands } from '../pages.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/impact.md'), 'utf8');

test(
  'the commands of docs/impact.md print what it shows',
  inFolder((folder) => runCommands(folder, PAGE, 5)),
);

test('the program of docs/impact.md prints what it says', async () => {
  const [program = ''] = blocks(PAGE, 'js');
  const [, told = ''] = /^\/\/ (.*)$/m.exec(program) ?? [];
  const library = await import('../../interfaces/library/index.js');
  const body = program.replace(/^import .*$/m, '').replace('console.log(', 'print(');
  const printed: string[] = [];
  const run = new Function('openStore', 'terms', 'print', `return (async () => {${body}})()`) as (
    ...given: unknown[]
  ) => Promise<void>;
  await run(library.openStore, library.terms, (...words: unknown[]) => printed.push(words.join(' ')));
  assert.deepEqual(printed, [told]);
});
