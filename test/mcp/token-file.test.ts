/** The file with the token: what it may be, each refusal by name, nothing of what it says. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { readTokenFile } from '../../interfaces/mcp/token-file.js';

const SECRET = 'a-secret-of-the-test';

test('token files', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-token-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string, mode = 0o600): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const plain = file('plain', `${SECRET}\n`);
  assert.equal(readTokenFile(plain), SECRET);
  assert.equal(readTokenFile(file('read', SECRET, 0o400)), SECRET);
  assert.equal(readTokenFile(file('full', `${'y'.repeat(4096)}`)), 'y'.repeat(4096));

  const link = join(folder, 'link');
  symlinkSync(plain, link);
  const inside = join(folder, 'folder');
  mkdirSync(inside);
  const pipe = join(folder, 'pipe');
  assert.equal(spawnSync('mkfifo', ['-m', '600', pipe]).status, 0);
  const cases: readonly [string, RegExp][] = [
    [join(folder, 'absent'), /is not there$/],
    [link, /is a link; expected a regular file/],
    [inside, /is a folder; expected a regular file/],
    [pipe, /is a pipe; expected a regular file/],
    ['/dev/null', /is a device; expected a regular file/],
    [file('large', `${SECRET}${'y'.repeat(4096)}`), /has 4116 bytes; expected at most 4096/],
    [file('group', SECRET, 0o640), /has mode 0640; expected 0600 or 0400/],
    [file('world', SECRET, 0o604), /has mode 0604/],
    [file('runs', SECRET, 0o700), /has mode 0700/],
    [file('empty', ' \n'), /is empty/],
    [file('words', `${SECRET} ${SECRET}`), /holds more than one word/],
  ];
  for (const [path, message] of cases) {
    assert.throws(
      () => readTokenFile(path),
      (error: unknown) =>
        error instanceof SvcError &&
        error.code === 'configuration' &&
        message.test(error.message) &&
        error.message.includes(path) &&
        !error.describe().includes(SECRET),
      String(message),
    );
  }
});
