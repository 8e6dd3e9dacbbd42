/** `svc share`: directories and archives, what stays unchanged, parents, the identifier policy with its exits, signatures. */
import assert from 'node:assert/strict';
import { createReadStream, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkShareSignature } from '../../engine/governance/share-signatures.js';
import { readArchive } from '../../engine/share/archive.js';
import { parseSignature } from '../../engine/share/bundle.js';
import { exportedShare } from '../../engine/share/exported-shares.js';
import { parseManifest } from '../../engine/share/manifest.js';
import { openStore } from '../../interfaces/library/index.js';
import { inFolder, svcHere } from '../cli/svc.js';
import { EX } from './support.js';

const BLOCK = { id: 'internal', tier: 'block', match: 'regex', pattern: '\\b[a-z0-9-]+\\.internal\\b' };
const policyOf = (...entries: readonly object[]) => JSON.stringify({ version: 1, entries });

/** A folder with a store, a policy beside it, and the command in it. */
function prepared(work: (folder: string, run: (...words: string[]) => Promise<Ran>) => Promise<void>) {
  return inFolder(async (folder) => {
    const run = (...words: string[]) => svcHere(['--db', 's.db', ...words], { cwd: folder });
    writeFileSync(join(folder, 'identifier-policy.json'), policyOf(BLOCK));
    writeFileSync(join(folder, 'a.ttl'), `<${EX}a> <${EX}p> 1, _:x .`);
    await run('knot', 'a.ttl');
    await work(folder, run);
  })();
}

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const filesIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

test('a directory: files, byte-stable repetition, and a parent with every change', async () => {
  await prepared(async (folder, run) => {
    const first = await run('share', '--output', 'out');
    assert.equal(first.code, 0, first.err);
    const out = join(folder, 'out');
    const files = filesIn(out);
    assert.deepEqual(Object.keys(files).sort(), ['export.nt', 'manifest.json', 'shapes.ttl']);
    const manifest = parseManifest(files['manifest.json'] as string);
    assert.equal(first.out, `shared 2 triples -> out\nshare id: ${manifest.share_id}\n`);
    const { ino, mtimeMs } = statSync(join(out, 'export.nt'));
    const again = await run('share', '--output', 'out');
    assert.deepEqual([again.code, again.out], [0, `unchanged\nshare id: ${manifest.share_id}\n`]);
    const after = statSync(join(out, 'export.nt'));
    assert.deepEqual([after.ino, after.mtimeMs], [ino, mtimeMs], 'nothing was rewritten');
    await run('set', `${EX}a`, `${EX}q`, '{"str": "new"}');
    const second = await run('share', '--output', 'out', '--json');
    const body = JSON.parse(second.out) as { unchanged: boolean; share_id: string };
    const child = parseManifest(readFileSync(join(out, 'manifest.json'), 'utf8'));
    assert.deepEqual([body.unchanged, body.share_id], [false, child.share_id]);
    assert.equal(child.lineage.parent_share, manifest.share_id);
    assert.equal((await run('share', '--output', 'out')).out.split('\n')[0], 'unchanged');
    assert.deepEqual(readdirSync(out).sort(), ['export.nt', 'manifest.json', 'shapes.ttl'], 'no draft is left');
    writeFileSync(join(out, 'export.nt'), 'damaged');
    assert.match((await run('share', '--output', 'out')).out, /^shared 3 triples/);
    assert.equal(
      parseManifest(readFileSync(join(out, 'manifest.json'), 'utf8')).share_id,
      child.share_id,
      'it was mended',
    );
    const parent = `sha256:${'0'.repeat(64)}`;
    await run('share', '--output', 'out', '--parent', parent);
    assert.equal(parseManifest(readFileSync(join(out, 'manifest.json'), 'utf8')).lineage.parent_share, parent);
  });
});

test('another scope in the same place has no parent there, and a person is told', async () => {
  await prepared(async (folder, run) => {
    await run('share', '--output', 'out');
    const text = `CONSTRUCT WHERE { ?s <${EX}p> ?o }`;
    const other = await run('share', '--output', 'out', '--construct', text, '--turtle-view');
    assert.match(other.err, /held no share of this store and scope/);
    const files = filesIn(join(folder, 'out'));
    const manifest = parseManifest(files['manifest.json'] as string);
    assert.deepEqual([manifest.scope, manifest.lineage.parent_share], [{ kind: 'construct', value: text }, null]);
    assert.match(files['view.ttl'] as string, /_:c14n0/);
    await run('share', '--output', 'out');
    assert.ok(!existsSync(join(folder, 'out', 'view.ttl')), 'a view of another share does not stay');
  });
});

test('an archive holds the same share, and the same bytes when it is made anew', async () => {
  await prepared(async (folder, run) => {
    await run('share', '--output', 'out');
    const path = join(folder, 'x.qpack.tar.gz');
    assert.equal((await run('share', '--output', path)).code, 0);
    const bytes = readFileSync(path);
    const bundle = await readArchive(createReadStream(path));
    assert.equal(bundle.manifestText, filesIn(join(folder, 'out'))['manifest.json']);
    assert.equal((await run('share', '--output', path)).out.split('\n')[0], 'unchanged');
    rmSync(path);
    await run('share', '--output', path);
    assert.deepEqual(readFileSync(path), bytes);
  });
});

test('R49: the command notes what was shared, once; what was as of then is told by the history', async () => {
  await prepared(async (folder, run) => {
    const { share_id, tx_id } = JSON.parse((await run('share', '--output', 'out', '--json')).out);
    assert.equal(tx_id, 2);
    assert.equal(JSON.parse((await run('share', '--output', 'out', '--json')).out).tx_id, 0);
    const store = await openStore(join(folder, 's.db'), { readOnly: true });
    const snapshot = store.snapshot();
    const row = exportedShare(snapshot.storage, share_id);
    assert.deepEqual(row, { name: share_id.slice(7), scope: { kind: 'root', value: null }, tx: 1, parent: null });
    snapshot.close();
    await store.close();
  });
});

test('EX-5.11: a match of an entry that blocks exits 1, none exits 0, no catalogue or none that blocks exits 2', async () => {
  await prepared(async (folder, run) => {
    const policy = join(folder, 'identifier-policy.json');
    const share = () => run('share', '--output', 'out', '--no-shapes');
    await run('set', `${EX}a`, `${EX}q`, '{"str": "db1.example"}');
    assert.equal((await share()).code, 0);
    rmSync(join(folder, 'out'), { recursive: true });
    await run('set', `${EX}a`, `${EX}q`, '{"str": "host db1.internal"}');
    const blocked = await share();
    assert.equal(blocked.code, 1);
    assert.match(
      blocked.err,
      /blocks the share: 1 match\n {2}internal: export.nt line 3, SHA-256 of the match [0-9a-f]{64}\n/,
    );
    assert.ok(!blocked.err.includes('db1'), 'the match itself is never told');
    assert.ok(!existsSync(join(folder, 'out')));
    for (const text of [
      policyOf({ ...BLOCK, tier: 'warn' }),
      policyOf(),
      '{',
      '[]',
      policyOf(BLOCK, BLOCK),
      policyOf({ ...BLOCK, pattern: '(' }),
    ]) {
      writeFileSync(policy, text);
      const refused = await share();
      assert.equal(refused.code, 2, text);
      assert.ok(!existsSync(join(folder, 'out')), text);
    }
    rmSync(policy);
    assert.equal((await share()).code, 2);
    writeFileSync(
      join(folder, 'other.json'),
      policyOf({ ...BLOCK, pattern: 'nothing' }, { ...BLOCK, id: 'w', tier: 'warn' }),
    );
    const warned = await run('share', '--output', 'out', '--identifier-policy', 'other.json');
    assert.equal(warned.code, 0);
    assert.equal(warned.err, 'identifier policy: w matches 1 text (tier warn)\n');
    assert.equal((await run('share', '--output', 'out', '--identifier-policy', 'absent.json')).code, 2);
  });
});

test('every text is looked at: IRIs, datatypes, shapes and their names, the text of a construct; labels of blank nodes are not', async () => {
  await prepared(async (folder, run) => {
    const name = join(folder, 'p.json');
    const blockedBy = async (entry: object, ...words: string[]) => {
      writeFileSync(name, policyOf({ ...BLOCK, ...entry }));
      const { code, err } = await run('share', '--output', 'out', '--identifier-policy', name, ...words);
      return code === 0 ? null : (/internal: (.*), SHA/.exec(err)?.[1] ?? err);
    };
    writeFileSync(
      join(folder, 'b.nt'),
      `<urn:corp:x> <urn:corp:p> "v"^^<urn:dt:secret> .\n<urn:corp:x> <urn:p> _:hidden .\n`,
    );
    await run('knot', 'b.nt', '--blank-node-scope', 'store');
    writeFileSync(
      join(folder, 's.ttl'),
      '@prefix sh: <http://www.w3.org/ns/shacl#> .\n@prefix c: <urn:c:> .\nc:deep a sh:NodeShape .\n# codename\n',
    );
    await run('shapes', 'load', 'secret-set', 's.ttl');
    const literal = (pattern: string) => ({ match: 'literal', pattern });
    const prefix = (pattern: string) => ({ match: 'iri_prefix', pattern });
    assert.match((await blockedBy(literal('CORP:X'))) as string, /^export.nt line \d$/);
    assert.match((await blockedBy(prefix('urn:corp:'))) as string, /^export.nt line/);
    assert.match((await blockedBy(prefix('urn:dt:'))) as string, /^export.nt line/);
    assert.equal(await blockedBy(literal('codename')), 'shapes.ttl line 5');
    assert.equal(await blockedBy(prefix('urn:c:deep')), 'shapes.ttl line 4');
    assert.equal(await blockedBy(literal('secret-set')), 'shapes.ttl line 1');
    const construct = ['--construct', `CONSTRUCT WHERE { ?s <${EX}p> ?o } # nickname`, '--no-shapes'];
    assert.equal(await blockedBy(literal('nickname'), ...construct), 'manifest.json');
    assert.equal(await blockedBy(literal('hidden')), null);
    assert.equal(await blockedBy(prefix('v')), null, 'a prefix is tried on IRIs alone');
  });
});

test('an expression that never ends is stopped, and nothing is shared', { timeout: 60_000 }, async () => {
  await prepared(async (folder, run) => {
    writeFileSync(join(folder, 'p.json'), policyOf({ ...BLOCK, pattern: '^(a+)+$' }));
    await run('set', `${EX}a`, `${EX}q`, JSON.stringify({ str: `${'a'.repeat(50)}!` }));
    const stopped = await run('share', '--output', 'out', '--identifier-policy', 'p.json');
    assert.equal(stopped.code, 2);
    assert.match(stopped.err, /takes more than 5000 ms/);
  });
});

test('--sign leaves a signature beside the manifest and in the archive, in no hash; a later share without it takes it away', async () => {
  await prepared(async (folder, run) => {
    writeFileSync(join(folder, 'c.toml'), '[svc.signing]\nkey_path = "k.pem"\nverifier = "urn:example:signer"\n');
    const plain = await run('share', '--output', 'plain');
    assert.match((await run('share', '--output', 'out', '--sign')).err, /there is no signing key/);
    const signed = await run('--config', 'c.toml', 'share', '--output', 'out', '--sign');
    assert.equal(signed.code, 0, signed.err);
    assert.equal(signed.err, 'signed by urn:example:signer\n');
    assert.equal(signed.out.split('\n')[1], plain.out.split('\n')[1]);
    const id = (/sha256:[0-9a-f]+/.exec(signed.out) as RegExpExecArray)[0];
    const text = readFileSync(join(folder, 'out', 'signature.json'), 'utf8');
    assert.equal(checkShareSignature(id, parseSignature(text), []).valid, true);
    assert.equal(statSync(join(folder, 'k.pem')).mode & 0o777, 0o600);
    await run('--config', 'c.toml', 'share', '--output', 'x.qpack.tar.gz', '--sign');
    const { signature } = await readArchive(createReadStream(join(folder, 'x.qpack.tar.gz')));
    assert.deepEqual(signature, parseSignature(text));
    await run('share', '--output', 'out');
    assert.ok(existsSync(join(folder, 'out', 'signature.json')), 'an unchanged share keeps it');
    await run('set', `${EX}a`, `${EX}q`, '{"str": "new"}');
    await run('share', '--output', 'out');
    assert.ok(!existsSync(join(folder, 'out', 'signature.json')));
  });
});
