/** What the page knows without a browser: addresses, forms of queries, texts that are shown, plans, names that complete. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatUrl, parseUrl } from '../../interfaces/ui/page/address.js';
import { curieOf, declaredPrefixes, lineOf } from '../../interfaces/ui/parts/prefixes.js';
import { cut, shown, shownLine } from '../../interfaces/ui/parts/text.js';
import { lineChanges } from '../../interfaces/ui/schema/line-changes.js';
import { NameIndex, writtenName } from '../../interfaces/ui/workbench/editor/name-index.js';
import { packed, unpacked } from '../../interfaces/ui/workbench/packed-text.js';
import { queryForm, titleOf } from '../../interfaces/ui/workbench/query-form.js';
import { planRows, worstOf } from '../../interfaces/ui/workbench/results/plan.js';
import { activeOf, newTab, withoutTab, withTab } from '../../interfaces/ui/workbench/tabs.js';

test('an address is read as it was written, for every state', () => {
  const text = fc.string({ unit: 'binary' }).map((one) => Buffer.from(one).toString());
  const name = fc.constantFrom('q', 'z', 'tab', 'iri', 'from', 'x y');
  const scope = fc.record(
    {
      validAt: fc.option(fc.constantFrom('2025-03-31', '2025-03-31T09:00:00+02:00')),
      tx: fc.option(fc.integer({ min: 1, max: 2 ** 40 })),
      graph: fc.option(fc.constantFrom('http://ex.org/g?a=b&c=d#e', 'urn:größe', 'dataset')),
    },
    { noNullPrototype: true },
  );
  const view = fc.constantFrom('workbench', 'entity', 'timeline');
  const base = fc.constantFrom('', '/below/a path');
  fc.assert(
    fc.property(
      view,
      fc.dictionary(name, text, { noNullPrototype: true }),
      scope,
      base,
      (view_, state, scope_, base_) => {
        const prefix = encodeURI(base_);
        const url = new URL(
          formatUrl({ view: view_, state, scope: scope_ }, { path: `${prefix}/ui`, base: prefix }),
          'http://h',
        );
        assert.deepEqual(parseUrl(url, prefix, 'home'), { view: view_, state, scope: scope_ });
      },
    ),
  );
});

test('whatever stands in an address gives one; nonsense is left out', () => {
  const at = (hash: string) => parseUrl(new URL(`http://h/ui${hash}`), '', 'home');
  const now = { validAt: null, tx: null, graph: null };
  assert.deepEqual(at(''), { view: 'home', state: {}, scope: now });
  assert.deepEqual(at('#/workbench?tx=-1&at=&g='), { view: 'workbench', state: {}, scope: now });
  assert.deepEqual(at('#%E0%A4%A'), { view: '%E0%A4%A', state: {}, scope: now });
  const entity = parseUrl(new URL('http://h/b/entity/http%3A%2F%2Fex.org%2Fa%23b#/?at=2025-01-01'), '/b', 'home');
  assert.deepEqual(entity, {
    view: 'entity',
    state: { iri: 'http://ex.org/a#b' },
    scope: { ...now, validAt: '2025-01-01' },
  });
});

test('the form of a text, behind its declarations and comments', () => {
  const forms: readonly (readonly [string, string | null])[] = [
    ['SELECT * {}', 'select'],
    ['# ASK\nPREFIX a: <http://ex.org/#> base <http://x/>\n ask {}', 'ask'],
    ['VERSION "1.2" DESCRIBE <x>', 'describe'],
    ['PREFIX : <x:> CONSTRUCT WHERE { ?s ?p ?o }', 'construct'],
    ['prefix ex:<http://e/> ;; INSERT DATA {}', 'update'],
    ['WITH <g> DELETE {} WHERE {}', 'update'],
    ['clear all', 'update'],
    ['', null],
    ['SELEC', null],
    ['{ SELECT }', null],
  ];
  for (const [text, form] of forms) assert.equal(queryForm(text), form, text);
  assert.equal(titleOf('# What it is\nSELECT'), 'What it is');
  assert.equal(titleOf('PREFIX a: <b>\n\nSELECT ?x'), 'SELECT ?x');
  assert.equal(titleOf('   '), 'Untitled');
});

test('text of a store: what has no shape or turns its surroundings is written out, and characters stay whole', () => {
  assert.equal(shown('a\u0000b\u202ec\u2066\ud800\n\tשלום <b>'), 'a\\u0000b\\u202Ec\\u2066\\uD800\n\tשלום <b>');
  assert.equal(cut('ab😀c', 3), 'ab');
  assert.equal(cut('ab😀c', 4), 'ab😀');
  assert.equal(shownLine('a\n  b'.repeat(100), 8), 'a b…'.slice(0, 3) + shownLine('a\n  b'.repeat(100), 8).slice(3));
  assert.ok(shownLine('x'.repeat(1_000_000), 100).length === 101);
});

test('an IRI for one line: by a prefix, or its last part where it is long', () => {
  const long = 'https://spec.example.org/an/ontology/of/finance';
  assert.equal(lineOf(`${long}/Bank`, {}), '…/Bank');
  assert.equal(lineOf(`${long}#Bank/`, {}), '…#Bank/');
  assert.equal(lineOf(`${long}/Bank`, { fin: `${long}/` }), 'fin:Bank');
  assert.equal(lineOf('http://ex.org/Bank', {}), 'http://ex.org/Bank');
  assert.equal(lineOf(`urn:${'x'.repeat(60)}`, {}), `urn:${'x'.repeat(60)}`);
});

test('prefixes of a text that declares several in one line', () => {
  const both = { a: 'urn:a#', b: 'urn:b#' };
  assert.deepEqual(
    declaredPrefixes('@prefix a: <urn:a#> . @prefix b: <urn:b#> . a:x b:y "PREFIX c: <urn:c#>" .'),
    both,
  );
  assert.deepEqual(declaredPrefixes('PREFIX a: <urn:a#> PREFIX b: <urn:b#> SELECT * { ?s ?p ?o }'), both);
});

test('prefixes: the longest namespace, and only a rest that may stand there', () => {
  const prefixes = { ex: 'http://ex.org/', deep: 'http://ex.org/deep/' };
  assert.equal(curieOf('http://ex.org/deep/a', prefixes), 'deep:a');
  assert.equal(curieOf('http://ex.org/deep/a/b', prefixes), null);
  assert.equal(curieOf('http://ex.org/a.', prefixes), null);
  assert.deepEqual(declaredPrefixes('PREFIX a: <x:>\n@prefix b: <y:> .\nprefix : <z:>'), {
    a: 'x:',
    b: 'y:',
    '': 'z:',
  });
  const known = { ex: 'http://ex.org/' };
  assert.deepEqual(writtenName('http://ex.org/a', {}, known), {
    text: 'ex:a',
    missing: 'PREFIX ex: <http://ex.org/>\n',
  });
  assert.deepEqual(writtenName('http://ex.org/a', { ex: 'http://other/' }, known), {
    text: '<http://ex.org/a>',
    missing: null,
  });
});

test('names that begin so, the most frequent first', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => ({
    iri: `http://ex.org/has${at}`,
    local: `has${at}`,
    count: at,
  }));
  const index = new NameIndex(names);
  assert.deepEqual(
    index.byLocal('HAS999', 3).map(({ count }) => count),
    [9999, 9998, 9997],
  );
  assert.deepEqual(index.byIri('http://ex.org/has12', 1)[0]?.count, 1299);
  assert.deepEqual(index.byLocal('none', 5), []);
});

test('a plan: depths, how far guesses were off, and where it began', () => {
  const actual = (rows: number, complete = true) => ({ rows, complete, timeMs: 1, ownTimeMs: 1, runs: 1 });
  const plan = {
    operator: 'project',
    estimatedRows: 100,
    actual: actual(1_000),
    inputs: [
      {
        operator: 'hashJoin',
        detail: 'on ?s',
        estimatedRows: 100,
        actual: actual(1_000),
        inputs: [{ operator: 'scan', estimatedRows: 10, actual: actual(10) }],
      },
      { operator: 'scan', estimatedRows: 5_000, actual: actual(1, false) },
    ],
  };
  const rows = planRows(plan);
  assert.deepEqual(
    rows.map(({ operator, depth, offBy, tooLow }) => [operator, depth, offBy, tooLow]),
    [
      ['project', 0, 10, true],
      ['hashJoin', 1, 10, true],
      ['scan', 2, 1, false],
      ['scan', 1, null, false],
    ],
  );
  assert.equal(worstOf(rows)?.operator, 'hashJoin');
  assert.equal(worstOf(planRows({ operator: 'scan', estimatedRows: 3, actual: actual(3) })), null);
  assert.deepEqual(planRows('no plan'), []);
});

test('tabs: the neighbour follows one that closes, and there is always one', () => {
  const [a, b] = [newTab('a'), newTab('b')];
  const two = withTab({ tabs: [a], activeId: a.id }, b);
  assert.equal(activeOf(two).text, 'b');
  assert.equal(activeOf(withoutTab(two, b.id)).text, 'a');
  assert.equal(activeOf(withoutTab(two, a.id)).text, 'b');
  const none = withoutTab({ tabs: [a], activeId: a.id }, a.id);
  assert.deepEqual([none.tabs.length, activeOf(none).text], [1, '']);
});

test('a long text goes into an address and comes back', async () => {
  const text = `SELECT * { ${'?s ?p "é😀" . '.repeat(2_000)} }`;
  const short = await packed(text);
  assert.ok(short.length < 1_000 && /^[\w-]+$/.test(short), String(short.length));
  assert.equal(await unpacked(short), text);
  assert.equal(await unpacked('!'), null);
});

test('changes of lines make one text of the other, and are as few as can be', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 7 });
  const longestCommon = (a: readonly string[], b: readonly string[]): number =>
    a.length === 0 || b.length === 0
      ? 0
      : a[0] === b[0]
        ? 1 + longestCommon(a.slice(1), b.slice(1))
        : Math.max(longestCommon(a.slice(1), b), longestCommon(a, b.slice(1)));
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const text = (of: readonly string[]): string => of.map((line) => `${line}\n`).join('');
      const changes = lineChanges(text(before), text(after));
      const without = (change: string) => changes.filter((line) => line.change !== change).map((line) => line.text);
      assert.deepEqual([without('added'), without('removed')], [before, after]);
      assert.equal(changes.filter(({ change }) => change === 'same').length, longestCommon(before, after));
    }),
    { numRuns: 60 },
  );
  const many = Array.from({ length: 3_000 }, (_, at) => `line ${at}`);
  const other = lineChanges(many.join('\n'), many.map((line) => `${line}!`).join('\r\n'));
  assert.deepEqual([other.length, other.filter(({ change }) => change === 'same').length], [6_000, 0]);
});
