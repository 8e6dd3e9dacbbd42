/**
 * Two servers, each a process with a store of its own, and a git repository between them: they share over HTTP and take in what
 * the other has pushed, while both run and are written to; then both are stopped, and merge what promotion does not bring.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SVC, svcHere } from '../cli/svc.js';

const EX = 'http://example.org/';
const POLICY = '{"version":1,"entries":[{"id":"secret","tier":"block","match":"literal","pattern":"top secret"}]}';
const hasGit = spawnSync('git', ['--version']).status === 0;
type Answered = Readonly<Record<string, unknown>>;

function git(cwd: string, ...words: string[]): string {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];
  const env = { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...who, ...words], { cwd, env, encoding: 'utf8' });
}

/** A server with a store and a clone. */
class Peer {
  readonly repository: string;
  #child: ChildProcess | null = null;
  #base = '';

  constructor(
    private readonly folder: string,
    readonly name: string,
  ) {
    mkdirSync(folder);
    this.repository = join(folder, 'repo');
    git(folder, 'clone', '-q', '../hub.git', 'repo');
    writeFileSync(join(folder, 'identifier-policy.json'), POLICY);
  }

  async start(t: TestContext): Promise<void> {
    const child = spawn(process.execPath, [SVC, 'serve', '--db', 's.db', '--bind', '127.0.0.1:0'], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, HOME: this.folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    this.#child = child;
    this.#base = await new Promise((resolve, reject) => {
      let told = '';
      child.stderr.on('data', (chunk: Buffer) => {
        told += chunk.toString();
        const address = /listening on (\S+)/.exec(told)?.[1];
        if (address !== undefined) resolve(`http://${address}`);
      });
      child.once('exit', () => reject(new Error(`it ended: ${told}`)));
    });
  }

  async stop(): Promise<void> {
    const child = this.#child as ChildProcess;
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    assert.equal(code, 0);
  }

  async #send(path: string, type: string, body: string): Promise<string> {
    const response = await fetch(this.#base + path, { method: 'POST', headers: { 'Content-Type': type }, body });
    const answer = await response.text();
    assert.ok(response.ok, answer);
    return answer;
  }

  async post(path: string, body: object): Promise<Answered> {
    return JSON.parse(await this.#send(path, 'application/json', JSON.stringify(body)));
  }

  async run(...words: string[]): Promise<string> {
    const { code, out, err } = await svcHere(['--db', 's.db', ...words], { cwd: this.folder });
    assert.equal(code, 0, `${words.join(' ')}: ${err}`);
    return out;
  }

  /** Shares over HTTP into the clone, and pushes it. */
  async publish(parent: string): Promise<string> {
    git(this.repository, 'pull', '-q', '--rebase', 'origin', 'main');
    const { files, share_id: id } = await this.post('/share', { parent_share: parent });
    const place = join(this.repository, this.name);
    mkdirSync(place, { recursive: true });
    for (const [file, text] of Object.entries(files as Record<string, string>)) writeFileSync(join(place, file), text);
    this.push(`${this.name} shares`);
    return id as string;
  }

  push(message: string): void {
    git(this.repository, 'add', '-A');
    git(this.repository, 'commit', '-q', '-m', message);
    git(this.repository, 'push', '-q', 'origin', 'HEAD:main');
  }

  /** Pulls, imports over HTTP what another has shared, and promotes it. */
  async takeIn(other: Peer): Promise<Answered> {
    git(this.repository, 'pull', '-q', '--rebase', 'origin', 'main');
    const text = (file: string) => readFileSync(join(this.repository, other.name, file), 'utf8');
    const staged = await this.post('/import', {
      manifest: text('manifest.json'),
      export_ntriples: text('export.nt'),
      shapes_turtle: text('shapes.ttl'),
      source: other.name,
    });
    assert.equal(staged.outcome, 'staged');
    return this.post('/import/promote', { share_id: staged.share_id });
  }

  async update(text: string): Promise<void> {
    await this.#send('/update', 'application/sparql-update', `PREFIX ex: <${EX}> ${text}`);
  }

  shareId(): string {
    return JSON.parse(readFileSync(join(this.repository, this.name, 'manifest.json'), 'utf8')).share_id;
  }

  exported(): string {
    return readFileSync(join(this.repository, this.name, 'export.nt'), 'utf8');
  }
}

test('two servers and a repository between them', { skip: hasGit ? false : 'git is not installed' }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-servers-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  git(folder, 'init', '-q', '--bare', '--initial-branch=main', 'hub.git');
  const [ann, bob] = [new Peer(join(folder, 'ann'), 'ann'), new Peer(join(folder, 'bob'), 'bob')];
  // What leaves by the command is noted, and so is a base.
  writeFileSync(join(folder, 'ann/start.ttl'), `@prefix ex: <${EX}> . ex:a ex:owner "ann" ; ex:port 80, 443 .`);
  await ann.run('knot', 'start.ttl');
  await ann.run('share', '--output', 'repo/ann');
  const first = ann.shareId();
  ann.push('ann shares');

  await Promise.all([ann.start(t), bob.start(t)]);
  assert.equal((await bob.takeIn(ann)).new_facts, 3);
  assert.equal((await bob.post('/import/promote', { share_id: first })).outcome, 'unchanged');
  // Both change while both run.
  await Promise.all([
    ann.update('INSERT DATA { ex:a ex:os "linux" }'),
    bob.update('DELETE DATA { ex:a ex:port 80 } ; INSERT DATA { ex:a ex:port 8080 }'),
  ]);
  const third = await ann.publish(first);
  assert.equal(third, ann.shareId());
  // What Bob has removed is not brought back by Ann's share.
  const again = await bob.takeIn(ann);
  assert.deepEqual([again.new_facts, again.suppressed_retractions], [1, 1]);
  await bob.publish(first);
  assert.deepEqual([ann.exported().includes('"80"'), bob.exported().includes('"80"')], [true, false]);

  await Promise.all([ann.stop(), bob.stop()]);
  git(ann.repository, 'pull', '-q', '--rebase', 'origin', 'main');
  assert.match(await ann.run('merge', 'repo/bob'), /^merged: \+1 -1 /);
  await ann.run('share', '--output', 'repo/ann');
  assert.equal(ann.exported(), bob.exported());
  assert.notEqual(ann.shareId(), bob.shareId(), 'they are of two stores');
  ann.push('ann merges');
  git(bob.repository, 'pull', '-q', '--rebase', 'origin', 'main');
  assert.equal((await bob.run('status', 'repo/ann')).split('\n')[0], 'identical');
  const { transactions } = JSON.parse(await bob.run('transactions', '--json'));
  const sources = transactions.map(({ source }: { readonly source: string | null }) => source ?? '');
  assert.deepEqual(
    sources.filter((source: string) => /^(import|promote|merge):/.test(source)),
    [`import:${first}`, `promote:${first}`, `import:${third}`, `promote:${third}`],
  );
});
