/** The parts of the session, each without a terminal and without a store. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { editDistance, nearestNames } from '../../engine/base/nearest.js';
import { statementKind } from '../../engine/query/parse/statement.js';
import { terms, XSD } from '../../engine/rdf/terms.js';
import { cellText, displayWidth, tableLines } from '../../interfaces/cli/output/table.js';
import { Prefixes } from '../../interfaces/cli/prefixes/prefixes.js';
import { TABLE_FORMATS, withFormat } from '../../interfaces/cli/repl/answers.js';
import { DOT_COMMANDS, helpText } from '../../interfaces/cli/repl/commands.js';
import { complete, type Vocabulary } from '../../interfaces/cli/repl/completion.js';
import { describeStatementFailure } from '../../interfaces/cli/repl/errors.js';
import { HistoryFile, historyPath } from '../../interfaces/cli/repl/history-file.js';
import { parseCount, parseSwitch, parseTime } from '../../interfaces/cli/repl/settings.js';
import { onOneLine, StatementReader } from '../../interfaces/cli/repl/statements.js';
import { inFolder } from './svc.js';

function isWhole(text: string): boolean {
  try {
    statementKind(text);
    return true;
  } catch {
    return false;
  }
}

/** Each statement as its kind, its line and its text. */
function cut(text: string): string[] {
  const reader = new StatementReader(isWhole);
  const found = text.split('\n').map((line) => reader.push(line));
  return [...found, reader.end()].flatMap((one) => (one === null ? [] : [`${one.kind} ${one.line} ${one.text}`]));
}

test('a statement ends with ; outside of brackets, a line that is only ;, an empty line, or the input', () => {
  assert.deepEqual(cut('ASK { ?s ?p 1 } ;  # why\nASK {}'), ['sparql 1 ASK { ?s ?p 1 }', 'sparql 2 ASK {}']);
  assert.deepEqual(cut('ASK { ?s ?p 1 ;\n ?q 2 };'), ['sparql 1 ASK { ?s ?p 1 ;\n ?q 2 }']);
  assert.deepEqual(cut('ASK { ?s (\n;\nASK {};'), ['sparql 1 ASK { ?s (', 'sparql 3 ASK {}']);
  assert.deepEqual(cut('\n\nSELECT *\n\n{ ?s ?p ?o }\n\nLIMIT 1'), [
    'sparql 3 SELECT *\n\n{ ?s ?p ?o }',
    'sparql 7 LIMIT 1',
  ]);
  assert.deepEqual(cut('CLEAR ALL ; CLEAR ALL;'), ['sparql 1 CLEAR ALL ; CLEAR ALL']);
  assert.deepEqual(cut(';\n# nothing\n  \n;'), []);
});

test('marks inside strings, IRIs, comments and escaped names end nothing', () => {
  const texts = [
    'ASK { ?s ?p ";" }',
    'ASK { ?s ?p """;\n};\n\n"quoted" ;""" }',
    "ASK { ?s ?p '''{ \\''' ;\n''' }",
    'ASK { <http://e/#;{> ?p ?o # } ;\n}',
    'ASK { ?s ex:a\\;b "\\"{" }',
    'ASK { ?s ?p ?o FILTER(?o < 3 && ?o > 1) }',
  ];
  for (const text of texts) assert.deepEqual(cut(`${text};`), [`sparql 1 ${text}`]);
});

test('declarations stand for themselves before a statement, and belong to it within one', () => {
  assert.deepEqual(cut('PREFIX a: <http://a/>\nbase <http://b/> PREFIX : <http://c/> ; # all\nASK {};'), [
    'declarations 1 PREFIX a: <http://a/>',
    'declarations 2 base <http://b/> PREFIX : <http://c/> ; # all',
    'sparql 3 ASK {}',
  ]);
  assert.deepEqual(cut('PREFIX a: <http://a/> ASK {};'), ['sparql 1 PREFIX a: <http://a/> ASK {}']);
});

test('dot commands take their line; explain and profile take a statement', () => {
  assert.deepEqual(cut('  .format json  \n.explain\n.explain ASK {}\n.profile SELECT * {\n?s ?p ?o }\n;\n.help'), [
    'command 1 .format json',
    'command 2 .explain',
    'command 3 .explain ASK {}',
    'command 4 .profile SELECT * {\n?s ?p ?o }',
    'command 7 .help',
  ]);
  // Inside a statement a line that begins with a dot is part of it.
  assert.deepEqual(cut('ASK { ?s ?p ?o\n.help };'), ['sparql 1 ASK { ?s ?p ?o\n.help }']);
});

test('a long script is cut in time that grows with its length', () => {
  const reader = new StatementReader(() => {
    throw new Error('nothing here asks for the parser');
  });
  assert.equal(reader.push('INSERT DATA {'), null);
  for (let at = 0; at < 100_000; at++) assert.equal(reader.push(`<http://e/${at}> <http://e/p> ${at} .`), null);
  const text = reader.push('};')?.text ?? '';
  assert.equal(text.split('\n').length, 100_002);
});

test('a statement of several lines is recalled on one that says the same', () => {
  const text = 'SELECT * # all\n  { ?s ?p """a\n b""" ;\n\n ?q \'#\' }';
  const line = onOneLine(text);
  assert.equal(line, `SELECT * { ?s ?p """a\\n b""" ; ?q '#' }`);
  assert.ok(isWhole(line));
  assert.equal(onOneLine('ASK {} # stays'), 'ASK {} # stays');
});

const VOCABULARY: Vocabulary = {
  prefixes: ['ex', 'rdf', 'foaf'],
  names: ['foaf:name', 'foaf:knows', 'ex:age'],
  iris: ['http://xmlns.com/foaf/0.1/name', 'http://example.org/age'],
  commands: DOT_COMMANDS,
  files: (begun) => ['ask.rq', 'data/'].filter((name) => name.startsWith(begun)),
};

test('completion: keywords in the case that was begun, functions, prefixes, names, IRIs, variables', () => {
  const at = (line: string, before = '') => complete(line, before, VOCABULARY);
  assert.deepEqual(at('SEL'), { candidates: ['SELECT'], word: 'SEL' });
  assert.deepEqual(at('select * { ?s a ?t } lim').candidates, ['limit']);
  assert.deepEqual(at('FILTER(LANGM').candidates, ['LANGMATCHES(']);
  assert.deepEqual(at('SELECT * { ?s fo').candidates, ['foaf:']);
  assert.deepEqual(at('SELECT * { ?s foaf:').candidates, ['foaf:name', 'foaf:knows']);
  assert.deepEqual(at('SELECT * { ?s ^foaf:n').candidates, ['foaf:name']);
  assert.deepEqual(at('SELECT * { ?s <http://ex').candidates, ['<http://example.org/age>']);
  assert.deepEqual(at('  FILTER(?na', 'SELECT ?name ?nation { ?s ex:name ?name .').candidates, ['?name', '?nation']);
  assert.deepEqual(at('SELECT * { ').candidates, []);
  assert.deepEqual(at('SELECT * { ?s nope:').candidates, []);
});

test('completion: dot commands, their arguments, and files', () => {
  const at = (line: string, before = '') => complete(line, before, VOCABULARY);
  assert.deepEqual(at('.pre').candidates, ['.prefix', '.prefixes', '.predicates']);
  assert.deepEqual(at(':pre').candidates, [':prefix', ':prefixes', ':predicates']);
  assert.deepEqual(at(':timing o').candidates, ['on', 'off']);
  assert.deepEqual(at('.format tu').candidates, ['turtle']);
  assert.deepEqual(at('.timing o').candidates, ['on', 'off']);
  assert.deepEqual(at('.read a'), { candidates: ['ask.rq'], word: 'a' });
  assert.deepEqual(at('.explain SEL').candidates, ['SELECT']);
  assert.deepEqual(at('.help x').candidates, []);
  // Within a statement there are no commands.
  assert.deepEqual(at('.re', 'ASK { ?s ?p ?o').candidates, []);
});

test(
  'the history keeps statements as they are, for their owner only, and the newest when it grows',
  inFolder(async (folder) => {
    const path = join(folder, 'state', 'svc', 'history');
    const first = new HistoryFile(path);
    assert.deepEqual(first.entries, []);
    for (const text of ['ASK {}', 'ASK {}', ' SELECT *\n{ "\\" }  ', '', 'x'.repeat(200_000)]) first.add(text);
    assert.deepEqual(new HistoryFile(path).entries, ['ASK {}', 'SELECT *\n{ "\\" }']);
    assert.equal(statSync(path).mode & 0o777, 0o600);

    const other = new HistoryFile(path);
    for (let at = 0; at < 2100; at++) other.add(`ASK { ${at} }`);
    assert.equal(other.entries.length, 1000);
    const read = new HistoryFile(path).entries;
    assert.deepEqual([read.length, read.at(-1)], [1000, 'ASK { 2099 }']);
    assert.ok(readFileSync(path, 'utf8').split('\n').length < 2000);
    assert.equal(statSync(path).mode & 0o777, 0o600);

    writeFileSync(path, '"good"\nbad\n7\n', { mode: 0o644 });
    const mixed = new HistoryFile(path);
    mixed.add('more');
    assert.deepEqual([mixed.entries, statSync(path).mode & 0o777], [['good', 'more'], 0o600]);

    // A folder in its place: nothing is kept, and nothing fails.
    mkdirSync(join(folder, 'taken'));
    new HistoryFile(join(folder, 'taken')).add('ASK {}');
    new HistoryFile(null).add('ASK {}');
    assert.ok(!existsSync(join(folder, 'history')));
  }),
);

test('where the history is: a variable, the folder for states, or the home', () => {
  assert.equal(historyPath({ SVC_HISTORY: '/x/h', HOME: '/h' }), '/x/h');
  assert.equal(historyPath({ SVC_HISTORY: '', HOME: '/h' }), null);
  assert.equal(historyPath({ XDG_STATE_HOME: '/s', HOME: '/h' }), join('/s', 'svc', 'history'));
  assert.equal(historyPath({ HOME: '/h' }), join('/h', '.local', 'state', 'svc', 'history'));
  assert.equal(historyPath({}), null);
});

test('names near to a word', () => {
  const names = DOT_COMMANDS.map(({ name }) => name);
  assert.deepEqual(nearestNames('.fromat', names), ['.format']);
  assert.deepEqual(nearestNames('.pre', names)[0], '.prefix');
  assert.deepEqual(nearestNames('.zzzzzz', names), []);
  assert.equal(editDistance('abc', 'acb'), 1);
  assert.equal(editDistance('', 'abc'), 3);
  assert.equal(editDistance('kitten', 'sitting'), 3);
});

test('prefixes: declared before common before suggested; only those that a text needs are put before it', () => {
  const prefixes = new Prefixes();
  assert.ok(prefixes.declareFrom('PREFIX ex: <http://example.org/> BASE <http://base/> prefix : <http://e/>'));
  assert.equal(prefixes.base, 'http://base/');
  assert.equal(prefixes.declareFrom('ASK {}'), false);
  prefixes.suggest([
    'http://xmlns.com/foaf/0.1/',
    'http://a.org/vocab#',
    'http://b.org/vocab/',
    'http://my-site.co.uk/',
    'http://example.org/',
  ]);
  assert.deepEqual(
    prefixes.all.filter(({ origin }) => origin !== 'common').map(({ name, iri }) => `${name}: ${iri}`),
    [
      ': http://e/',
      'co: http://my-site.co.uk/',
      'ex: http://example.org/',
      'foaf: http://xmlns.com/foaf/0.1/',
      'vocab: http://a.org/vocab#',
      'vocab2: http://b.org/vocab/',
    ],
  );
  const text = 'PREFIX rdf: <http://other/> ASK { ex:a rdf:x "skos:no" , <foaf:no> . _:b :c ?owl } # vocab:no';
  assert.equal(prefixes.prologueFor(text), 'PREFIX : <http://e/> PREFIX ex: <http://example.org/>\n');
  assert.deepEqual(prefixes.unknownIn('ASK { no:x foaf:y ?z }'), ['no']);
  assert.ok(prefixes.forget('ex') && !prefixes.forget('ex'));
});

test('an error points at its place in what was written', () => {
  const at = (line: number, column: number) =>
    new SvcError('parse_error', 'wrong', { position: { line, column }, hint: 'do' });
  const text = 'SELECT *\n{\t?s ?p }';
  assert.equal(
    describeStatementFailure(at(3, 6), { text, linesBefore: 1 }).text,
    'error: 2:6: wrong\n  {\t?s ?p }\n   \t   ^\n  hint: do\n',
  );
  const source = { name: 'a.rq', line: 10 };
  assert.match(
    describeStatementFailure(at(2, 1), { text, linesBefore: 0, source }).text,
    /^error: a\.rq:11:1: wrong\n/,
  );
  const long = `${'x'.repeat(300)}!${'y'.repeat(300)}`;
  const [, shown = '', mark = ''] = describeStatementFailure(at(1, 301), { text: long, linesBefore: 0 }).text.split(
    '\n',
  );
  assert.equal(shown[mark.indexOf('^')], '!');
  assert.ok(shown.length < 120);
  // Without a place, or with one outside of the statement, the whole account.
  assert.equal(describeStatementFailure(new SvcError('store_missing', 'gone'), null).text, 'error: gone\n');
  assert.equal(describeStatementFailure(at(1, 1), { text, linesBefore: 1 }).text, 'error: 1:1: wrong\n  hint: do\n');
});

async function table(rows: readonly (readonly string[])[], widthMax: number | null): Promise<string[]> {
  async function* each() {
    yield* rows;
  }
  let whole = '';
  for await (const text of tableLines(['?a', '?b'], each(), { widthMax })) whole += text;
  return whole.split('\n').slice(0, -1);
}

test('a table: aligned by its first rows, cut to the terminal, wide characters counted', async () => {
  assert.deepEqual(await table([], null), ['?a  ?b', '--  --']);
  assert.deepEqual(
    await table(
      [
        ['1', 'two'],
        ['three', ''],
      ],
      null,
    ),
    ['?a     ?b', '-----  ---', '1      two', 'three'],
  );
  const [head = '', , row = ''] = await table([['x'.repeat(100), 'short']], 40);
  assert.ok(displayWidth(row) <= 40, row);
  assert.ok(row.includes('…  short') && head.startsWith('?a'));
  assert.deepEqual(
    await table(
      [
        ['日本', 'x'],
        ['e\u0301', 'y'],
      ],
      null,
    ),
    ['?a    ?b', '----  --', '日本  x', 'e\u0301     y'],
  );
  const many = await table(
    Array.from({ length: 500 }, (_, at) => [String(at), 'v']),
    null,
  );
  assert.equal(many.length, 502);
  assert.equal(many.at(-1), '499  v');
});

test('cells: names for IRIs, numbers bare, datatypes by name, and nothing that a terminal would obey', () => {
  const nameOf = (iri: string): string => (iri.startsWith(XSD) ? `xsd:${iri.slice(XSD.length)}` : `<${iri}>`);
  const cell = (term: Parameters<typeof cellText>[0]) => cellText(term, nameOf);
  assert.equal(cell(undefined), '');
  assert.equal(cell(terms.namedNode('http://e/a')), '<http://e/a>');
  assert.equal(cell(terms.literal('5', terms.namedNode(`${XSD}integer`))), '5');
  assert.equal(cell(terms.literal('2020-01-01', terms.namedNode(`${XSD}date`))), '"2020-01-01"^^xsd:date');
  assert.equal(cell(terms.literal('a\u001b[2J\u202eb\nc')), '"a\\u001b[2J\\u202eb\\nc"');
});

test('settings are checked, formats go to the kinds that they can hold', () => {
  assert.equal(parseSwitch('off', '.timing'), false);
  assert.throws(() => parseSwitch('maybe', '.timing'), { message: ".timing is 'maybe'; expected on or off" });
  assert.equal(parseCount('12', '.tx', 0), 12);
  assert.equal(parseCount('off', '.tx', 0), null);
  for (const wrong of ['', '-1', '1.5', 'x', '99999999999999999999']) assert.throws(() => parseCount(wrong, '.tx', 0));
  assert.throws(() => parseCount('0', '.limit', 1), /at least 1/);
  assert.equal(parseTime('2026-01-01'), '2026-01-01');
  assert.throws(() => parseTime('soon'), { code: 'invalid_request' });
  assert.deepEqual(withFormat(TABLE_FORMATS, 'json'), { rows: 'json', boolean: 'json', graph: 'table' });
  assert.deepEqual(withFormat(TABLE_FORMATS, 'turtle'), { rows: 'table', boolean: 'table', graph: 'turtle' });
  assert.throws(() => withFormat(TABLE_FORMATS, 'yaml'), { code: 'unknown_format' });
});

test('help names every command once', () => {
  const text = helpText();
  for (const { name, summary } of DOT_COMMANDS) {
    assert.match(text, new RegExp(`^${name.replace('.', '\\.')}[ ].*`, 'm'));
    assert.ok(text.includes(summary), name);
  }
  assert.equal(new Set(DOT_COMMANDS.map(({ name }) => name)).size, DOT_COMMANDS.length);
});
