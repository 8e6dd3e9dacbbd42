/**
 * Commands against a running server: what they print is what they print of a store of this machine.
 *
 * Length: one server and one store beside it are made once, and each command is held against both.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { compress } from '../../engine/rdf/formats/input/compression.js';
import { COMMANDS } from '../../engine/service/operations/commands.js';
import { RawNumber } from '../../engine/service/requests/json.js';
import { wholeProgram } from '../../interfaces/cli/program.js';
import { parseExactJson } from '../../interfaces/cli/remote/exact-json.js';
import { freePort } from '../http/free-port.js';
import { startTestServer } from '../http/support.js';
import { serve } from '../plain-server.js';
import { bundleOfLines, writeBundle } from '../share/bundle-support.js';
import { svc, svcHere } from './svc.js';

const E = 'http://example.org';
const TOKEN = 'a-token-of-the-tests-0123456789abcdef';

const ODD = `<${E}/a> <${E}/n> "\\u0001\\n\\"x\\"é猫", 1e400, 12345678901234567890123, 1.50e0, "x"@en-gb, _:b .
<${E}/b> <${E}/n> 1, 2, true ; a <${E}/T> . _:b <${E}/n> () .\n`;
const RDF_XML = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="${E}/">
<rdf:Description rdf:about="${E}/x"><e:n>xml</e:n></rdf:Description></rdf:RDF>\n`;

const BUNDLE = bundleOfLines(`<${E}/shared> <${E}/n> "x" .\n`);

/** In the order in which they run: writes with times of their own, answers of every form, refusals, bad requests. */
const LINES: readonly (readonly string[])[] = [
  ['stats'],
  ['cord'],
  ['knot', 'odd.ttl', '--timestamp', '2026-01-01'],
  ['knot', 'odd.ttl', '--timestamp', '2026-01-02', '--json', '--actor', 'ann', '--source', 'mine'],
  ['knot', 'more.nt.gz', 'x.rdf', '--each', '--timestamp', '2026-01-03'],
  ['knot', 'relative.ttl', '--base', `${E}/base/`, '--timestamp', '2026-01-04'],
  ['knot', '-', '--format', 'ntriples', '--timestamp', '2026-01-05', '--snapshot', 'k', '--replace-snapshot'],
  ['knot', 'wrong.ttl'],
  ['knot', 'odd.ttl', '--graph', `${E}/none`],
  ['knot', 'odd.ttl', '--valid-from', '2026-13-01'],
  ['knot', 'odd.ttl', '--shapes', 'x.ttl'],
  ['knot', 'none.ttl'],
  [
    'update',
    `CREATE GRAPH <${E}/g> ; INSERT DATA { GRAPH <${E}/g> { <${E}/a> <${E}/n> "in g" } }`,
    '--timestamp',
    '2026-01-06',
  ],
  ['update', 'INSERT DATA { <r> <r> <r> }', '--base', `${E}/base/`, '--timestamp', '2026-01-07', '--json'],
  ['update', 'INSERT DATA { ?s <x:x> 1 }'],
  ['set', `${E}/b`, `${E}/n`, '{"int": 98765432109876543210}', '--timestamp', '2026-01-08'],
  ['set', `${E}/b`, `${E}/m`, `{"iri": "${E}/a"}`, '--timestamp', '2026-01-09', '--json'],
  ['set', `${E}/nobody`, `${E}/m`, '"x"'],
  ['set', `${E}/b`, `${E}/m`, '{"iri": 1}'],
  ['overlay', 'create', `${E}/ov`, '--parent-branch', `${E}/g`, '--timestamp', '2026-01-09'],
  ['overlay', 'create', `${E}/ov`],
  ['overlay', 'write', `${E}/ov`, 'assert', `${E}/b`, `${E}/n`, '{"int": 98765432109876543210}', '--json'],
  ['overlay', 'write', `${E}/ov`, 'tombstone', `${E}/a`, `${E}/n`, '"in g"', '--timestamp', '2026-01-09'],
  ['overlay', 'write', `${E}/ov`, 'keep', `${E}/b`, `${E}/n`, '1'],
  ['overlay', 'compose', `${E}/ov`, '--precedence', 'governed'],
  ['overlay', 'compose', `${E}/ov`, '--limit', '1', '--json'],
  ['retract', `${E}/b`, '--predicate', `${E}/m`, '--timestamp', '2026-01-10'],
  ['retract', `${E}/nobody`],
  ['retract-source', 'mine', '--repair', 'T-1'],
  ['retract-source', 'set', '--repair', 'T-1', '--apply', '--json', '--timestamp', '2026-01-11'],
  ['read', 'SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o'],
  ['read', 'SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o', '--json'],
  ['read', 'SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o', '--format', 'csv'],
  ['read', 'SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o', '--format', 'json', '--tx', '1'],
  ['read', 'SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o', '--graph', `${E}/g`, '--valid-at', '2026-01-06'],
  ['read', 'SELECT ?s { ?s a <x:none> }'],
  ['read', 'ASK {}'],
  ['read', 'ASK {}', '--format', 'xml'],
  ['read', 'ASK {}', '--json'],
  ['read', 'ASK {}', '--format', 'csv'],
  ['read', 'SELECT * {}', '--format', 'turtle'],
  ['read', `DESCRIBE <${E}/x>`, '--format', 'turtle'],
  ['read', `DESCRIBE <${E}/x>`],
  ['read', `DESCRIBE <${E}/x>`, '--format', 'json'],
  ['read', '--file', 'question.rq', '--format', 'tsv'],
  ['read', 'SELECT ?s\nWHERE { ?s ?p'],
  ['read', 'ASK {}', '--tx', '-1'],
  ['read', 'ASK {}', '--fork', 'f'],
  ['read', 'ASK {}', '--format', 'docx'],
  ['read'],
  ['graph', 'create', `${E}/h`, '--timestamp', '2026-01-12'],
  ['graph', 'create', `${E}/h`, '--json'],
  // Both stores would make a file of one name; what is refused is refused alike.
  ['graph', 'freeze', 'urn:svc:graph:root'],
  ['graph', 'freeze', `${E}/none`, '--timestamp', 'soon'],
  ['graph', 'thaw', `${E}/h`],
  // What these write has the time at which it is written, so what writes nothing stands here.
  ['import', 'nowhere'],
  ['import', 'bundle', '--source', ' '],
  ['import', 'promote', 'sha256:1'],
  ['import', 'promote', BUNDLE.manifest.share_id],
  ['graph', 'create', 'no iri'],
  ['graph', 'label', `${E}/h`, '--freshness', 'fresh', '--policy', 'b,a', '--timestamp', '2026-01-12'],
  ['graph', 'label', `${E}/h`, '--kind', 'Archive', '--timestamp', '2026-01-12'],
  [
    'graph',
    'label',
    `${E}/h`,
    '--policy',
    '',
    '--trust',
    '{"iri": "urn:t:a", "chain": "urn:t:c", "rank": 4}',
    '--timestamp',
    '2026-01-13',
    '--json',
  ],
  ['graph', 'list'],
  ['graph', 'list', '--kind', 'operational', '--json'],
  ['graph', 'list', '--lifecycle', 'thawed'],
  ['cord', '--type', `${E}/T`],
  ['cord', '--limit', '1', '--offset', '1'],
  ['cord', '--limit', 'x'],
  // A plan tells its times, so only what is wrong is the same twice.
  ['explain', 'SELECT * {'],
  ['explain', 'ASK {}', '--tx', '99'],
  ['fact', 'explain', `${E}/b`, `${E}/n`, '2'],
  ['fact', 'explain', `${E}/b`, `${E}/n`, 'none', '--json'],
  ['history', `${E}/b`],
  ['history', `${E}/b`, '--limit', '1', '--json'],
  ['history', 'no iri'],
  ['unravel', '--tx', '1'],
  ['unravel', '--valid-at', '2026-01-05', '--limit', '2', '--json'],
  ['unravel'],
  ['impact', `${E}/b`],
  ['impact', `${E}/b`, '--hops', '1', '--predicate', `${E}/p`, '--predicate', `${E}/q`, '--rank-by-ppr', '--json'],
  ['impact', `${E}/b`, '--remove', '--timestamp', '2026-01-09', '--json'],
  ['impact', `${E}/nobody`],
  ['impact', `${E}/b`, '--hops', 'x'],
  ['project'],
  ['project', '--algorithm', 'pagerank', '--seed', `${E}/a`, '--seed', `${E}/b`, '--tolerance', '1e-9', '--json'],
  ['project', '--algorithm', 'zz'],
  ['report', '--questions', '2'],
  ['ontology', 'load', 'sky', 'sky.ttl', '--timestamp', '2026-01-13'],
  ['ontology', 'list', '--json'],
  ['ontology', 'remove', 'sky', '--timestamp', '2026-01-13'],
  ['reason'],
  ['reason', '--rules', 'rules.ttl', '--json'],
  ['reason', '--graph', `${E}/nowhere`],
  ['transactions'],
  ['transactions', '--since', '2', '--limit', '1', '--json'],
  ['export'],
  ['export', '--format', 'turtle', '--graph', `${E}/g`],
  ['export', '--construct', `CONSTRUCT WHERE { <${E}/b> ?p ?o }`, '--json'],
  ['export', '--construct', 'ASK {}'],
  ['stats'],
  ['episode', 'episode.json', '--timestamp', '2026-01-13'],
  ['episode', 'episode.json', '--json'],
  ['episode', 'odd.ttl'],
  ['validate', '--shapes', 'shapes.ttl', '--data', 'ann.ttl'],
  ['validate', '--shapes', 'shapes.ttl', '--data', 'ann.ttl', '--json'],
  ['validate', '--shapes', 'wrong.ttl', '--data', 'ann.ttl'],
  ['shapes', 'load', 'person', 'shapes.ttl', '--timestamp', '2026-01-14'],
  ['shapes', 'load', 'wrong', 'wrong.ttl'],
  ['shapes', 'list'],
  ['shapes', 'list', '--json'],
  ['shapes', 'get', 'person'],
  ['shapes', 'get', 'nothing'],
  ['knot', 'ann.ttl'],
  ['knot', 'ann.ttl', '--json'],
  ['shapes', 'remove', 'person', '--timestamp', '2026-01-15'],
  ['shapes', 'remove', 'person'],
  ['events', 'tail', '--types', 'edge.added', '--limit', '2'],
  ['events', 'tail', '--types', 'edge.added', '--json'],
  ['events', 'tail', '--since', 'x'],
  ['events', 'commit', 'one', '3'],
  ['events', 'commit', 'one', '-1'],
  ['events', 'tail', '--consumer', 'one', '--types', 'episode.ingested'],
  ['events', 'refusals'],
  ['events', 'refusals', '--json'],
  ['dataset', 'create', `${E}/all`, '--members', `["urn:svc:graph:root", {"graph": "${E}/h", "ord": 1}]`],
  ['dataset', 'create', `${E}/all`, '--members', `["${E}/none"]`],
  ['dataset', 'create', `${E}/all`, '--members', `["${E}/h", "${E}/none"]`, '--allow-unregistered', '--json'],
  ['dataset', 'list'],
  ['dataset', 'list', '--json'],
  ['dataset', 'show', `${E}/all`],
  ['dataset', 'show', `${E}/all`, '--limit', '1', '--json'],
  ['dataset', 'show', `${E}/nothing`],
  ['dataset', 'show', 'urn:svc:dataset:frozen'],
  ['dataset', 'remove', `${E}/all`, '--timestamp', '2026-01-16'],
  ['dataset', 'remove', `${E}/all`],
  ['queries', 'load', 'who', 'who.rq', '--params', '[{"name": "p", "type": "iri", "required": true}]'],
  ['queries', 'load', 'who', 'wrong.ttl'],
  ['queries', 'load', 'who', 'who.rq', '--params', 'x'],
  ['queries', 'list'],
  ['queries', 'list', '--json'],
  ['queries', 'get', 'who'],
  ['queries', 'get', 'nothing'],
  ['ask'],
  ['ask', 'who', '--params', `{"p": "${E}/n"}`],
  ['ask', 'who', '--params', `{"p": "${E}/n", "q": 1}`, '--json'],
  ['ask', 'who'],
  ['ask', 'nothing'],
  ['queries', 'remove', 'who', '--timestamp', '2026-01-16'],
  ['queries', 'remove', 'who'],
  ['resolve', 'n'],
  ['resolve', 'nobody', '--json'],
  ['search', 'n'],
  ['search', 'nobody', '--json'],
  ['search', 'n', '--limit', '2', '--max-facts-per-entity', '1', '--tx', '3', '--json'],
  ['search', ' '],
  ['episodes', 'complete', 'note', '-', '--timestamp', '2026-01-17'],
  ['episodes', 'complete', 'note', '-', '--json'],
  ['episode', 'retract', 'note', '--timestamp', '2026-01-18'],
  ['episode', 'retract', 'note'],
  ['episode', 'retract', 'e', '--on-orphan', 'sometimes'],
  ['align', 'propose', `${E}/g`, `${E}/h`, '--json'],
  ['align', 'propose', `${E}/g`, 'urn:svc:graph:root', '--threshold', '0.5'],
  ['align', 'propose', `${E}/g`, `${E}/nowhere`],
  ['align', 'decide', 'decisions.json'],
  ['align', 'apply', 'decided.json'],
  ['path', 'cone', `${E}/way`, '--base-ns', `${E}/`],
  ['knot', 'way.ttl', '--timestamp', '2026-01-19'],
  ['path', 'cone', `${E}/way`, '--base-ns', `${E}/`, '--via', `${E}/produces`],
  ['path', 'cone', `${E}/way`, '--base-ns', `${E}/`, '--hops', '-1'],
  ['path', 'backtest', `${E}/way`, '--base-ns', `${E}/`],
  ['path', 'backtest', `${E}/way`, '--base-ns', `${E}/`, '--omit', `${E}/step`],
  ['cooccurrence', `${E}/item`],
  ['policy', 'check', `${E}/item`, '--claim', 'ASK { $target ?p ?o }'],
  ['policy', 'check', `${E}/item`, '--claim', 'SELECT * { $target ?p ?o }'],
  [
    ...['verdict', 'verify', '--predicate-id', 'p', '--target-ref', `${E}/item`, '--outcome', 'satisfied'],
    ...['--evidence-hash', 'h', '--verifier', 'v', '--signature', '00'],
  ],
  ['cooccurrence', 'no iri'],
  ['propose', 'submit', 'shape', 'proposed', 'wrong.ttl', '--proposer', 'ann', '--timestamp', '2026-01-20'],
  ['propose', 'submit', 'table', 'proposed', 'who.rq', '--proposer', 'ann'],
  ['propose', 'accept', '1'],
  ['propose', 'reject', '1'],
  ['propose', 'list'],
  ['propose', 'reject', '1', '--note', 'no', '--by', 'bob', '--timestamp', '2026-01-21'],
  ['propose', 'list', '--json'],
  ['subscriptions', 'create', 'hook', 'https://hooks.example.org/x', '--types', 'edge.added'],
  ['subscriptions', 'create', 'hook', 'no url'],
  ['subscriptions', 'list'],
  ['subscriptions', 'delete', 'hook'],
  ['subscriptions', 'delete', 'hook', '--json'],
];

const OPENERS: Readonly<Record<string, string>> = {
  'odd.ttl': ODD,
  'wrong.ttl': `<${E}/a> <${E}/n> 1 .\n<${E}/a> <${E}/n> "x .\n`,
  'x.rdf': RDF_XML,
  'relative.ttl': '<r> <p> <#x> .\n',
  'episode.json':
    '{"name": "e", "nodes": [{"name": "n", "type": "T"}], "edges": [{"source": "n", "target": "m", "relation": "knows"}]}',
  'rules.ttl': `@prefix rule: <http://svc.local/rule#> . <${E}/rule> a rule:Rule ; rule:id "back" ; rule:head "<${E}/of>(?b, ?a)" ; rule:body "<${E}/p>(?a, ?b)" .\n`,
  'sky.ttl': `<${E}/p> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <${E}/above> .\n`,
  'shapes.ttl': `@prefix sh: <http://www.w3.org/ns/shacl#> . <${E}/S> a sh:NodeShape ; sh:targetClass <${E}/Person> ; sh:property [ sh:path <${E}/n> ; sh:minCount 1 ] .\n`,
  'ann.ttl': `<${E}/ann> a <${E}/Person> .\n`,
  'decisions.json': `{"left": "${E}/g", "right": "${E}/h", "expected_version": "v1:0", "decisions": [{"left": "${E}/a", "right": "${E}/b", "verdict": "accept"}]}`,
  'decided.json': `{"left": "${E}/g", "right": "${E}/h", "expected_version": "v1:0+0", "decided": []}`,
  'way.ttl': `@base <${E}/> . <step> <stepOf> <way> ; <actionKind> "a" ; <verifiedBy> <v> . <v> <falsifier> 1 . <way> <trajectoryOf> <item> . <item> <about> "t" .\n`,
  'who.rq': 'SELECT ?s { ?s <{p}> ?o } ORDER BY ?s',
  'question.rq': 'SELECT ?o { ?s ?p ?o } ORDER BY ?o LIMIT 3',
};

/** A server names no field of a request in front of the line; its message does where there are several. */
const FIELD = /^error: (?:shapes|turtle|query):(?=\d)/;
/** It has other formats. */
const HOW_TO_EXPORT = /^ {2}hint: .*--graph <iri>.*\n/m;
const EVIDENCE = '"authenticated":{"principal":null,"credential_id":null,"auth_class":"legacy_shared_bearer"}';

/** A server and its folder, which has the documents; and a store beside it for the same lines without it. */
async function sameFolder(t: TestContext, keys = {}) {
  const server = await startTestServer(t, keys);
  for (const [name, text] of Object.entries(OPENERS)) writeFileSync(join(server.folder, name), text);
  writeBundle(join(server.folder, 'bundle'), BUNDLE);
  writeFileSync(join(server.folder, 'more.nt.gz'), gzipSync(`<${E}/c> <${E}/n> "1" .\n`));
  const tokens = join(server.folder, 'token');
  writeFileSync(tokens, `${TOKEN}\n`);
  chmodSync(tokens, 0o600);
  return { server, cwd: server.folder, tokens };
}

test('every command with a route prints the same of a server as of a store', { timeout: 240_000 }, async (t) => {
  const { server, cwd, tokens } = await sameFolder(t, { server: { auth_token: TOKEN }, features: { owl: true } });
  // Both begin with an empty transaction, since a store of this machine is made by its first document.
  const empty = ['knot', '-', '--timestamp', '2025-12-31'];
  for (const where of [
    ['--db', 'local.svc'],
    ['--url', server.base, '--token', TOKEN],
  ]) {
    assert.deepEqual(
      (await svcHere([...empty, ...where], { cwd })).out,
      'knotted 0 facts from standard input (tx 1)\n',
    );
  }
  const input = `<${E}/piped> <${E}/n> "1" .\n`;
  const different: unknown[] = [];
  for (const words of LINES) {
    const [remote, local] = await Promise.all([
      svcHere([...words, '--url', server.base, '--token-file', tokens], { cwd, input }),
      svcHere([...words, '--db', 'local.svc', ...(words[0] === 'ontology' ? ['--features', 'owl'] : [])], {
        cwd,
        input,
      }),
    ]);
    const [name] = words;
    // A server knows by the token who wrote; here nobody has one.
    const alike = (text: string) =>
      name === 'stats'
        ? text.replace(/^store: .*$/m, 'store: that')
        : text.replaceAll(EVIDENCE, '"authenticated":null');
    const pair = [remote, local].map(({ code, out, err }) => ({
      code,
      out: alike(out),
      err: err.replace(FIELD, 'error: ').replace(HOW_TO_EXPORT, ''),
    }));
    if (!isDeepStrictEqual(pair[0], pair[1])) different.push({ words, remote: pair[0], local: pair[1] });
  }
  assert.deepEqual(different, []);
  const known = new Set(LINES.flatMap(([name, next]) => [name, `${name} ${next}`]));
  for (const { projections, inServer } of COMMANDS) {
    // What is about the server itself a store has not.
    if (inServer({})) continue;
    if (projections.http !== undefined) assert.ok(known.has(projections.cli.command), projections.cli.command);
  }
  assert.match(
    (await svc(['stats', '--url', server.base], { cwd })).out,
    /^store: store\.svc\nfacts \(current\): \d+\n/,
  );
  const out = await svc(
    ['read', 'SELECT * { ?s ?p ?o }', '--format', 'arrow', '--out', 'a.arrow', '--url', server.base],
    { cwd },
  );
  assert.deepEqual([out.code, out.out, out.err], [0, '', '']);
  assert.ok(existsSync(join(cwd, 'a.arrow')));
});

test('a command without a route says so, and where it works', async (t) => {
  const { server, cwd } = await sameFolder(t);
  const words: Readonly<Record<string, readonly string[]>> = {
    explain: ['ASK {}'],
    backup: ['x.db'],
    restore: ['x.db'],
    'lake export': ['x'],
    'lake verify': ['x'],
    'graph import': ['x.db'],
    unpack: ['x.db'],
    status: ['x'],
    merge: ['x'],
    'path draft': [`${E}/way`, '--name', 'n', '--label', 'l'],
    config: ['check'],
    completion: ['bash'],
    fork: ['1'],
    'fork diff': ['main', 'f'],
    'fork drop': ['f'],
    'fork promote': ['f'],
    'policy backtest': ['p.ttl'],
    'audit trace': ['run.jsonl'],
    'audit inheritance': ['run.jsonl'],
    'audit replay': ['run.jsonl'],
    'audit tree': ['run.jsonl'],
  };
  const answering = new Set(
    COMMANDS.filter(({ projections }) => projections.http).map(({ projections }) => projections.cli.command),
  );
  for (const { name } of wholeProgram().commands) {
    if (answering.has(name) || name === 'mcp') continue;
    const { code, out, err } = await svcHere([name, ...(words[name] ?? []), '--url', server.base], { cwd });
    assert.deepEqual([name, code, out], [name, 1, '']);
    assert.match(
      err,
      new RegExp(`^(query )?error: svc ${name} does not work against a running server \\(--url\\)\\n  hint: `),
    );
  }
  const jsonLd = await svcHere(['export', '--format', 'jsonld', '--url', server.base], { cwd });
  assert.deepEqual([jsonLd.code, jsonLd.out], [1, '']);
  assert.match(jsonLd.err, /--format is "jsonld"; expected one of turtle, ntriples/);
  const two = await svcHere(['knot', 'odd.ttl', 'x.rdf', '--url', server.base], { cwd });
  assert.equal(two.code, 2);
  assert.match(two.err, /2 documents: .*\n {2}hint: .*--each/);
});

test('tokens go with reads, too', async (t) => {
  const { server, cwd, tokens } = await sameFolder(t, { server: { auth_token: TOKEN, require_token_for_reads: true } });
  const silent = await svcHere(['stats', '--url', server.base], { cwd });
  assert.equal(silent.code, 1);
  assert.match(
    silent.err,
    /^error: unauthorized: \/stats requires, .*\n {2}hint: give the token by --token-file or --token\n$/,
  );
  const read = await svcHere(['stats', '--url', server.base, '--token-file', tokens], { cwd });
  assert.deepEqual([read.code, read.err], [0, '']);
});

test('tokens: by file or word, and in no message', async (t) => {
  const { server, cwd, tokens } = await sameFolder(t, { server: { auth_token: TOKEN } });
  const write = ['set', `${E}/a`, `${E}/n`, '1', '--url', server.base];
  const silent = await svc(write, { cwd });
  assert.equal(silent.code, 1);
  assert.match(silent.err, /^error: unauthorized: .*\n {2}hint: give the token by --token-file or --token\n$/);
  const other = await svcHere([...write, '--token', 'another-token-of-somebody'], { cwd });
  assert.match(other.err, /^error: unauthorized: .*not accepted\n$/);
  const wrong = await svcHere([...write, '--token', 'two words-secret'], { cwd });
  assert.deepEqual([wrong.code, /secret/.test(wrong.err)], [1, false]);
  assert.match(wrong.err, /--token is no bearer token/);
  chmodSync(tokens, 0o644);
  const open = await svcHere([...write, '--token-file', tokens], { cwd });
  assert.match(open.err, /^error: the token file .* has mode 0644; expected 0600 or 0400\n {2}hint: chmod 600 /);
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['stats', '--token', 'x'], 2, /--token is for --url/],
    [['stats', '--token-file', tokens], 2, /--token-file is for --url/],
    [['stats', '--url', server.base, '--token', 'x', '--token-file', tokens], 2, /not both/],
    [['stats', '--url', server.base, '--db', 'x'], 2, /--url or --db, not both/],
    [['stats', '--url', server.base, '--config', 'x'], 2, /--url or --config, not both/],
    [['stats', '--url', 'nowhere'], 1, /--url is no address/],
    [['stats', '--url', 'ftp://host'], 1, /scheme ftp:/],
    [['stats', '--url', 'http://me:secret@127.0.0.1:1'], 1, /name or a password/],
    [['stats', '--url', 'http://127.0.0.1:1/?secret'], 1, /more than a path/],
    [['knot', 'odd.ttl', '--threads', '1', '--url', server.base], 2, /--threads is for a store/],
  ];
  for (const [words, code, message] of cases) {
    const failed = await svcHere(words, { cwd });
    assert.deepEqual([words, failed.code, failed.out, /secret/.test(failed.err)], [words, code, '', false]);
    assert.match(failed.err, message);
  }
});

test('servers that misbehave, or are none', async (t) => {
  const { cwd, tokens } = await sameFolder(t);
  const seen: IncomingMessage[] = [];
  const base = await serve(t, (request, response) => {
    seen.push(request);
    request.resume();
    const path = request.url ?? '';
    if (path === '/kg/stats') response.writeHead(302, { Location: 'http://127.0.0.1:1/stats' }).end();
    else if (path === '/kg/cord') response.writeHead(502, 'Bad Gateway').end('<html>');
    else if (path === '/kg/unravel') response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>');
    else if (path === '/kg/entity_history') response.writeHead(200, { 'Content-Type': 'application/json' }).end('{');
    else if (path === '/kg/export') {
      response.writeHead(200, { 'Content-Type': 'application/n-triples', 'Content-Length': '100' });
      response.write('half\n', () => response.destroy());
    } else response.writeHead(409, { 'Content-Type': 'application/json' }).end('{"error":"new","code":"newer_code"}');
  });
  const ask = (...words: string[]) => svcHere([...words, '--url', `${base}/kg/`, '--token-file', tokens], { cwd });
  const failed = async (words: readonly string[], message: RegExp) => {
    const { code, err } = await ask(...words);
    assert.deepEqual([words, code], [words, 1]);
    assert.match(err, message);
    assert.doesNotMatch(err, new RegExp(TOKEN));
  };
  await failed(['stats'], /answers with a redirect \(302\)/);
  await failed(['cord'], /answers 502 Bad Gateway/);
  await failed(['unravel', '--tx', '1'], /answers with text\/html, as svc does not/);
  await failed(['history', `${E}/a`], /not JSON/);
  await failed(['export'], /no whole answer/);
  await failed(['export', '--out', 'half.nt'], /no whole answer/);
  assert.ok(!existsSync(join(cwd, 'half.nt')) && !existsSync(join(cwd, 'half.nt.part')));
  await failed(['set', `${E}/a`, `${E}/n`, '1'], /^error: new\n$/);
  for (const { url, headers } of seen) assert.equal(headers.authorization, `Bearer ${TOKEN}`, url);
  const gone = await svcHere(['stats', '--url', 'http://127.0.0.1:1'], { cwd });
  assert.equal(gone.code, 1);
  assert.match(gone.err, /^error: there was no whole answer from http:\/\/127\.0\.0\.1:1 \(bad port\)/);
  const port = await freePort();
  for (const host of ['127.0.0.1', 'localhost']) {
    const refused = await svcHere(['stats', '--url', `http://${host}:${port}`], { cwd });
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(refused.err, /^error: http:\/\/\S+:\d+: connection refused, .*\n {2}hint: is svc serve running, /);
    assert.ok(refused.err.includes(`http://${host}:${port}`));
  }
});

test('an answer streams, and an interruption stops the request', async (t) => {
  const { cwd } = await sameFolder(t);
  let left: () => void = () => undefined;
  const hasLeft = new Promise<void>((resolve) => {
    left = resolve;
  });
  const base = await serve(t, (request, response) => {
    request.resume();
    response.on('close', left);
    response.writeHead(200, { 'Content-Type': 'text/csv' });
    // It never ends: what comes out has come before the end.
    response.write('x\r\n1\r\n');
  });
  const { code, out, err } = await svc(['read', 'SELECT * {}', '--format', 'csv', '--url', base], {
    cwd,
    during: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
  });
  assert.deepEqual([code, out, err], [130, 'x\r\n1\r\n', 'error: the request was cancelled\n']);
  await hasLeft;
});

test('numbers of answers keep their digits', () => {
  const text = '{"a":[1,1.0,1e400,-0,12345678901234567890,"1.0 \\" 2.0",""],"2.0":{"b":null}}';
  const raw = (digits: string) => new RawNumber(digits);
  assert.deepEqual(parseExactJson(text), {
    a: [1, raw('1.0'), raw('1e400'), raw('-0'), raw('12345678901234567890'), '1.0 " 2.0', ''],
    '2.0': { b: null },
  });
});

test('documents of any size and every compression go to a server as they are, with their progress', async (t) => {
  const { server, cwd } = await sameFolder(t, { server: { auth_token: TOKEN, max_body_bytes: 100_000 } });
  const lines = Array.from({ length: 20_000 }, (_, at) => `<${E}/s${at}> <${E}/p> "${'v'.repeat(60)}" .\n`);
  const text = lines.join('');
  const gzip = gzipSync(text.replaceAll('/s', '/g'));
  const frames: Uint8Array[] = [];
  async function* quads() {
    yield Buffer.from(text.replaceAll('/s', '/z'));
  }
  for await (const frame of compress(quads(), 'zstd')) frames.push(frame);
  writeFileSync(join(cwd, 'plain.nt'), text);
  writeFileSync(join(cwd, 'packed.nt.gz'), gzip);
  writeFileSync(join(cwd, 'packed.nq.zst'), Buffer.concat(frames));
  const asked = ['--url', server.base, '--token', TOKEN];
  for (const [tx, name] of ['plain.nt', 'packed.nt.gz', 'packed.nq.zst'].entries()) {
    const { code, out, err } = await svcHere(['knot', name, '--progress', 'json', ...asked], { cwd });
    assert.deepEqual([code, out], [0, `knotted 20000 facts from ${name} (tx ${tx + 1})\n`], err);
    const told = err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const size = statSync(join(cwd, name)).size;
    assert.deepEqual(
      [told.at(-1)?.phase, told.at(-1)?.done, told.at(-1)?.total, told.at(-1)?.unit],
      ['load on the server', size, size, 'bytes'],
    );
  }
  const piped = await svcHere(['knot', '-', '--format', 'ntriples', ...asked], { cwd, input: text });
  assert.match(piped.out, /^knotted 20000 facts from standard input/);
  writeFileSync(join(cwd, 'broken.nt.gz'), gzip.subarray(0, gzip.length - 100));
  const broken = await svcHere(['knot', 'broken.nt.gz', ...asked], { cwd });
  assert.deepEqual([broken.code, broken.out], [1, '']);
  assert.match(broken.err, /not a sound gzip file: it ends too early/);
  // Who may not write is told so before anything is sent.
  const refused = await svcHere(['knot', 'plain.nt', '--progress', 'json', '--url', server.base], { cwd });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /^error: unauthorized/);
});
