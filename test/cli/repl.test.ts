/** `svc repl` as a person and as a pipe meet it. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { StoreHandle } from '../../interfaces/cli/repl/store-handle.js';
import { runCli } from '../../interfaces/cli/run.js';
import { openStore } from '../../interfaces/library/index.js';
import { inFolder, type Outcome, svc } from './svc.js';

const DATA = `@prefix : <http://example.org/> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
:ann a foaf:Person ; foaf:name "Ann" ; foaf:knows :bob, :cy ; :age 31 .
:bob a foaf:Person ; foaf:name "Bob"@en ; foaf:knows :cy ; :age 5 .
:cy a :Robot ; foaf:name "Cy" .
`;

function inStore(work: (cwd: string) => Promise<void>): () => Promise<void> {
  return inFolder(async (cwd) => {
    const store = await openStore(join(cwd, 'a.db'));
    await store.load({ text: DATA, format: 'turtle' });
    await store.close();
    await work(cwd);
  });
}

/** In this process, from a pipe. */
async function repl(cwd: string, input: string, ...words: string[]): Promise<Outcome> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [out, err] = [[] as Buffer[], [] as Buffer[]];
  stdout.on('data', (piece: Buffer) => out.push(piece));
  stderr.on('data', (piece: Buffer) => err.push(piece));
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr, terminal: false, columns: 80 };
  const code = await runCli(['repl', '--db', join(cwd, 'a.db'), ...words], streams, new AbortController().signal);
  await new Promise((resolve) => setImmediate(resolve));
  return { code, signal: null, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}

test(
  'a pipe: queries, declarations, updates, listings; no prompt, no colour, nothing but answers',
  inStore(async (cwd) => {
    const { code, out, err } = await svc(['repl', '--db', 'a.db'], {
      cwd,
      input: `PREFIX ex: <http://example.org/>
SELECT ?s ?name {
  ?s foaf:name ?name ;
     a foaf:Person
} ORDER BY ?name;
ASK { ex:ann foaf:knows ex:cy }

CONSTRUCT { ?s ex:n ?n } { ?s foaf:name ?n FILTER(?n = "Cy") };
INSERT DATA { ex:new foaf:name "New" } ; DELETE DATA { ex:ann ex:age 31 };
SELECT (COUNT(*) AS ?n) { ?s ?p ?o }`,
    });
    assert.deepEqual([code, err], [0, '']);
    assert.equal(
      out,
      [
        '?s      ?name',
        '------  --------',
        'ex:ann  "Ann"',
        'ex:bob  "Bob"@en',
        'true',
        'subject  predicate  object',
        '-------  ---------  ------',
        'ex:cy    ex:n       "Cy"',
        'inserted 1, deleted 1 in urn:svc:graph:root (tx 2)',
        '?n',
        '--',
        '11',
        '',
      ].join('\n'),
    );
    assert.ok(!existsSync(join(cwd, '.local')), 'a pipe keeps no history');
  }),
);

test(
  'failures in a pipe: told with their place, the rest runs, the exit code says so',
  inStore(async (cwd) => {
    const { code, out, err } = await repl(
      cwd,
      `PREFIX ex: <http://example.org/> ASK {};
PREFIX ex: <http://example.org/>
SELECT * { ?s ex:p
  ?o . ?? };
.fromat json
SELECT * { nope:x ?p ?o };
ASK { ?s ?p 5 };
`,
    );
    assert.equal(code, 1);
    assert.equal(out, 'true\ntrue\n');
    assert.match(err, /^error: input:4:8: unexpected '\?', expected '\}'\n {4}\?o \. \?\? \}\n {9}\^$/m);
    assert.match(err, /unknown command: \.fromat\n {2}hint: did you mean \.format\?/);
    assert.match(
      err,
      /^error: input:6:12: the prefix 'nope:' is not declared\n {2}SELECT \* \{ nope:x \?p \?o \}\n {13}\^\n {2}hint: /m,
    );
  }),
);

test(
  'settings of a session: formats by kind, limit, time, graph, output to a file, other files',
  inStore(async (cwd) => {
    writeFileSync(
      join(cwd, 'more.ru'),
      'INSERT DATA { GRAPH <http://e/g> { <http://e/s> <http://e/p> 1 } } ;\n\nCLEAR SILENT GRAPH <http://e/h>',
    );
    writeFileSync(join(cwd, 'two.rq'), 'ASK {};\nASK { FILTER(false) };\n');
    const { code, out, err } = await repl(
      cwd,
      `.format csv
.format ntriples
.format
SELECT ?age { ?s <http://example.org/age> ?age } ORDER BY ?age;
CONSTRUCT WHERE { <http://example.org/cy> foaf:name ?n };
.format table
.read ${join(cwd, 'two.rq')}
.read ${join(cwd, 'more.ru')}
.graph <http://e/g>
SELECT * { ?s ?p ?o };
.graph off
.tx 1
SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } };
.tx off
.limit 2
.output ${join(cwd, 'out.txt')}
SELECT ?s { ?s foaf:name ?n } ORDER BY ?s;
.output -
.output
.read ${join(cwd, 'missing.rq')}
.quit
never reached`,
    );
    assert.equal(code, 1);
    assert.match(err, /^2 rows; there are more: \.limit is 2; /m);
    assert.match(err, /missing\.rq: ENOENT/);
    assert.equal(
      out,
      [
        'rows: csv\nboolean: table\ngraph: ntriples',
        'age\r\n5\r\n31\r',
        '<http://example.org/cy> <http://xmlns.com/foaf/0.1/name> "Cy" .',
        'true\nfalse',
        'inserted 1, deleted 0 in http://e/g (tx 2)',
        '?s   ?p   ?o\n---  ---  --\ne:s  e:p  1',
        '?n\n--\n0',
        '-',
        '',
      ].join('\n'),
    );
    assert.equal(readFileSync(join(cwd, 'out.txt'), 'utf8').split('\n').length, 5);
  }),
);

test(
  'what the store holds: predicates, classes, graphs, prefixes, counts; plans and profiles',
  inStore(async (cwd) => {
    const { code, out, err } = await repl(
      cwd,
      `PREFIX ex: <http://example.org/>
.predicates
.classes
.graphs
.prefixes
.stats
.explain SELECT ?s { ?s foaf:name ?n } LIMIT 1
.profile
.explain DELETE { ?s ?p ?o } WHERE { ?s ex:age 5 ; ?p ?o }
.history`,
    );
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^quads {2}predicate\n-+ {2}-+\n3 {6}(rdf:type|foaf:name|foaf:knows)$/m);
    assert.match(out, /^2 {6}ex:age$/m);
    assert.match(out, /^members {2}class\n-+ {2}-+\n2 {8}foaf:Person\n1 {8}ex:Robot$/m);
    assert.match(out, /^11 {5}<urn:svc:graph:root>$/m);
    assert.match(out, /^ex: +<http:\/\/example\.org\/> +declared\nfoaf: +<http:\/\/xmlns\.com\/foaf\/0\.1\/> +data$/m);
    assert.match(out, /^facts \(current\): 11$/m);
    assert.match(out, /^ +estimated +cost\nslice limit 1 .*\n└─ scan \?s foaf:name \?n \[POSG\] /m);
    assert.match(out, /^ +estimated +rows +own ms +all ms +blocks +batches\nslice limit 1 +1 +1 /m);
    assert.match(out, /^└─ modify delete 1, insert 0 quads a solution/m);
    const { out: after } = await repl(cwd, 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }', '--format', 'csv');
    assert.equal(after, 'n\r\n11\r\n', 'an explanation writes nothing');
  }),
);

test(
  'a session that only reads, a store that is not there, help',
  inStore(async (cwd) => {
    const refused = await repl(cwd, 'CLEAR ALL;', '--read-only');
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(refused.err, /^error: this session only reads\n {2}hint: start it without --read-only\n$/);
    const missing = await repl(cwd, 'ASK {};', '--db', join(cwd, 'none.db'));
    assert.deepEqual([missing.code, missing.out], [1, '']);
    assert.match(missing.err, /none\.db/);
    assert.match((await repl(cwd, '', '--help')).out, /--no-history/);
    assert.match((await repl(cwd, '.help')).out, /^\.classes +list the classes/m);
    // A colon does for the dot; :at is .valid-at, and :q is .quit.
    const colons =
      ':at 2000-01-01\nASK { ?s ?p ?n };\n:at off\n:explain ASK {\n};\n:graph urn:none\n:frmat csv\n:q\nASK {};';
    const { out, err } = await repl(cwd, colons);
    assert.match(out, /^false\n[\s\S]*rows one empty solution/);
    assert.doesNotMatch(out, /true$/m);
    assert.equal(err, 'error: unknown command: :frmat\n  hint: did you mean :format?\n');
    assert.equal((await repl(cwd, 'ASK {};', '--format', 'json')).out, '{"head":{},"boolean":true}\n');
  }),
);

test(
  'another writer is not kept out by a session that waits',
  inStore(async (cwd) => {
    const handle = new StoreHandle(join(cwd, 'a.db'), false);
    const count = async (): Promise<number> => (await handle.reading()).snapshot().count();
    assert.equal(await count(), 11);
    const other = await svc(['update', 'INSERT DATA { <http://e/x> <http://e/y> 1 }', '--db', 'a.db'], { cwd });
    assert.equal(other.code, 0, other.err);
    assert.equal(await count(), 12, 'and what it wrote is seen');
    await handle.writing((store) => store.update('DELETE WHERE { <http://e/x> ?p ?o }'));
    assert.equal(await count(), 11);
    await handle.close();
  }),
);

/** A terminal: keys go in, what is shown comes out. */
class Person {
  readonly input = Object.assign(new PassThrough(), { isTTY: true });
  readonly output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  shown = '';
  /** What has been waited for. */
  #seen = 0;
  readonly #abort = new AbortController();
  readonly exitCode: Promise<number>;

  constructor(words: readonly string[]) {
    this.output.on('data', (piece: Buffer) => {
      this.shown += piece.toString();
    });
    this.exitCode = runCli(
      ['repl', ...words],
      { stdin: this.input, stdout: this.output, stderr: this.output, terminal: true, columns: 80 },
      this.#abort.signal,
    );
  }

  type(keys: string): void {
    this.input.write(keys);
  }

  /** Waits until a text is shown that was not there before. */
  async sees(text: string | RegExp): Promise<void> {
    for (let turn = 0; turn < 12_000; turn++) {
      const rest = this.shown.slice(this.#seen);
      const at = typeof text === 'string' ? rest.indexOf(text) : rest.search(text);
      if (at >= 0) {
        this.#seen += at + (typeof text === 'string' ? text.length : (text.exec(rest)?.[0].length ?? 0));
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.fail(`${text} is not shown:\n${this.shown.slice(this.#seen)}`);
  }
}

/** The history of the test goes where the test says. */
async function withHistory(path: string, work: () => Promise<void>): Promise<void> {
  const before = process.env.SVC_HISTORY;
  process.env.SVC_HISTORY = path;
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env.SVC_HISTORY;
    else process.env.SVC_HISTORY = before;
  }
}

const [UP, TAB, CTRL_C, CTRL_D] = ['\u001b[A', '\t', '\u0003', '\u0004'];

test(
  'a terminal: prompts, several lines, completion, history, Ctrl-C and Ctrl-D',
  inStore((cwd) =>
    withHistory(join(cwd, 'history'), async () => {
      const person = new Person(['--db', join(cwd, 'a.db')]);
      await person.sees(`svc SPARQL repl (db: ${join(cwd, 'a.db')})\n`);
      await person.sees('sparql> ');
      person.type('SELECT ?name {\r');
      await person.sees('...> ');
      person.type(`?s foaf:na${TAB}`);
      await person.sees('foaf:name');
      person.type(' ?name } ORDER BY ?name;\r');
      await person.sees('"Ann"');
      await person.sees(/3 rows; first after [\d.]+ ms, all after [\d.]+ ms/);
      await person.sees('sparql> ');

      person.type(UP);
      await person.sees('SELECT ?name { ?s foaf:name ?name } ORDER BY ?name');
      person.type(CTRL_C);
      await person.sees('sparql> ');
      person.type('ASK {\r');
      await person.sees('...> ');
      person.type(CTRL_C);
      await person.sees('sparql> ');

      person.type('.tx 1\r');
      await person.sees('sparql[tx 1]> ');
      person.type(':tx off\r');
      await person.sees('sparql> ');
      // A query without an end, until it is told to.
      person.type(
        'SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n1 ?o . ?p ?q ?r . ?t ?u ?v . ?w ?x ?y FILTER(RAND() < 2) };\r',
      );
      // Before the query runs, Ctrl-C would only clear the line.
      const again = setInterval(() => person.type(CTRL_C), 100);
      await person.sees('error: the query was cancelled');
      clearInterval(again);
      await person.sees('sparql> ');
      person.type('ASK {};\r');
      await person.sees('true');
      await person.sees('sparql> ');
      person.type(CTRL_D);
      assert.equal(await person.exitCode, 0);

      const kept = readFileSync(join(cwd, 'history'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as string);
      assert.equal(kept[0], 'SELECT ?name {\n?s foaf:name ?name } ORDER BY ?name');
      assert.equal(kept.at(-1), 'ASK {}');
      assert.equal(statSync(join(cwd, 'history')).mode & 0o777, 0o600);
    }),
  ),
);

test(
  'a terminal: the history of an earlier session, rows at most, binary answers, .quit',
  inStore((cwd) =>
    withHistory(join(cwd, 'history'), async () => {
      writeFileSync(join(cwd, 'history'), `${JSON.stringify('SELECT *\n{ ?s ?p ?o }')}\n`);
      const person = new Person(['--db', join(cwd, 'a.db')]);
      await person.sees('sparql> ');
      person.type('.limit 2\r');
      await person.sees('sparql> ');
      person.type(`${UP}${UP}`);
      await person.sees('SELECT * { ?s ?p ?o }');
      person.type(';\r');
      await person.sees('2 rows; there are more: .limit is 2');
      await person.sees('sparql> ');
      person.type('.format arrow\r');
      await person.sees('sparql> ');
      person.type('SELECT * { ?s ?p ?o };\r');
      await person.sees('binary, and answers go to a terminal');
      await person.sees('sparql> ');
      person.type('.history 1\r');
      await person.sees('.history 1\n');
      await person.sees('sparql> ');
      person.type(':q\r');
      assert.equal(await person.exitCode, 0);

      const silent = new Person(['--db', join(cwd, 'a.db'), '--no-history']);
      await silent.sees('sparql> ');
      silent.type('ASK {};\r');
      await silent.sees('true');
      silent.type(CTRL_D);
      assert.equal(await silent.exitCode, 0);
      assert.doesNotMatch(readFileSync(join(cwd, 'history'), 'utf8'), /ASK/);
    }),
  ),
);
