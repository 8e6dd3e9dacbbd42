/** The command over a store file: what each command prints, and what bad input gets. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { WriterLock } from '../../engine/storage/lmdb/writer-lock.js';
import { inFolder, type Outcome, SVC, svcHere } from './svc.js';

const EX = 'http://example.org/';

function triples(count: number, name = 's'): string {
  let text = '';
  for (let at = 0; at < count; at++) text += `<${EX}${name}${at}> <${EX}p> "${at}" .\n`;
  return text;
}

async function facts(cwd: string): Promise<number> {
  const { out } = await svcHere(['stats', '--json'], { cwd });
  return (JSON.parse(out) as { facts: number }).facts;
}

const NOTHING_NEW = '0 new facts; the others were there already, or more than once\n';

function done(outcome: Outcome, out: string, err = ''): void {
  assert.deepEqual(outcome, { code: 0, signal: null, out, err });
}

test(
  'knot, read, stats, export, verify: the lines as they are promised',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'data.ttl'), `@prefix : <${EX}> . :a :age 30 ; :name "Ann", "Anne"@fr ; :knows :b .`);
    done(await svcHere(['knot', 'data.ttl'], { cwd }), 'knotted 4 facts from data.ttl (tx 1)\n');
    assert.ok(existsSync(join(cwd, '.svc/svc.db')));
    done(await svcHere(['load', 'data.ttl'], { cwd }), 'knotted 4 facts from data.ttl (tx 2)\n', NOTHING_NEW);
    const select = await svcHere(['read', `SELECT ?p ?o ?none WHERE { <${EX}a> ?p ?o } ORDER BY ?p ?o`], { cwd });
    const rule = '-'.repeat(60);
    const rows = [
      `${EX}age\t30\t(unbound)`,
      `${EX}knows\t${EX}b\t(unbound)`,
      `${EX}name\t"Ann"\t(unbound)`,
      `${EX}name\t"Anne"@fr\t(unbound)`,
    ];
    done(select, `p\to\tnone\n${rule}\n${rows.join('\n')}\n\n4 results\n`);
    done(await svcHere(['query', `ASK { <${EX}a> <${EX}age> 30 }`], { cwd }), 'true\n');
    done(await svcHere(['read', 'ASK { ?s ?p 31 }'], { cwd }), 'false\n');
    done(await svcHere(['stats'], { cwd }), 'store: .svc/svc.db\nfacts (current): 4\nentities: 1\npredicates: 3\n');
    const exported = await svcHere(['export'], { cwd });
    assert.equal(exported.code, 0);
    assert.equal(exported.out.split('\n').length, 5);
    assert.match((await svcHere(['verify'], { cwd })).out, /^ok: \d+ blocks, \d+ rows, \d+ terms checked\n$/);
  }),
);

test(
  'answers as JSON and in the standard formats; queries from a file and from standard input',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'data.nt'), triples(3));
    const knot = JSON.parse((await svcHere(['knot', 'data.nt', '--json', '--timestamp', '2026-01-01'], { cwd })).out);
    assert.deepEqual(knot, {
      conforms: true,
      tx_id: 1,
      count: 3,
      new_facts: 3,
      valid_from: '2026-01-01T00:00:00Z',
      snapshot: null,
      replaced: false,
      violations: [],
      warnings: [],
      infos: [],
    });
    const query = `SELECT ?s WHERE { ?s <${EX}p> "1" }`;
    writeFileSync(join(cwd, 'q.rq'), query);
    const body = await svcHere(['read', '--file', 'q.rq', '--json'], { cwd });
    assert.deepEqual(JSON.parse(body.out), {
      variables: ['s'],
      rows: [{ s: `${EX}s1` }],
      count: 1,
      truncated: false,
      labels: null,
    });
    const standard = await svcHere(['read', '-', '--format', 'json'], { cwd, input: query });
    assert.deepEqual(JSON.parse(standard.out).results.bindings, [{ s: { type: 'uri', value: `${EX}s1` } }]);
    done(await svcHere(['read', query, '--format=csv'], { cwd }), `s\r\n${EX}s1\r\n`);
    done(await svcHere(['read', query, '--format=tsv'], { cwd }), `?s\n<${EX}s1>\n`);
    done(await svcHere(['read', query, '--tx', '0', '--format', 'csv'], { cwd }), 's\r\n');
    done(await svcHere(['read', query, '--valid-at', '2025-12-31', '--format', 'csv'], { cwd }), 's\r\n');
    done(await svcHere(['read', query, '--format', 'csv', '--out', 'answer.csv'], { cwd }), '');
    assert.equal(readFileSync(join(cwd, 'answer.csv'), 'utf8'), `s\r\n${EX}s1\r\n`);
    const failed = await svcHere(['read', 'SELECT * {', '--json'], { cwd });
    assert.deepEqual([failed.code, failed.out], [1, '']);
    assert.match(failed.err, /^query error: /);
    assert.equal((await svcHere(['read', '--file', 'none.rq'], { cwd })).code, 1);
  }),
);

test(
  'formats, compression, standard input, graphs, unknown extensions',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'a.nt.gz'), gzipSync(triples(2)));
    writeFileSync(join(cwd, 'strange.data'), `<${EX}t> <${EX}p> 1 .`);
    writeFileSync(join(cwd, 'b.bin'), `<${EX}t> <${EX}q> <${EX}o> <${EX}g> .\n`);
    done(await svcHere(['knot', 'a.nt.gz'], { cwd }), 'knotted 2 facts from a.nt.gz (tx 1)\n');
    done(await svcHere(['knot', 'strange.data'], { cwd }), 'knotted 1 facts from strange.data (tx 2)\n');
    done(await svcHere(['knot', 'b.bin', '--format', 'nquads'], { cwd }), 'knotted 1 facts from b.bin (tx 3)\n');
    const piping = ['knot', '-', '--format', 'nt', '--graph', `${EX}h`];
    const typo = await svcHere(piping, { cwd, input: triples(3) });
    assert.deepEqual(
      [typo.code, typo.out, typo.err.split('\n')[0]],
      [1, '', `error: unknown graph: ${EX}h — create and register it first via graph_create`],
    );
    done(await svcHere(['update', `CREATE GRAPH <${EX}h>`], { cwd }), `graphs made or dropped: ${EX}h (tx 4)\n`);
    const piped = await svcHere(piping, { cwd, input: triples(3) });
    done(piped, 'knotted 3 facts from standard input (tx 5)\n');
    done(await svcHere(['export', '--graph', `${EX}g`], { cwd }), `<${EX}t> <${EX}q> <${EX}o> .\n`);
    assert.equal((await svcHere(['export', '--format', 'nquads'], { cwd })).out.split('\n').length, 8);
    done(await svcHere(['export', '--format', 'trig', '--out', 'all.trig.gz'], { cwd }), '');
    done(
      await svcHere(['knot', 'all.trig.gz', '--db', 'copy.db', '--blank-node-scope', 'store'], { cwd }),
      'knotted 7 facts from all.trig.gz (tx 1)\n',
    );
    const [one, two] = [
      await svcHere(['export', '--format', 'nquads'], { cwd }),
      await svcHere(['export', '--format', 'nquads', '--db', 'copy.db'], { cwd }),
    ];
    assert.equal(one.out, two.out);
    const unknown = await svcHere(['export', '--graph', `${EX}none`], { cwd });
    assert.deepEqual([unknown.code, unknown.out], [1, '']);
    assert.match(unknown.err, /^error: unknown graph: http:\/\/example.org\/none\n/);
  }),
);

test(
  'a directory; several files all or nothing; --each goes on',
  inFolder(async (cwd) => {
    mkdirSync(join(cwd, 'd/sub'), { recursive: true });
    writeFileSync(join(cwd, 'd/a.nt'), triples(2, 'a'));
    writeFileSync(join(cwd, 'd/sub/b.ttl'), triples(3, 'b'));
    writeFileSync(join(cwd, 'd/notes.txt'), 'x');
    const directory = await svcHere(['knot', 'd'], { cwd });
    assert.deepEqual(
      [directory.code, directory.out, directory.err],
      [0, 'knotted 5 facts from d (tx 1)\n', 'skipped d/notes.txt: unknown extension\n'],
    );
    writeFileSync(join(cwd, 'good.nt'), triples(4, 'good'));
    writeFileSync(join(cwd, 'bad.nt'), `${triples(1, 'bad')}this is wrong\n`);
    const together = await svcHere(['knot', 'good.nt', 'bad.nt'], { cwd });
    assert.deepEqual([together.code, together.out], [1, '']);
    assert.match(together.err, /^error: bad\.nt:2:\d+: .*\n {2}this is wrong\n/);
    assert.equal(await facts(cwd), 5);
    const each = await svcHere(['knot', '--each', 'bad.nt', 'good.nt'], { cwd });
    assert.deepEqual([each.code, each.out], [1, 'knotted 4 facts from good.nt (tx 2)\n']);
    assert.match(each.err, /^error: bad\.nt:2:/);
    assert.equal(await facts(cwd), 9);
    done(await svcHere(['knot', 'good.nt', 'd/a.nt'], { cwd }), 'knotted 6 facts from 2 files (tx 3)\n', NOTHING_NEW);
    const missing = await svcHere(['knot', 'good.nt', 'none.nt'], { cwd });
    assert.deepEqual([missing.code, missing.err], [1, 'error: none.nt: no such file or directory\n']);
  }),
);

test(
  'no store, a file that is no store, a folder in its place',
  inFolder(async (cwd) => {
    for (const words of [['stats'], ['read', 'ASK {}'], ['export'], ['verify']]) {
      const { code, out, err } = await svcHere(words, { cwd });
      assert.deepEqual([words, code, out], [words, 1, '']);
      assert.match(err, /^error: .*\.svc\/svc\.db/);
      assert.ok(!existsSync(join(cwd, '.svc')), 'a reading command made a store');
    }
    writeFileSync(join(cwd, 'text.db'), 'this is no store '.repeat(1000));
    writeFileSync(join(cwd, 'a.nt'), triples(1));
    for (const words of [['stats'], ['knot', 'a.nt']]) {
      const { code, err } = await svcHere([...words, '--db', 'text.db'], { cwd });
      assert.equal(code, 1);
      assert.match(err, /^error: .*text\.db/);
    }
    assert.equal(readFileSync(join(cwd, 'text.db'), 'utf8'), 'this is no store '.repeat(1000));
    mkdirSync(join(cwd, 'folder'));
    const folder = await svcHere(['knot', 'a.nt', '--db', 'folder'], { cwd });
    assert.equal(folder.code, 1);
    assert.match(folder.err, /^error: .*folder/);
  }),
);

test(
  'Ctrl-C half way: exit 130, the store as it was',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'first.nt'), triples(5));
    await svcHere(['knot', 'first.nt'], { cwd });
    // Standard input stays open, so that the load can't end by itself.
    const child = spawn(process.execPath, [SVC, 'knot', '-', '--format', 'ntriples', '--progress', 'json'], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd },
    });
    let err = '';
    let interrupted = false;
    const feed = setInterval(() => child.stdin.write(triples(20_000, `x${Date.now()}-`)), 20);
    child.stdin.on('error', () => clearInterval(feed));
    child.stderr.on('data', (piece: Buffer) => {
      err += piece.toString();
      if (interrupted || !err.includes('"event":"progress"')) return;
      interrupted = true;
      child.kill('SIGINT');
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    clearInterval(feed);
    assert.equal(code, 130, err.slice(-500));
    assert.match(err, /error: .*cancelled\n/);
    assert.equal(await facts(cwd), 5);
    assert.equal((await svcHere(['verify'], { cwd })).code, 0);
  }),
);

test(
  'a reader that goes away ends the command quietly',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'many.nt'), triples(50_000));
    await svcHere(['knot', 'many.nt'], { cwd });
    const child = spawn(process.execPath, [SVC, 'export'], { cwd, env: { PATH: process.env.PATH, HOME: cwd } });
    let err = '';
    child.stderr.on('data', (piece: Buffer) => {
      err += piece.toString();
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('close', resolve));
    assert.deepEqual([code, err], [141, '']);
  }),
);

test(
  'a slow reader is waited for, and input that is not asked for is left alone',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'many.nt'), triples(50_000));
    await svcHere(['knot', 'many.nt'], { cwd });
    const command = '"$NODE" "$SVC" export | (sleep 1; cmp - <("$NODE" "$SVC" export)) && echo same';
    const environment = { PATH: process.env.PATH, HOME: cwd, NODE: process.execPath, SVC };
    const { stdout, stderr } = spawnSync('bash', ['-c', command], { cwd, env: environment, encoding: 'utf8' });
    assert.deepEqual([stdout, stderr], ['same\n', '']);
  }),
);

test(
  'progress: lines of JSON on request, nothing where standard error is no terminal',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'many.nt'), triples(50_000));
    const quiet = await svcHere(['knot', 'many.nt'], { cwd });
    assert.equal(quiet.err, '');
    const told = await svcHere(['export', '--progress', 'json', '--out', 'all.nt'], { cwd });
    assert.equal(told.code, 0);
    for (const line of told.err.split('\n').slice(0, -1)) {
      const progress = JSON.parse(line) as { event: string; phase: string; done: number };
      assert.equal(progress.event, 'progress');
      assert.ok(progress.phase.length > 0 && progress.done >= 0);
    }
  }),
);

test(
  'project: while another process writes, what only computes runs; what is to be persisted is refused',
  inFolder(async (cwd) => {
    const missing = await svcHere(['project'], { cwd });
    assert.deepEqual([missing.code, existsSync(join(cwd, '.svc/svc.db'))], [1, false]);
    writeFileSync(join(cwd, 'data.ttl'), `@prefix : <${EX}> . :a :p :b . :b :p :c .`);
    await svcHere(['knot', 'data.ttl'], { cwd });
    const lock = WriterLock.take(join(cwd, '.svc/svc.db'));
    try {
      const computed = await svcHere(['project', '--algorithm', 'louvain', '--json'], { cwd });
      assert.equal(computed.code, 0, computed.err);
      assert.equal((JSON.parse(computed.out) as { persisted: unknown }).persisted, null);
      const refused = await svcHere(['project', '--algorithm', 'louvain', '--persist'], { cwd });
      assert.equal(refused.code, 1);
      assert.match(refused.err, new RegExp(`is being written by process ${process.pid} on `));
    } finally {
      lock.release();
    }
  }),
);
