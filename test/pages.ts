/** Pages whose commands and programs are run by tests, in a folder of their own. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT } from '../tools/tidy.js';
import { SVC } from './cli/svc.js';

export function blocks(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    (match) => match[1] as string,
  );
}

/** `$ command` lines with the output that follows each. */
function session(block: string): { command: string; output: string }[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => ({ command: step.slice(0, step.indexOf('\n')), output: step.slice(step.indexOf('\n') + 1) }));
}

export function inFolder(work: (folder: string) => void): () => void {
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-readme-'));
    try {
      for (const name of ['tools', 'deploy']) symlinkSync(join(CHECKOUT, name), join(folder, name));
      work(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

/** Runs the commands of a page one after the other, each in a shell, and holds what they print against the page. */
export function runCommands(folder: string, page: string, commandsMin: number): void {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'svc'), `#!/bin/sh\nexec "${process.execPath}" "${SVC}" "$@"\n`);
  chmodSync(join(bin, 'svc'), 0o755);
  const steps = blocks(page, 'console').flatMap(session);
  assert.ok(steps.length >= commandsMin);
  for (const { command, output } of steps) {
    const { stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: folder,
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder },
      encoding: 'utf8',
    });
    assert.equal(stderr, '', command);
    // A page shows the end of a line where a body over HTTP has none.
    const shown = stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}\n`;
    assert.equal(shown.replaceAll('\r\n', '\n'), output, command);
  }
}
