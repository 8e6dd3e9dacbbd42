/** Each `--json` answer fits the response schema of its operation; the page about the command runs and names them all. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMANDS } from '../../engine/service/operations/commands.js';
import { findProblems } from '../../engine/service/requests/check-schema.js';
import { markCopy } from '../../engine/storage/admin/role-of-file.js';
import { wholeProgram } from '../../interfaces/cli/program.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { blocks, inFolder as inPageFolder, runCommands } from '../pages.js';
import { bundleOfLines, writeBundle } from '../share/bundle-support.js';
import { inFolder, svcHere } from './svc.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/command.md'), 'utf8');
const E = 'http://example.org';

/** In the order in which they run; odd terms, history and several pages among them. */
const RULES = `@prefix rule: <http://svc.local/rule#> .
<${E}/rule> a rule:Rule ; rule:id "back" ; rule:head "<${E}/of>(?b, ?a)" ; rule:body "<${E}/friend>(?a, ?b)" .
`;

/** Of a verdict that the registration trusts. */
const SIGNATURE =
  '6e79a8daa659d872d63c9480fbf0cf9ac0ca67c3ae44f0173431b4d3d735eab3c45c5b90c8bdb18f00db81afd0fc165ef32426150618730288e10b9543d28401';
const TRUST = `@prefix b: <http://svc.local/ontology/> . <${E}/r> a b:VerifierRegistration ; b:verifier "http://ex/verifier/svc" ;
  b:attests "http://ex/policy/has-owner" ; b:publicKey "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c" .\n`;

const BUNDLE = bundleOfLines(`<${E}/shared> <${E}/n> "x" .\n`);
const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';

/** The first line writes them, so that the version of their alignment is known. */
const [LEFT, RIGHT] = [`${E}/left`, `${E}/right`];
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const ALIGNMENT = `urn:svc:graph:alignment:${sha256(`${LEFT}|${RIGHT}`).slice(0, 16)}`;
const VERSION = `v1:${sha256(`${LEFT}|1|${RIGHT}|1|${ALIGNMENT}|0`)}`;
const DECISIONS = [{ left: `${E}/l`, right: `${E}/r`, verdict: 'accept' }];
const DECIDED = `${VERSION}+${sha256(`${E}/l|${E}/r|accept\n`)}`;
const NAMED = (graph: string, entity: string) => `GRAPH <${graph}> { <${entity}> <${LABEL}> "the same" }`;

const LINES: readonly (readonly [string, readonly string[]])[] = [
  ['knot', ['pair.trig', '--db', 'ways.db']],
  ['align propose', [LEFT, RIGHT, '--threshold', '0.9', '--db', 'ways.db']],
  ['align decide', ['decisions.json', '--db', 'ways.db']],
  ['align apply', ['decided.json', '--actor', 'ann', '--db', 'ways.db']],
  ['knot', ['way.ttl', '--db', 'ways.db']],
  ['path cone', [`${E}/way`, '--base-ns', `${E}/`, '--db', 'ways.db']],
  ['path backtest', [`${E}/way`, '--base-ns', `${E}/`, '--db', 'ways.db']],
  [
    'path draft',
    [
      `${E}/way`,
      '--base-ns',
      `${E}/`,
      '--name',
      'way',
      '--label',
      'A way',
      '--dead-end',
      `${E}/step`,
      '--db',
      'ways.db',
    ],
  ],
  ['cooccurrence', [`${E}/item`, '--db', 'ways.db']],
  ['propose submit', ['shape', 'proposed', 'shapes.ttl', '--proposer', 'ann', '--rationale', 'why', '--db', 'ways.db']],
  ['propose submit', ['class', 'C', 'shapes.ttl', '--proposer', 'ann', '--trigger', 't', '--db', 'ways.db']],
  ['propose accept', ['1', '--by', 'bob', '--note', 'yes', '--db', 'ways.db']],
  ['propose reject', ['2', '--note', 'no', '--db', 'ways.db']],
  ['propose list', ['--db', 'ways.db']],
  ['propose list', ['--status', 'pending', '--limit', '1', '--db', 'ways.db']],
  ['shapes remove', ['proposed', '--db', 'ways.db']],
  ['knot', ['odd.ttl', '--timestamp', '2026-01-01']],
  ['knot', ['odd.ttl', 'more.nt', '--each', '--timestamp', '2026-01-02']],
  ['episode', ['deploy.json', '--timestamp', '2026-01-02']],
  ['episode', ['deploy.json']],
  ['update', [`INSERT DATA { <${E}/a> <${E}/n> 1 }`]],
  ['update', [`DELETE DATA { <${E}/none> <${E}/n> 1 }`]],
  ['update', [`CREATE GRAPH <${E}/g>`]],
  ['set', [`${E}/a`, `${E}/n`, '{"int": 2}']],
  ['set', [`${E}/a`, `${E}/friend`, `{"iri": "${E}/b"}`]],
  ['retract', [`${E}/b`]],
  ['retract', [`${E}/b`]],
  ['retract-source', ['set', '--repair', 'T-1']],
  ['retract-source', ['set', '--repair', 'T-1', '--apply']],
  ['read', ['SELECT * { ?s ?p ?o }']],
  ['read', ['SELECT * { ?s ?p ?o } LIMIT 0']],
  ['read', ['ASK {}']],
  ['read', [`DESCRIBE <${E}/a>`]],
  ['explain', ['SELECT * { ?s ?p ?o OPTIONAL { ?o ?q ?r } }']],
  ['explain', ['--profile', 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }']],
  ['explain', ['INSERT DATA { <a:a> <a:b> <a:c> }']],
  ['cord', []],
  ['cord', ['--limit', '1', '--offset', '1']],
  ['fact explain', [`${E}/c`, `${E}/n`, '1']],
  ['history', [`${E}/a`]],
  ['history', [`${E}/b`, '--limit', '1']],
  ['unravel', ['--tx', '1']],
  ['unravel', ['--valid-at', '2026-01-01', '--limit', '1']],
  ['impact', [`${E}/a`, '--rank-by-ppr']],
  ['search', ['a', '--limit', '2']],
  ['impact', [`${E}/a`, '--remove', '--predicate', `${E}/p`]],
  ['project', []],
  ['project', ['--algorithm', 'ppr', '--seed', `${E}/a`, '--seed', `${E}/none`, '--limit', '1']],
  ['project', ['--algorithm', 'components']],
  ['report', []],
  ['report', ['--hubs', '1', '--questions', '0']],
  ['reason', ['--rules', 'rules.ttl']],
  ['transactions', []],
  ['transactions', ['--since', '1', '--limit', '1']],
  ['events tail', []],
  ['events tail', ['--consumer', 'c', '--limit', '2']],
  ['events commit', ['c', '2']],
  ['events refusals', []],
  ['contradictions', []],
  ['graph list', []],
  ['graph list', ['--kind', 'operational', '--limit', '1']],
  ['graph create', [`${E}/h`]],
  ['graph create', [`${E}/h`]],
  ['graph label', [`${E}/h`, '--kind', 'operational', '--policy', 'a,b']],
  ['shapes load', ['sky', 'shapes.ttl', '--timestamp', '2026-01-03']],
  ['shapes list', []],
  ['shapes list', ['--limit', '1', '--offset', '1']],
  ['shapes get', ['sky']],
  ['set', [`${E}/a`, `${E}/n`, '{"int": 3}']],
  ['shapes remove', ['sky']],
  ['ontology load', ['sky', 'shapes.ttl', '--features', 'owl', '--timestamp', '2026-01-03']],
  ['ontology list', ['--features', 'owl']],
  ['ontology remove', ['sky', '--features', 'owl']],
  ['dataset create', [`${E}/all`, '--members', `["${E}/g", {"graph": "${E}/h", "ord": 1}]`]],
  ['dataset list', []],
  ['dataset show', [`${E}/all`]],
  ['dataset show', [`${E}/all`, '--limit', '1']],
  ['dataset remove', [`${E}/all`]],
  [
    'queries load',
    ['who', 'who.rq', '--params', '[{"name": "p", "type": "iri", "required": true}]', '--description', 'd'],
  ],
  ['queries list', []],
  ['queries get', ['who']],
  ['ask', []],
  ['ask', ['list', '--limit', '1']],
  ['ask', ['who', '--params', `{"p": "${E}/n"}`]],
  ['ask', ['entity_facts', '--params', `{"entity": "${E}/a"}`]],
  ['queries remove', ['who']],
  ['resolve', ['my app']],
  ['resolve', ['nobody', '--top-k', '2', '--threshold', '0.9']],
  ['episodes complete', ['note-1', 'who.rq', '--group-id', 'notes']],
  ['episode retract', ['note-1']],
  ['episode retract', ['deploy-42', '--on-orphan', 'allow']],
  ['subscriptions create', ['hook', 'https://hooks.example.org/x', '--types', 'edge.added,node.added']],
  ['subscriptions list', []],
  ['subscriptions delete', ['hook']],
  ['stats', []],
  ['export', []],
  ['export', ['--format', 'trig']],
  ['export', ['--graph', `${E}/g`, '--format', 'turtle', '--allow-empty']],
  ['validate', ['--shapes', 'shapes.ttl', '--data', 'odd.ttl']],
  [
    'policy draft',
    ['--name', 'p', '--label', 'p', '--targets', `${E}/C`, '--claim', 'ASK { $target ?p ?o }', '--exemplar', `${E}/x`],
  ],
  ['policy backtest', ['policy.ttl']],
  ['policy check', [`${E}/a`, '--claim', 'ASK {}']],
  ['knot', ['trust.ttl', '--db', 'ways.db']],
  [
    'verdict verify',
    [
      ...['--predicate-id', 'http://ex/policy/has-owner', '--target-ref', 'http://ex/svc1', '--outcome', 'satisfied'],
      ...[
        '--evidence-hash',
        'fnv1a:2338f5052321b5f2',
        '--verifier',
        'http://ex/verifier/svc',
        '--signature',
        SIGNATURE,
      ],
      ...['--db', 'ways.db'],
    ],
  ],
  ['audit trace', ['trace.jsonl']],
  ['audit inheritance', ['trace.jsonl']],
  ['audit replay', ['trace.jsonl']],
  ['audit tree', ['trace.jsonl']],
  ['audit inventory', []],
  ['audit namespace', []],
  ['overlay create', [`${E}/ov`]],
  ['overlay write', [`${E}/ov`, 'assert', `${E}/a`, `${E}/n`, '{"int": 7}']],
  ['overlay compose', [`${E}/ov`, '--limit', '3']],
  ['pack', [`${E}/h`, '--out', 'h.qpack.db']],
  ['pack', ['--verify', 'h.qpack.db']],
  ['share', ['--output', 'shared', '--identifier-policy', 'policy.json']],
  ['unpack', ['h.qpack.db', '--into', `${E}/i`]],
  ['import', ['bundle', '--source', 'peer', '--db', 'imports.db']],
  ['import', ['bundle', '--recheck', '--db', 'imports.db']],
  ['import', ['bundle']],
  ['status', ['bundle', '--db', 'imports.db']],
  ['merge', ['bundle', '--db', 'imports.db']],
  ['import promote', [BUNDLE.manifest.share_id, '--db', 'imports.db']],
  ['graph freeze', [`${E}/i`]],
  ['graph list', ['--lifecycle', 'frozen']],
  ['graph thaw', [`${E}/i`]],
  ['backup', ['other.db']],
  ['graph import', ['other.db', '--as', `${E}/j`]],
  ['verify', []],
  ['lake export', ['a-lake']],
  ['lake verify', ['a-lake']],
  ['backup', ['copy.db']],
  ['lake sql', ['SELECT * { ?s ?p ?o }', '--dialect', 'trino']],
  ['lake query', ['SELECT * { ?s ?p ?o } LIMIT 2', '--lake', 'a-lake']],
  ['lake query', ['ASK { ?s ?p ?o }', '--lake', 'a-lake']],
  ['lake query', ['CONSTRUCT WHERE { ?s ?p ?o } LIMIT 2', '--lake', 'a-lake']],
  ['fork list', []],
  ['fork', ['2', '--name', 'f']],
  ['fork', ['0']],
  ['fork list', ['--limit', '1']],
  ['update', [`INSERT DATA { GRAPH <urn:svc:fork:f> { <${E}/a> <${E}/n> "f", _:b } }`]],
  ['fork diff', ['main', 'f']],
  ['fork diff', ['f', 'fork-0', '--limit', '1']],
  ['fork promote', ['f']],
  ['fork drop', ['fork-0']],
  ['fold', []],
  ['migrate-vectors', ['--dry-run', '--config', 'embed.toml']],
  ['compact', []],
  ['repair', []],
  ['restore', ['other.db', '--db', 'restored.db']],
  ['promote', ['--force']],
];

/** Of a store that is promoted. */
const FOLLOWING = { role: 'follower', epoch: 0, primary: 'http://127.0.0.1:1', fencedBy: null } as const;

const ODD = `<${E}/a> <${E}/n> "\\u0000\\n\\"x\\"", 1e400, "x"@en-gb, "2026-13-99"^^<http://www.w3.org/2001/XMLSchema#date>, _:b, [ <${E}/n> () ] .
<${E}/b> <${E}/n> 1, 2 .\n`;

const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> .
<${E}/S> sh:targetNode <${E}/a> ; sh:property [ sh:path <${E}/m> ; sh:minCount 1 ; sh:severity sh:Warning ] .
`;

const POLICY = `@prefix b: <http://svc.local/ontology/> .
<${E}/p> a b:Policy ; b:boundary "action" ; b:targets "${E}/C" ; b:claim "ASK { $target ?p ?o }" .
`;
const WAY = `@base <${E}/> . <step> <stepOf> <way> ; <actionKind> "a" ; <verifiedBy> <v> . <v> <falsifier> 1 .
<way> <trajectoryOf> <item> . <item> <about> "t" .
<other> <trajectoryOf> <item2> . <item2> <about> "t" .
<c> <http://svc.local/ontology/implements> <item>, <item2> ; <http://svc.local/ontology/modifies> <file> .\n`;

/** Nobody is there: what is only planned asks nobody. */
const EMBEDDING = `[svc.embedding]
provider = "http"
url = "http://127.0.0.1:1"
model = "small"
`;

const EPISODE = JSON.stringify({
  name: 'deploy-42',
  nodes: [{ name: 'my app', type: 'App', properties: { port: 8080 } }, { name: 'kota' }],
  edges: [{ source: 'my app', target: 'kota', relation: 'runs_on', confidence: 0.9 }],
});

const CATALOGUE = '{"version":1,"entries":[{"id":"x","tier":"block","match":"literal","pattern":"never"}]}';

const responseOf = new Map(COMMANDS.map(({ projections, response }) => [projections.cli.command, response]));

test(
  'the answer of every command fits the schema that its operation declares',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'odd.ttl'), ODD);
    writeFileSync(join(cwd, 'deploy.json'), EPISODE);
    writeFileSync(join(cwd, 'shapes.ttl'), SHAPES);
    writeFileSync(join(cwd, 'policy.ttl'), POLICY);
    writeFileSync(join(cwd, 'trust.ttl'), TRUST);
    writeFileSync(join(cwd, 'trace.jsonl'), '{"principal_chain": ["a", "b"]}\n');
    writeFileSync(join(cwd, 'way.ttl'), WAY);
    writeFileSync(join(cwd, 'pair.trig'), `${NAMED(LEFT, `${E}/l`)} ${NAMED(RIGHT, `${E}/r`)}`);
    const pair = { left: LEFT, right: RIGHT };
    writeFileSync(
      join(cwd, 'decisions.json'),
      JSON.stringify({ ...pair, expected_version: VERSION, decisions: DECISIONS }),
    );
    writeFileSync(
      join(cwd, 'decided.json'),
      JSON.stringify({ ...pair, expected_version: DECIDED, decided: DECISIONS }),
    );
    writeFileSync(join(cwd, 'rules.ttl'), RULES);
    writeFileSync(join(cwd, 'embed.toml'), EMBEDDING);
    writeFileSync(join(cwd, 'policy.json'), CATALOGUE);
    writeBundle(join(cwd, 'bundle'), BUNDLE);
    writeFileSync(join(cwd, 'who.rq'), 'SELECT ?s { ?s <{p}> ?o }');
    writeFileSync(join(cwd, 'more.nt'), `<${E}/c> <${E}/n> "1" .\n`);
    for (const [command, words] of LINES) {
      if (command === 'promote') await markCopy(join(cwd, '.svc/svc.db'), FOLLOWING);
      const { code, out, err } = await svcHere([command, ...words, '--json'], { cwd });
      assert.deepEqual([code, err], [0, ''], `${command} ${words.join(' ')}: ${err}`);
      const lines = out.split('\n');
      assert.equal(lines.pop(), '', command);
      assert.equal(lines.length, words.includes('--each') ? 2 : 1, command);
      for (const line of lines) {
        const answer: unknown = JSON.parse(line);
        const schema = responseOf.get(command);
        assert.ok(schema !== undefined, command);
        assert.deepEqual([...findProblems(schema, answer)], [], `${command} ${words.join(' ')}: ${line}`);
        const declared = Object.keys(schema.properties ?? {});
        if (declared.length > 0) {
          const undeclared = Object.keys(answer as object).filter((key) => !declared.includes(key));
          assert.deepEqual(undeclared, [], `${command}: ${line}`);
        }
      }
    }
    // What is about a server itself has its answers there.
    const inServer = COMMANDS.filter((one) => one.inServer({})).map(({ projections }) => projections.cli.command);
    assert.deepEqual(new Set([...LINES.map(([command]) => command), ...inServer]), new Set(responseOf.keys()));
  }),
);

test(
  'with --json a failure stays text on standard error, and standard output stays empty',
  inFolder(async (cwd) => {
    for (const words of [['stats'], ['read', 'SELECT'], ['history', 'no iri'], ['verify', '--db', 'none.db']]) {
      const { code, out, err } = await svcHere([...words, '--json'], { cwd });
      assert.deepEqual([code, out], [1, ''], words.join(' '));
      assert.match(err, /^(query )?error: /);
    }
  }),
);

test(
  'the commands of docs/command.md print what it shows',
  inPageFolder((folder) => runCommands(folder, PAGE, 20)),
);

test('docs/command.md lists every command with --json: its route, and an example', () => {
  const examples = blocks(PAGE, 'console').join('\n');
  const answering = wholeProgram().commands.filter(({ options }) => options.some(({ flags }) => flags === '--json'));
  assert.ok(answering.length > COMMANDS.length);
  for (const { name } of answering) {
    const [, route] = new RegExp(`^\\| \`svc ${name}\` \\| ([^|]*) \\|`, 'm').exec(PAGE) ?? [];
    assert.ok(route !== undefined, `${name} has a row`);
    const operation = COMMANDS.find(({ projections }) => projections.cli.command === name);
    if (operation?.inServer({}) !== true) {
      assert.match(examples, new RegExp(`^\\$ svc ${name} .*--json`, 'm'), `${name} has an example`);
    }
    const routes = (operation?.projections.http ?? []).map(({ method, path }) => `\`${method} ${path}\``);
    const expected = name === 'export' ? 'the tool `export` of agents' : routes.length === 0 ? 'no route' : null;
    if (expected !== null) assert.equal(route, expected);
    else assert.ok(routes.includes(route), `${name}: ${route}`);
  }
});

test(
  'docs/command.md names the fields of svc config, and no others',
  inFolder(async (cwd) => {
    const { out } = await svcHere(['config', 'check', '--json'], { cwd });
    const [, fields = ''] = /^\| `svc config` \| [^|]* \| (.*) \|$/m.exec(PAGE) ?? [];
    const named = [...fields.matchAll(/`(\w+)`/g)].map((match) => match[1]);
    assert.deepEqual(named, Object.keys(JSON.parse(out) as object));
  }),
);

test('docs/command.md names the fields that the schemas declare', () => {
  for (const [command, schema] of responseOf) {
    const [, fields = ''] = new RegExp(`^\\| \`svc ${command}\` \\| [^|]* \\| (.*) \\|$`, 'm').exec(PAGE) ?? [];
    if (command === 'explain' || command === 'stats') continue;
    for (const field of Object.keys(schema.properties ?? {})) {
      if (field === 'ignored_fields') continue;
      assert.ok(fields.includes(`\`${field}\``), `${command}: ${field}`);
    }
  }
});
