/** The image: what its file says, its check of health against a server, and, where containers can run, the image itself. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { freePort } from '../http/free-port.js';
import { sharedTestServer } from '../http/support.js';
import { run } from '../package/packed.js';

interface Instruction {
  readonly name: string;
  readonly words: string;
}

/** The instructions of a file, lines that go on put together, comments left out. */
function instructionsOf(path: string): Instruction[] {
  const text = readFileSync(join(CHECKOUT, path), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '');
  return text.split('\n').flatMap((line) => {
    const [, name, words] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === undefined || words === undefined) {
      assert.equal(line.trim(), '', `no instruction: ${line}`);
      return [];
    }
    return [{ name, words }];
  });
}

const ALL = instructionsOf('deploy/Dockerfile');
/** Those of the stage that is shipped. */
const LAST = ALL.slice(ALL.findLastIndex(({ name }) => name === 'FROM'));

function the(name: string): string {
  const found = LAST.filter((one) => one.name === name);
  assert.equal(found.length, 1, name);
  return found[0]?.words as string;
}

/** The program that tells whether a container is well. */
function healthProgram(): string[] {
  const [, list] = /CMD (\[.*\])$/.exec(the('HEALTHCHECK')) ?? [];
  return JSON.parse(list ?? '') as string[];
}

const server = sharedTestServer();

test('the image runs as a user that is not root, with a volume, on a Node of a pinned major', () => {
  const { engines } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { engines: { node: string } };
  const majorMin = Number(/(\d+)/.exec(engines.node)?.[1]);
  const stages = ALL.filter(({ name }) => name === 'FROM');
  assert.ok(stages.length > 1);
  for (const { words } of stages) {
    const [, major] = /^node:(\d+)(?:\.\d+)*-slim(?: AS \w+)?$/.exec(words) ?? assert.fail(words);
    assert.ok(Number(major) >= majorMin, words);
  }
  assert.doesNotMatch(the('USER'), /^(root|0)\b/);
  assert.equal(the('VOLUME'), '/data');
  assert.match(the('ENV'), /SVC_STORE_PATH=\/data\//);
  assert.deepEqual([the('ENTRYPOINT'), the('CMD')], ['["svc"]', '["serve"]']);
  const after = LAST.slice(LAST.findIndex(({ name }) => name === 'USER'));
  assert.ok(!after.some(({ name }) => ['RUN', 'COPY', 'ADD'].includes(name)));
  assert.ok(!ALL.some(({ words }) => /\b(curl|wget|apt-get)\b/.test(words)));
});

test('no token stands in the image', () => {
  for (const { words } of ALL) assert.doesNotMatch(words, /token/i);
});

test('what the image copies out of the package is in it', () => {
  const { files } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { files: string[] };
  const targets = LAST.flatMap(({ words }) =>
    [...words.matchAll(/ln -s \/opt\/svc\/(\S+)/g)].map(([, path]) => path as string),
  );
  assert.equal(targets.length, 3);
  for (const path of targets) {
    assert.ok(
      files.some((one) => path.startsWith(`${one}/`)),
      path,
    );
    assert.ok(readFileSync(join(CHECKOUT, path), 'utf8').startsWith('#!'), path);
  }
});

test('the check of health says yes to a server that is ready, and no where none is', async () => {
  const [program, ...words] = healthProgram();
  assert.equal(program, 'node');
  const { running } = await server();
  const at = (port: number) => words.map((word) => word.replace('127.0.0.1:3030', `127.0.0.1:${port}`));
  assert.notDeepEqual(at(1), words);
  const well = await run(process.execPath, at(running.address.port), CHECKOUT);
  assert.deepEqual([well.code, well.out, well.err], [0, '', '']);
  const gone = await run(process.execPath, at(await freePort()), CHECKOUT);
  assert.deepEqual([gone.code, gone.out, gone.err], [1, '', '']);
});

test('the image is built, refuses to start without a token, and answers with one', async (t) => {
  if (spawnSync('docker', ['info']).status !== 0) return t.skip('no daemon of containers runs here');
  const name = `svc-test-${process.pid}`;
  const docker = (...words: string[]) => spawnSync('docker', words, { cwd: CHECKOUT, encoding: 'utf8' });
  const built = docker('build', '--quiet', '--file', 'deploy/Dockerfile', '--tag', name, '.');
  assert.equal(built.status, 0, built.stderr);
  t.after(() => {
    docker('rm', '--force', '--volumes', name);
    docker('rmi', name);
  });
  const refused = docker('run', '--rm', name);
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /token/);
  const token = 'a-token-of-this-test-alone-0123456789';
  assert.equal(
    docker('run', '--detach', '--name', name, '--read-only', '--env', `SVC_AUTH_TOKEN=${token}`, name).status,
    0,
  );
  const [program = '', ...words] = healthProgram();
  for (let tries = 0; docker('exec', name, program, ...words).status !== 0; tries++) {
    assert.ok(tries < 120, docker('logs', name).stderr);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const backup = docker('exec', name, 'svc-backup');
  assert.equal(backup.status, 0, backup.stderr);
  assert.equal(docker('stop', name).status, 0);
});
