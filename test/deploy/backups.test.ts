/** The scheduled backup and the restore drill, as their scripts run beside a server that writes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, SVC } from '../cli/svc.js';
import { startTestServer } from '../http/support.js';
import { run } from '../package/packed.js';

const SCRIPTS = join(CHECKOUT, 'deploy');
const OLD = ['svc-20010101T000000Z.db', 'svc-20020101T000000Z.db', 'svc-20030101T000000Z.db'];

/** A folder of programs in which `svc` is a script of a test. */
function programs(folder: string, script: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'svc'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, 'svc'), 0o755);
  return bin;
}

const REAL = `exec "${process.execPath}" "${SVC}" "$@"`;

function shell(folder: string, script: string, words: readonly string[], environment: Record<string, string> = {}) {
  const bin = join(folder, 'bin');
  const given = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const path = `PATH=${bin}:${process.env.PATH}`;
  return run('env', [path, ...given, 'sh', join(SCRIPTS, script), ...words], folder);
}

test('a backup beside a running server is sound, restores, and takes the place of the oldest', async (t) => {
  const server = await startTestServer(t);
  await server.post('/knot', { turtle: '<urn:a> <urn:p> 1 .' });
  await inFolder(async (folder) => {
    programs(folder, REAL);
    mkdirSync(join(folder, 'copies'));
    for (const name of OLD) writeFileSync(join(folder, 'copies', name), 'an old copy');
    writeFileSync(join(folder, 'copies', 'svc-notes.txt'), 'not a copy');
    const environment = { SVC_BACKUPS: 'copies', SVC_BACKUPS_KEPT: '2', SVC_BACKUP_METRICS: 'backup.prom' };
    const store = join(server.folder, 'store.svc');
    const made = await shell(folder, 'backup.sh', [store], environment);
    assert.deepEqual([made.code, made.err], [0, '']);
    const names = readdirSync(join(folder, 'copies')).sort();
    assert.equal(names.length, 3, names.join(' '));
    assert.match(names[1] as string, /^svc-\d{8}T\d{6}Z\.db$/);
    assert.deepEqual([names[0], names[2]], [OLD[2], 'svc-notes.txt']);
    assert.match(
      made.out,
      /^backed up to .*\nok: .*\nremoved copies\/svc-20010101.*\nremoved copies\/svc-20020101.*\n$/,
    );
    const figures = readFileSync(join(folder, 'backup.prom'), 'utf8');
    assert.match(figures, /^svc_backup_last_success_timestamp_seconds \d{10}$/m);
    assert.match(figures, /^svc_backup_size_bytes [1-9]\d+$/m);

    const drill = (question: string) => shell(folder, 'restore-drill.sh', [question], { SVC_BACKUPS: 'copies' });
    const restored = await drill('ASK { <urn:a> <urn:p> 1 }');
    assert.deepEqual([restored.code, restored.err], [0, '']);
    assert.match(restored.out, /^backup: copies\/svc-2.*\nok: .*\nlast transaction: "tx_id":1,.*\nrestored: .*\n$/);
    const wrong = await drill('ASK { <urn:a> <urn:p> 2 }');
    assert.deepEqual([wrong.code, wrong.err], [1, 'not true of the restored store: ASK { <urn:a> <urn:p> 2 }\n']);
    assert.deepEqual(readdirSync(join(folder, 'copies')).sort(), names);
  })();
});

test(
  'a copy that is not sound is set aside, and no older one is removed',
  inFolder(async (folder) => {
    programs(folder, 'case $1 in backup) echo copy > "$2" ;; verify) exit 1 ;; esac');
    mkdirSync(join(folder, 'copies'));
    for (const name of OLD) writeFileSync(join(folder, 'copies', name), 'an old copy');
    const environment = { SVC_BACKUPS: 'copies', SVC_BACKUPS_KEPT: '1', SVC_BACKUP_METRICS: 'backup.prom' };
    const { code, err } = await shell(folder, 'backup.sh', ['store.db'], environment);
    assert.equal(code, 1);
    assert.match(err, /^the copy is not sound: copies\/svc-.*Z\.db\.unsound; older ones stay\n$/);
    const names = readdirSync(join(folder, 'copies'));
    assert.deepEqual(names.filter((name) => name.endsWith('.db')).sort(), OLD);
    assert.ok(!readdirSync(folder).includes('backup.prom'));
  }),
);

test(
  'a backup that fails removes nothing, and a wrong number of copies is refused before anything is done',
  inFolder(async (folder) => {
    programs(folder, 'echo "error: no store" >&2; exit 1');
    mkdirSync(join(folder, 'copies'));
    for (const name of OLD) writeFileSync(join(folder, 'copies', name), 'an old copy');
    const environment = { SVC_BACKUPS: 'copies', SVC_BACKUPS_KEPT: '1' };
    assert.equal((await shell(folder, 'backup.sh', ['store.db'], environment)).code, 1);
    for (const kept of ['0', 'two', '-1', '1.5']) {
      const refused = await shell(folder, 'backup.sh', ['store.db'], { ...environment, SVC_BACKUPS_KEPT: kept });
      assert.deepEqual([refused.code, refused.err], [2, `SVC_BACKUPS_KEPT: ${kept} is no number from 1 on\n`]);
    }
    assert.deepEqual(readdirSync(join(folder, 'copies')).sort(), OLD);
    const none = await shell(folder, 'restore-drill.sh', [], { SVC_BACKUPS: 'nowhere' });
    assert.deepEqual([none.code, none.err], [1, 'no backup in nowhere\n']);
  }),
);

test('the scripts are programs', () => {
  for (const name of ['backup.sh', 'restore-drill.sh']) {
    const { status, stderr } = spawnSync('sh', ['-n', join(SCRIPTS, name)], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.equal(spawnSync('test', ['-x', join(SCRIPTS, name)]).status, 0, name);
  }
});
