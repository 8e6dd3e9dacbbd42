/** The command `read`: graphs, binary answers, and forms that do not fit. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { runCli } from '../../interfaces/cli/run.js';
import { inFolder, svcHere } from './svc.js';

const EX = 'http://example.org/';
const DATA = `@prefix : <${EX}> . :a :age 30 ; :name "Ann"@en ; :home [ :city "Ulm" ] . :b :age 4 .`;

async function filled(cwd: string): Promise<void> {
  writeFileSync(join(cwd, 'data.ttl'), DATA);
  assert.equal((await svcHere(['knot', 'data.ttl'], { cwd })).code, 0);
}

test(
  'CONSTRUCT and DESCRIBE: lines and a count, documents, the JSON body',
  inFolder(async (cwd) => {
    await filled(cwd);
    const query = `CONSTRUCT { ?s <${EX}years> ?n } WHERE { ?s <${EX}age> ?n } ORDER BY ?n`;
    const plain = await svcHere(['read', query], { cwd });
    assert.deepEqual(
      [plain.code, plain.out, plain.err],
      [0, `${EX}b\t${EX}years\t4\n${EX}a\t${EX}years\t30\n\n2 triples\n`, ''],
    );
    const lines = await svcHere(['read', `${query} LIMIT 1`, '--format', 'ntriples'], { cwd });
    assert.equal(lines.out, `<${EX}b> <${EX}years> "4"^^<http://www.w3.org/2001/XMLSchema#integer> .\n`);
    const turtle = await svcHere(['read', `DESCRIBE <${EX}a>`, '--format', 'turtle'], { cwd });
    assert.match(turtle.out, /<http:\/\/example.org\/a> .*"Ann"@en/s);
    assert.match(turtle.out, /_:d[0-9a-f]{16}\S* <http:\/\/example.org\/city> "Ulm"/);
    const body = await svcHere(['read', `${query} LIMIT 1`, '--json'], { cwd });
    assert.deepEqual(JSON.parse(body.out), {
      triples: [{ subject: `${EX}b`, predicate: `${EX}years`, object: 4 }],
      count: 1,
      truncated: false,
      labels: null,
    });
  }),
);

test(
  'binary answers go to files and pipes',
  inFolder(async (cwd) => {
    await filled(cwd);
    const query = `SELECT ?s ?n WHERE { ?s <${EX}age> ?n } ORDER BY ?n`;
    for (const format of ['arrow', 'parquet']) {
      const written = await svcHere(['read', query, '--format', format, '--out', `answer.${format}`], { cwd });
      assert.deepEqual([written.code, written.out, written.err], [0, '', '']);
    }
    const arrow = tableFromIPC(readFileSync(join(cwd, 'answer.arrow')));
    assert.deepEqual([...(arrow.getChild('n_value') ?? [])], [4n, 30n]);
    const bytes = readFileSync(join(cwd, 'answer.parquet'));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    assert.deepEqual(
      (await parquetReadObjects({ file })).map(({ s }) => s),
      [`${EX}b`, `${EX}a`],
    );
    const piped = await svcHere(['read', query, '--format', 'parquet'], { cwd });
    assert.equal(piped.code, 0);
    assert.ok(piped.out.startsWith('PAR1') && piped.out.endsWith('PAR1'));
  }),
);

test(
  'a binary answer is not sent to a terminal',
  inFolder(async (cwd) => {
    await filled(cwd);
    let [out, err] = ['', ''];
    const sink = (take: (text: string) => void): Writable =>
      new Writable({
        write(chunk: Buffer, _, done) {
          take(chunk.toString());
          done();
        },
      });
    const stdout = Object.assign(
      sink((text) => {
        out += text;
      }),
      { isTTY: true },
    );
    const stderr = sink((text) => {
      err += text;
    });
    const run = (...words: string[]): Promise<number> =>
      runCli(
        ['read', 'SELECT * { ?s ?p ?o }', '--db', join(cwd, '.svc/svc.db'), ...words],
        { stdin: (async function* () {})(), stdout, stderr, terminal: false, columns: 80 },
        new AbortController().signal,
      );
    assert.equal(await run('--format', 'arrow'), 2);
    assert.equal(out, '');
    assert.match(err, /--format arrow is binary, and standard output is a terminal\n {2}hint: name a file with --out/);
    assert.equal(await run('--format', 'arrow', '--out', join(cwd, 'answer.arrow')), 0);
    assert.equal(await run('--format', 'csv'), 0);
    assert.match(out, /^s,p,o\r\n/);
  }),
);

test(
  'a form that does not fit the answer is refused with those that do',
  inFolder(async (cwd) => {
    await filled(cwd);
    const graph = await svcHere(['read', 'DESCRIBE <urn:x>', '--format', 'csv', '--out', 'x.csv'], { cwd });
    assert.equal(graph.code, 1);
    assert.equal(
      graph.err,
      'error: CSV does not fit: the answer of CONSTRUCT and DESCRIBE is a graph\n' +
        '  hint: ask for one of table, turtle, trig, ntriples, nquads, jsonld, rdfxml\n',
    );
    const rows = await svcHere(['read', 'SELECT * {}', '--format', 'turtle'], { cwd });
    assert.deepEqual([rows.code, rows.out], [1, '']);
    assert.match(rows.err, /Turtle does not fit: the answer of SELECT is rows/);
    const unknown = await svcHere(['read', 'SELECT * {}', '--format', 'yaml'], { cwd });
    assert.deepEqual([unknown.code, unknown.out], [1, '']);
    assert.match(unknown.err, /--format is yaml; expected one of table, json, xml, csv, tsv, arrow, parquet, turtle/);
  }),
);

test(
  'where an answer cannot be written, and the body of a request as a file',
  inFolder(async (cwd) => {
    await filled(cwd);
    const query = 'SELECT ?s { ?s ?p ?o }';
    const nowhere = await svcHere(['read', query, '--format', 'csv', '--out', 'no/such/answer.csv'], { cwd });
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.err, /^error: no\/such\/answer\.csv: there is no folder no\/such\n/);
    const folder = await svcHere(['read', query, '--format', 'csv', '--out', '.svc'], { cwd });
    assert.match(folder.err, /^error: \.svc is a folder\n/);
    const body = await svcHere(['read', query, '--json', '--out', 'body.json'], { cwd });
    assert.equal(body.out, '');
    assert.equal(JSON.parse(readFileSync(join(cwd, 'body.json'), 'utf8')).count, 5);
    const empty = await svcHere(['read', ''], { cwd });
    assert.match(empty.err, /^error: sparql is ""; expected a string that is not empty\n/);
    const missing = await svcHere(['read', '--file', 'missing.rq'], { cwd });
    assert.match(missing.err, /^error: missing\.rq: there is no such file\n/);
  }),
);

test(
  'an output that takes nothing more is a failure with a reason',
  inFolder(async (cwd) => {
    await filled(cwd);
    const full = new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
      },
    });
    let told = '';
    const errors = new Writable({
      write(chunk, _encoding, done) {
        told += String(chunk);
        done();
      },
    });
    const code = await runCli(
      ['read', 'SELECT * { ?s ?p ?o . ?a ?b ?c . ?d ?e ?f }', '--db', join(cwd, '.svc/svc.db')],
      { stdin: (async function* () {})(), stdout: full, stderr: errors, terminal: false, columns: 80 },
      new AbortController().signal,
    );
    assert.equal(code, 1);
    assert.match(told, /^error: standard output: the disk is full\n/);
  }),
);
