/** docs/embeddings.md does what it says: its service runs, its configuration holds, its commands print what it shows. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../../tools/tidy.js';
import { blocks, inFolder, runCommands } from '../../pages.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/embeddings.md'), 'utf8');

/** Blocks that are not run, by what they are for. */
const SKIPPED = ['it installs packages'];

test('every block of docs/embeddings.md runs, or is skipped by name', () => {
  const languages = [...PAGE.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
  assert.deepEqual(languages, ['sh', 'toml', 'js', 'console']);
  assert.deepEqual(
    [...PAGE.matchAll(/^<!-- skipped: (.*) -->$/gm)].map(([, why]) => why),
    SKIPPED,
  );
});

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

test('the service and the commands of docs/embeddings.md', async () => {
  const [service = ''] = blocks(PAGE, 'js');
  const port = Number(/listen\((\d+)/.exec(service)?.[1]);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', service], { stdio: 'ignore' });
  try {
    while (!(await isListening(port))) {
      assert.equal(child.exitCode, null, 'the service runs');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    inFolder((folder) => {
      writeFileSync(join(folder, 'svc.toml'), blocks(PAGE, 'toml')[0] as string);
      runCommands(folder, PAGE, 3);
    })();
  } finally {
    child.kill();
  }
});
