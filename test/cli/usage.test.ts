/** What the command says about itself and about lines that it can't follow. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMANDS } from '../../engine/service/operations/commands.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, svc, svcHere } from './svc.js';

const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { version: string };

const GRAPH_COMMANDS = 'graph list, graph create, graph label, graph freeze, graph thaw, graph import';

test(
  'version and help, in each of their spellings',
  inFolder(async (cwd) => {
    for (const words of [['--version'], ['-V'], ['version']]) {
      assert.deepEqual(await svc(words, { cwd }), { code: 0, signal: null, out: `svc ${version}\n`, err: '' });
    }
    const [long, short, word] = await Promise.all([['--help'], ['-h'], ['help']].map((words) => svc(words, { cwd })));
    assert.equal(long?.code, 0);
    assert.match(long?.out ?? '', /^Usage: svc \[options\] \[command\]/);
    assert.equal(short?.out, long?.out);
    assert.equal(word?.out, long?.out);
  }),
);

test(
  'every command has help with examples, and the program lists it',
  inFolder(async (cwd) => {
    const { out: whole } = await svcHere(['--help'], { cwd });
    for (const operation of COMMANDS) {
      const { command, aliases = [], examples } = operation.projections.cli;
      assert.ok(examples.length > 0, command);
      const { code, out } = await svcHere([command, '--help'], { cwd });
      assert.equal(code, 0);
      for (const example of examples) assert.ok(out.includes(`  ${example}\n`), `${command}: ${example}`);
      assert.match(whole, new RegExp(`^  ${[command, ...aliases].join('\\|')}`, 'm'));
      assert.match(out, /--db <path>/);
      assert.match(out, /--json/);
    }
  }),
);

test(
  'nothing asked: usage, exit 2',
  inFolder(async (cwd) => {
    const { code, out, err } = await svc([], { cwd });
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^Usage: svc /);
    assert.equal((await svc(['--db', 'x'], { cwd })).code, 2);
  }),
);

test(
  'an unknown command: exit 1, with usage',
  inFolder(async (cwd) => {
    const { code, out, err } = await svc(['frobnicate', '--x'], { cwd });
    assert.deepEqual([code, out], [1, '']);
    assert.equal(
      err,
      'unknown command: frobnicate\n\nUsage: svc [options] [command]\n\nsvc help lists the commands.\n',
    );
    const near: readonly (readonly [string, string])[] = [
      ['raed', 'read'],
      ['lod', 'load, cord, fold'],
      ['transaction', 'transactions'],
    ];
    for (const [word, meant] of near) {
      const told = await svcHere([word, 'x'], { cwd });
      assert.deepEqual([told.code, told.out], [1, '']);
      assert.ok(told.err.startsWith(`unknown command: ${word}\n  hint: did you mean ${meant}?\n\nUsage: `), told.err);
    }
  }),
);

test(
  'commands of two words: wherever options stand, in help, and where the second word is none',
  inFolder(async (cwd) => {
    const made = await svcHere(['--db', 'a.svc', 'knot', '-'], { cwd });
    assert.equal(made.code, 0, made.err);
    const { out } = await svcHere(['graph', 'create', 'http://e/g', '--db=a.svc'], { cwd });
    assert.equal(out, 'created http://e/g\n');
    const listed =
      'graph               class      lifecycle  kind  facts\n' +
      'http://e/g          committed  -          -     0\n' +
      'urn:svc:graph:meta  committed  -          -     0\n' +
      'urn:svc:graph:root  committed  -          -     0\n';
    for (const words of [
      ['graph', 'list', '--db', 'a.svc'],
      ['--db', 'a.svc', 'graph', 'list'],
      ['graph', '--db', 'a.svc', 'list'],
    ]) {
      assert.deepEqual(await svcHere(words, { cwd }), { code: 0, signal: null, out: listed, err: '' });
    }
    const help = await svcHere(['help', 'graph', 'list'], { cwd });
    assert.match(help.out, /^Usage: svc graph list \[options\]/);
    assert.equal((await svcHere(['graph', 'list', '-h'], { cwd })).out, help.out);
    for (const words of [['graph'], ['graph', 'frob']]) {
      const { code, err } = await svcHere(words, { cwd });
      assert.equal(code, 1);
      assert.ok(
        err.startsWith(`unknown command: ${words.join(' ')}\n  hint: did you mean ${GRAPH_COMMANDS}?\n\nUsage: svc `),
        err,
      );
    }
    assert.match((await svcHere(['graph', 'list', 'x', '--db', 'a.svc'], { cwd })).err, /too many arguments/);
  }),
);

test(
  'an unknown flag, a missing and a superfluous argument: exit 2',
  inFolder(async (cwd) => {
    const cases: [string[], RegExp][] = [
      [['stats', '--frob'], /^error: unknown option '--frob'\n$/],
      [['--frob', 'stats'], /^error: unknown option '--frob'\n$/],
      [['knot'], /^error: missing required argument 'file'\n$/],
      [['read'], /^error: missing argument: sparql\n$/],
      [['read', 'ASK {}', '--file', 'x.rq'], /^error: give the sparql or --file, not both\n$/],
      [['stats', 'x'], /^error: too many arguments/],
      [['set', 'http://e/a', 'http://e/p'], /^error: missing required argument 'value'\n$/],
      [['retract'], /^error: missing required argument 'entity'\n$/],
      [['history', 'http://e/a', 'http://e/b'], /^error: too many arguments/],
      [['knot', '-', '--each', '--snapshot', 'k', '--replace-snapshot'], /^error: --each and --replace-snapshot: /],
      [['stats', '--db'], /^error: option '--db <path>' argument missing\n$/],
      [['knot', '-', '-'], /^error: standard input \(-\) can be read once only\n$/],
    ];
    for (const [words, message] of cases) {
      const { code, out, err } = await svcHere(words, { cwd });
      assert.deepEqual([words, code, out], [words, 2, '']);
      assert.match(err, message);
    }
  }),
);

test(
  'a bad value of a known flag: exit 1, naming the flag and what is expected',
  inFolder(async (cwd) => {
    const cases: [string[], RegExp][] = [
      [['read', 'ASK {}', '--tx', 'abc'], /^error: --tx is "abc"; expected an integer of at least 0\n$/],
      [['read', 'ASK {}', '--tx=-1'], /^error: --tx is -1; expected an integer of at least 0\n$/],
      [
        ['read', 'ASK {}', '--format', 'x'],
        /^error: --format is x; expected one of table, json, xml, csv, tsv, arrow, parquet, /,
      ],
      [['export', '--format', 'x'], /^error: --format is "x"; expected one of ntriples, /],
      [
        ['knot', '-', '--blank-node-scope', 'x'],
        /^error: --blank-node-scope is "x"; expected one of document, store\n$/,
      ],
      [['knot', '-', '--threads', '9'], /^error: --threads is 9; expected 1 or 2\n$/],
      [['knot', '-', '--format', 'x'], /^error: unknown format "x"\n {2}hint: known formats: /],
      [['knot', '-', '--valid-from', '2026-01-01'], /^error: .*2026-01-01/],
      [['export', '--construct', 'ASK {}'], /--construct is a query of the form ASK; expected CONSTRUCT or DESCRIBE/],
    ];
    for (const [words, message] of cases) {
      const { code, out, err } = await svcHere([...words, '--db', ':memory:'], { cwd });
      assert.deepEqual([words, code, out], [words, 1, '']);
      assert.match(err, message);
    }
  }),
);

test(
  'what people write first, and what they should: the words of the command line alone',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'q.rq'), 'ASK {}');
    const cases: [string[], RegExp][] = [
      [['read', 'q.rq'], /^error: q\.rq is the name of a file, not SPARQL\n {2}hint: --file q\.rq reads it\n$/],
      [['read', 'none.rq'], /^error: none\.rq is not SPARQL, and there is no such file\n$/],
      [['set', 'a:a', 'a:p', 'hello'], /^error: value: hello is no JSON; .*\n {2}hint: .* text, write '"hello"': /],
      [['set', 'a:a', 'a:p', 'a:b'], /\n {2}hint: to mean this IRI, write '{"iri":"a:b"}': /],
      [['update', 'ASK {}'], /hint: ask it with svc read\n$/],
      [['read', 'INSERT DATA {}'], /hint: run it with svc update\n$/],
      [
        ['validate', '--data', 'q.rq'],
        /^error: missing --shapes: no set of shapes is stored\n {2}hint: .*svc shapes load\n$/,
      ],
      [['shapes', 'get', 'x'], /hint: svc shapes list shows those there are\n$/],
      [['queries', 'get', 'x'], /hint: svc queries list shows those there are\n$/],
      [['ask', 'x'], /^error: unknown query: x\n {2}hint: svc ask lists those there are\n$/],
      [['ask', 'entity_facts'], /^error: missing 'entity' parameter\n {2}hint: --params '{"entity": ...}' gives it\n$/],
      [['ask', 'entity_facts', '--params', 'a=b'], /^error: --params is no JSON: a=b\n {2}hint: /],
      [['unravel'], /^error: .*--tx.*--valid-at/],
      [['knot', 'q.rq', '--replace-snapshot'], /^error: --replace-snapshot needs a --snapshot key/],
    ];
    for (const [words, message] of cases) {
      const { code, out, err } = await svcHere([...words, '--db', ':memory:'], { cwd });
      assert.deepEqual([words, code, out], [words, 1, '']);
      assert.match(err, message);
    }
  }),
);

test(
  'what does not exist yet is refused by name',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'a.ttl'), '');
    const cases: [string[], RegExp][] = [[['read', 'ASK {}', '--fork', 'f'], /no such fork: f/]];
    for (const [words, message] of cases) {
      const { code, err } = await svcHere([...words, '--db', ':memory:'], { cwd });
      assert.deepEqual([words, code], [words, 1]);
      assert.match(err, message);
    }
  }),
);

test(
  'the configuration is read, and what is wrong in it stops the command',
  inFolder(async (cwd) => {
    mkdirSync(join(cwd, '.svc'));
    const file = join(cwd, '.svc/config.toml');
    writeFileSync(file, '[svc]\nstore_path = ":memory:"\n');
    assert.match((await svcHere(['stats'], { cwd })).out, /^store: :memory:\n/);
    writeFileSync(file, '[svc]\n# where\nstore = "x"\n');
    const wrong = await svcHere(['stats'], { cwd });
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /^error: .*config\.toml:3: unknown key svc\.store; known here: store_path/);
    const other = join(cwd, 'other.toml');
    writeFileSync(other, '[svc]\nstore_path = ":memory:"\n');
    assert.equal((await svcHere(['stats', '--config', other], { cwd })).code, 0);
    assert.equal((await svcHere(['stats'], { cwd, environment: { SVC_CONFIG: other } })).code, 0);
    const missing = await svcHere(['stats', '--config', 'none.toml'], { cwd });
    assert.deepEqual(
      [missing.code, missing.err],
      [1, "error: none.toml: the configuration can't be read: no such file\n"],
    );
  }),
);
