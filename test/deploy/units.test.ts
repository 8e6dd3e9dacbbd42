/** The units of systemd: systemd takes them, they shut off what the server does not need, and keys and folders are right. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { configurationSchema } from '../../engine/service/configuration/keys.js';
import type { SchemaNode } from '../../engine/service/requests/schema.js';
import { CHECKOUT } from '../../tools/tidy.js';

const FOLDER = join(CHECKOUT, 'deploy/systemd');
const UNITS = ['svc.service', 'svc-backup.service', 'svc-backup.timer'];

/** Variables of the environment that are keys of the configuration. */
function* variablesOf(node: SchemaNode, name = 'SVC'): Generator<string> {
  if (node.type !== 'object') yield name;
  for (const [key, child] of Object.entries(node.properties ?? {}))
    yield* variablesOf(child, `${name}_${key.toUpperCase()}`);
}

/** Keys of a unit with their values, of all sections. */
function keysOf(name: string): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const line of readFileSync(join(FOLDER, name), 'utf8').split('\n')) {
    if (line === '' || /^[#[]/.test(line)) continue;
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? assert.fail(`${name}: ${line}`);
    keys.set(key as string, [...(keys.get(key as string) ?? []), value as string]);
  }
  return keys;
}

/** Seconds of a time as the units write them. */
function seconds(value: string): number {
  const [, count, unit] = /^(\d+)(s|min|h)?$/.exec(value) ?? assert.fail(value);
  return Number(count) * { s: 1, min: 60, h: 3600 }[(unit ?? 's') as 's' | 'min' | 'h'];
}

test('the server has a user of its own, writes to its folder alone, and has time to stop', () => {
  const keys = keysOf('svc.service');
  const grace = /const GRACE_MS = ([\d_]+);/.exec(readFileSync(join(CHECKOUT, 'interfaces/http/serve.ts'), 'utf8'));
  const graceSeconds = Number((grace?.[1] ?? '').replaceAll('_', '')) / 1000;
  assert.ok(graceSeconds >= 1 && seconds(keys.get('TimeoutStopSec')?.[0] ?? '') > graceSeconds);
  const wanted = {
    User: 'svc',
    StateDirectory: 'svc',
    ProtectSystem: 'strict',
    NoNewPrivileges: 'yes',
    CapabilityBoundingSet: '',
  };
  for (const [key, value] of Object.entries(wanted)) assert.deepEqual(keys.get(key), [value], key);
  assert.match(keys.get('Restart')?.[0] ?? '', /^(on-failure|always)$/);
  assert.ok(!keys.has('ExecReload') && !keys.has('MemoryDenyWriteExecute'));
});

test('the variables of the units, the image and the compose file are those of the configuration', () => {
  const texts = [...UNITS.map((name) => join('systemd', name)), 'Dockerfile', 'compose.yaml'];
  const variables = new Set(variablesOf(configurationSchema));
  let count = 0;
  for (const path of texts) {
    const text = readFileSync(join(CHECKOUT, 'deploy', path), 'utf8');
    for (const [name] of text.matchAll(/\bSVC_[A-Z_]+/g)) {
      assert.ok(variables.has(name) || /^SVC_BACKUPS?(_|$)/.test(name), `${path}: ${name}`);
      count++;
    }
  }
  assert.ok(count >= 8);
});

test('systemd takes the units', (t) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return t.skip('systemd-analyze is not here');
  const folder = mkdtempSync(join(tmpdir(), 'svc-units-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of UNITS) {
    // The program has to be there; on this machine it is another one.
    const text = readFileSync(join(FOLDER, name), 'utf8').replace(/^ExecStart=\S+/gm, `ExecStart=${process.execPath}`);
    writeFileSync(join(folder, name), text);
  }
  const paths = UNITS.map((name) => join(folder, name));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' });
  const ours = stderr.split('\n').filter((line) => line.includes(folder));
  assert.deepEqual([status, ours], [0, []], stderr);
});
