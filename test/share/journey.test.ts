/**
 * The whole way of shares between two stores that meet in a git repository: share, commit, take in over HTTP, change both sides,
 * merge with a conflict, share again, until both hold the same.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseManifest } from '../../engine/share/manifest.js';
import { svcHere } from '../cli/svc.js';
import { startTestServer } from '../http/support.js';

const EX = 'http://example.org/';
const PREFIX = `@prefix ex: <${EX}> . @prefix sh: <http://www.w3.org/ns/shacl#> . `;
const POLICY = '{"version":1,"entries":[{"id":"secret","tier":"block","match":"literal","pattern":"top secret"}]}';
const START = `${PREFIX} ex:a a ex:Host ; ex:owner "ann" ; ex:port 80, 443 ; ex:at [ ex:room "1" ; ex:rack 4 ] .`;
const SHAPE = `${PREFIX} ex:S a sh:NodeShape ; sh:targetClass ex:Host ; sh:property [ sh:path ex:owner ; sh:maxCount 1 ] .`;
const hasGit = spawnSync('git', ['--version']).status === 0;

/** A person with a store and a clone. */
class Side {
  constructor(readonly folder: string) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'identifier-policy.json'), POLICY);
  }

  async run(code: number, ...words: string[]): Promise<string> {
    const outcome = await svcHere(['--db', 's.db', ...words], { cwd: this.folder });
    assert.equal(outcome.code, code, `${words.join(' ')}: ${outcome.err}`);
    return outcome.out;
  }

  git(...words: string[]): string {
    return git(join(this.folder, 'repo'), ...words);
  }

  /** Publishes what stands in the clone. */
  publish(message: string): void {
    this.git('add', '-A');
    this.git('commit', '-q', '-m', message);
    this.git('push', '-q', 'origin', 'HEAD:main');
  }

  manifest(path: string) {
    return parseManifest(readFileSync(join(this.folder, path, 'manifest.json'), 'utf8'));
  }

  async update(text: string): Promise<void> {
    await this.run(0, 'update', `PREFIX ex: <${EX}> ${text}`);
  }

  async facts(): Promise<string> {
    await this.run(0, 'share', '--output', 'check', '--no-shapes');
    return readFileSync(join(this.folder, 'check/export.nt'), 'utf8');
  }
}

type Answered = Readonly<Record<string, unknown>>;

function git(cwd: string, ...words: string[]): string {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];
  const env = { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...who, ...words], { cwd, env, encoding: 'utf8' });
}

test('two stores and a repository between them', { skip: hasGit ? false : 'git is not installed' }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-journey-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  git(folder, 'init', '-q', '--bare', '--initial-branch=main', 'hub.git');
  const [ann, bob] = [new Side(join(folder, 'ann')), new Side(join(folder, 'bob'))];

  // Ann shares.
  git(ann.folder, 'clone', '-q', '../hub.git', 'repo');
  writeFileSync(join(ann.folder, 'start.ttl'), START);
  await ann.run(0, 'knot', 'start.ttl');
  await ann.run(0, 'share', '--output', 'repo/ann');
  const first = ann.manifest('repo/ann');
  ann.publish('ann shares');

  // Bob takes it in, over HTTP.
  git(bob.folder, 'clone', '-q', '-b', 'main', '../hub.git', 'repo');
  const server = await startTestServer(t, {}, { path: join(bob.folder, 's.db') });
  const textOf = (name: string) => readFileSync(join(bob.folder, 'repo/ann', name), 'utf8');
  const body = {
    manifest: textOf('manifest.json'),
    export_ntriples: textOf('export.nt'),
    shapes_turtle: textOf('shapes.ttl'),
    source: 'ann',
  };
  const staged = (await (await server.post('/import', body)).json()) as Answered;
  assert.deepEqual([staged.outcome, staged.share_id], ['staged', first.share_id]);
  const answer = await server.post('/import/promote', { share_id: first.share_id });
  const promoted = (await answer.json()) as Answered;
  assert.deepEqual([promoted.outcome, promoted.new_facts], ['promoted', 7]);
  await server.running.close();
  assert.equal((await bob.run(0, 'status', 'repo/ann')).split('\n')[0], 'identical');

  // Both change: each something of its own, and the owner differently.
  await ann.update('DELETE DATA { ex:a ex:owner "ann" } ; INSERT DATA { ex:a ex:owner "ann b" ; ex:os "linux" }');
  const shape = join(ann.folder, 'shape.ttl');
  writeFileSync(shape, SHAPE);
  await ann.run(0, 'shapes', 'load', 'host', 'shape.ttl');
  await bob.update(
    'DELETE { ex:a ex:owner "ann" ; ex:port 80 . ?x ex:rack 4 } INSERT { ex:a ex:owner "bob" . ?x ex:rack 5 } WHERE { ex:a ex:at ?x }',
  );
  await bob.run(0, 'share', '--output', 'repo/bob', '--parent', first.share_id);
  const bobs = bob.manifest('repo/bob');
  assert.equal(bobs.lineage.parent_share, first.share_id);
  bob.publish('bob shares');

  // Ann merges: the owner is to be decided.
  ann.git('pull', '-q', '--rebase', 'origin', 'main');
  const status = JSON.parse(await ann.run(0, 'status', 'repo/bob', '--json'));
  assert.deepEqual([status.relation, status.base, status.conflicts.length], ['diverged', first.share_id, 1]);
  assert.deepEqual(
    [status.ours, status.theirs],
    [
      { added: 2, removed: 1 },
      { added: 2, removed: 3 },
    ],
  );
  const before = await ann.facts();
  const undecided = JSON.parse(await ann.run(2, 'merge', 'repo/bob'));
  assert.equal(await ann.facts(), before);
  const file = join(ann.folder, 'repo/bob/merge-decisions.json');
  const left = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(left, undecided);
  assert.deepEqual(left.decisions[0].theirs, ['"bob"']);
  left.decisions[0].resolution = 'theirs';
  writeFileSync(file, JSON.stringify(left));
  assert.match(
    await ann.run(0, 'merge', 'repo/bob', '--decisions', 'repo/bob/merge-decisions.json'),
    /^merged: \+2 -3 /,
  );
  assert.match(await ann.run(0, 'merge', 'repo/bob'), /^merged: \+0 -0 \(tx 0\)$/m);
  rmSync(file);
  await ann.run(0, 'share', '--output', 'repo/ann', '--no-shapes');
  const second = ann.manifest('repo/ann');
  assert.equal(second.lineage.parent_share, first.share_id);
  ann.publish('ann merges bob');

  // Bob takes what is new.
  bob.git('pull', '-q', '--rebase', 'origin', 'main');
  assert.equal((await bob.run(0, 'status', 'repo/ann')).split('\n')[0], 'diverged');
  assert.match(await bob.run(0, 'merge', 'repo/ann'), /^merged: \+1 -0 /);
  assert.equal(await bob.facts(), await ann.facts());
  await bob.run(0, 'share', '--output', 'repo/bob');
  assert.equal(bob.manifest('repo/bob').lineage.parent_share, bobs.share_id);
  bob.publish('bob merges ann');
  assert.equal((await bob.run(0, 'status', 'repo/ann')).split('\n')[0], 'identical');
  assert.deepEqual(bob.git('log', '--format=%s').trim().split('\n'), [
    'bob merges ann',
    'ann merges bob',
    'bob shares',
    'ann shares',
  ]);
  const sources = JSON.parse(await bob.run(0, 'transactions', '--json')).transactions.map(
    ({ source }: { readonly source: string | null }) => source,
  );
  assert.deepEqual(
    sources.filter((source: string | null) => /^(import|promote|merge):/.test(source ?? '')),
    [`import:${first.share_id}`, `promote:${first.share_id}`, `merge:${second.share_id}`],
  );
});
