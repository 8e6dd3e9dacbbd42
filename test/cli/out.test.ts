/** The ending of `--out` says the form; what an export leaves out is told, and nothing at all is no success. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startTestServer } from '../http/support.js';
import { inFolder, svcHere } from './svc.js';

const E = 'http://example.org/';
const IN_GRAPH = `<${E}a> <${E}p> "1" <${E}g> .\n`;
const IN_ROOT = `<${E}r> <${E}p> "2" .\n`;

async function filled(cwd: string, quads: string): Promise<void> {
  writeFileSync(join(cwd, 'data.nq'), quads);
  assert.equal((await svcHere(['knot', 'data.nq'], { cwd })).code, 0);
}

test(
  'the ending of --out says the form of an answer',
  inFolder(async (cwd) => {
    await filled(cwd, IN_ROOT);
    const rows = 'SELECT * { ?s ?p ?o }';
    const graph = 'CONSTRUCT WHERE { ?s ?p ?o }';
    const written = async (query: string, out: string, ...words: string[]) => {
      const { code, err } = await svcHere(['read', query, '--out', out, ...words], { cwd });
      assert.deepEqual([out, code, err], [out, 0, '']);
      return readFileSync(join(cwd, out));
    };
    assert.equal((await written(rows, 'a.parquet')).subarray(0, 4).toString(), 'PAR1');
    assert.equal((await written(rows, 'a.CSV')).toString(), `s,p,o\r\n${E}r,${E}p,2\r\n`);
    assert.equal(gunzipSync(await written(rows, 'a.csv.gz')).toString(), `s,p,o\r\n${E}r,${E}p,2\r\n`);
    assert.equal((await written(graph, 'a.nt')).toString(), IN_ROOT);
    assert.ok((await written(rows, 'a.json')).toString().startsWith('{"head":'));
    assert.ok((await written(graph, 'a.json')).toString().includes('"@id"'));
    assert.ok((await written('ASK {}', 'a.xml')).toString().includes('<boolean>true</boolean>'));
    assert.ok((await written(graph, 'a.xml')).toString().includes('rdf:RDF'));
    assert.ok((await written(rows, 'a.txt')).toString().endsWith('1 results\n'));
    assert.ok((await written(rows, 'plain')).toString().endsWith('1 results\n'));
    assert.ok((await written(rows, 'a.data', '--format', 'csv')).toString().startsWith('s,p,o'));
    assert.equal(JSON.parse((await written(rows, 'body.json', '--json')).toString()).count, 1);
  }),
);

test(
  'an ending that --format contradicts, or that no form has, writes nothing',
  inFolder(async (cwd) => {
    await filled(cwd, IN_ROOT);
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [
        ['read', 'ASK {}', '--format', 'csv', '--out', 'a.json'],
        /--format csv and --out a\.json \(json or jsonld\) differ/,
      ],
      [['export', '--format', 'turtle', '--out', 'a.nq.gz'], /--format turtle and --out a\.nq\.gz \(nquads\) differ/],
      [['export', '--out', 'a.xlsx'], /--out a\.xlsx: no form of this answer has the ending \.xlsx\n {2}hint: .*\.nq/],
      [['read', 'ASK {}', '--out', 'a.docx'], /the ending \.docx\n {2}hint: .*\.parquet/],
      [['export', '--json', '--out', 'a.ttl'], /--json writes JSON, and --out a\.ttl names turtle/],
    ];
    for (const [words, message] of cases) {
      const { code, out, err } = await svcHere(words, { cwd });
      assert.deepEqual([words, code, out], [words, 2, '']);
      assert.match(err, message);
      assert.ok(!existsSync(join(cwd, words.at(-1) as string)));
    }
  }),
);

test(
  'exports write every graph where the format can, and say what they leave out where it can not',
  inFolder(async (cwd) => {
    await filled(cwd, IN_GRAPH + IN_ROOT);
    const all = await svcHere(['export', '--out', 'all.nq'], { cwd });
    assert.deepEqual([all.code, all.err], [0, '']);
    assert.equal(readFileSync(join(cwd, 'all.nq'), 'utf8'), IN_GRAPH + IN_ROOT);
    await svcHere(['export', '--out', 'all.trig.zst'], { cwd });
    await svcHere(['knot', 'all.trig.zst', '--db', 'copy.db'], { cwd });
    assert.equal((await svcHere(['export', '--db', 'copy.db', '--format', 'nquads'], { cwd })).out, IN_GRAPH + IN_ROOT);
    const root = await svcHere(['export', '--out', 'root.nt'], { cwd });
    assert.equal(readFileSync(join(cwd, 'root.nt'), 'utf8'), IN_ROOT);
    assert.equal(root.code, 0);
    assert.equal(
      root.err,
      `left out: named graphs <${E}g> (1)\n  hint: with --format nquads or trig every graph is written, with --graph <iri> one\n`,
    );
    assert.equal((await svcHere(['export', '--graph', `${E}g`], { cwd })).err, '');
  }),
);

test(
  'an export of nothing fails, unless it is allowed',
  inFolder(async (cwd) => {
    await filled(cwd, IN_GRAPH);
    const nothing = await svcHere(['export', '--out', 'x.ttl'], { cwd });
    assert.deepEqual([nothing.code, nothing.out, existsSync(join(cwd, 'x.ttl'))], [1, '', false]);
    assert.match(
      nothing.err,
      /^error: nothing to export: ROOT holds no facts; named graphs: <http:\/\/example\.org\/g> \(1\)\n/,
    );
    assert.match(nothing.err, /hint: .*--format nquads.*--graph <iri>.*--allow-empty/);
    for (const scope of [
      ['--group-id', 'none'],
      ['--construct', 'CONSTRUCT WHERE { <a:a> ?p ?o }'],
    ]) {
      const { code, err } = await svcHere(['export', ...scope], { cwd });
      assert.equal(code, 1);
      assert.match(err, /^error: nothing to export: .*\n {2}hint: --allow-empty/);
    }
    const allowed = await svcHere(['export', '--out', 'x.nt', '--allow-empty'], { cwd });
    assert.deepEqual([allowed.code, readFileSync(join(cwd, 'x.nt'), 'utf8')], [0, '']);
  }),
);

test('of a server too', async (t) => {
  const server = await startTestServer(t);
  const { folder: cwd, base } = server;
  await svcHere(['update', `INSERT DATA { GRAPH <${E}g> { <${E}a> <${E}p> "1" } }`, '--url', base], { cwd });
  const nothing = await svcHere(['export', '--out', 'x.ttl', '--url', base], { cwd });
  assert.deepEqual([nothing.code, existsSync(join(cwd, 'x.ttl'))], [1, false]);
  assert.match(nothing.err, /nothing to export: ROOT holds no facts; named graphs: <http:\/\/example\.org\/g> \(1\)/);
  assert.equal((await svcHere(['export', '--allow-empty', '--url', base], { cwd })).code, 0);
  const query = 'CONSTRUCT { ?s ?p ?o } { GRAPH ?g { ?s ?p ?o } }';
  assert.equal((await svcHere(['read', query, '--out', 'x.json', '--url', base], { cwd })).code, 0);
  assert.ok(readFileSync(join(cwd, 'x.json'), 'utf8').includes('"@id"'));
  const counted = await svcHere(['read', 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }', '--url', base], { cwd });
  assert.match(
    counted.err,
    /^ROOT, which the query reads, holds no facts; named graphs: <http:\/\/example\.org\/g> \(1\)\n/,
  );
});
