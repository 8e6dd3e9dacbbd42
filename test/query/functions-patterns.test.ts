/** REGEX and REPLACE: the language of XPath, on an engine whose time is linear. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rangesOf } from '../../engine/query/regex/character-sets.js';
import { emitRegex } from '../../engine/query/regex/emit.js';
import { LinearRegex, type Match } from '../../engine/query/regex/linear-engine.js';
import { NativeRegex } from '../../engine/query/regex/native-engine.js';
import { parseFlags, parseRegex } from '../../engine/query/regex/parse-regex.js';
import { compilePattern, PatternCache } from '../../engine/query/regex/pattern.js';
import { parseReplacement, type ReplacementPart } from '../../engine/query/regex/replacement.js';
import { RegexSyntaxError, RegexUnsupported, rangesSet } from '../../engine/query/regex/syntax.js';
import { assertCases } from './expression-cases.js';
import { answer, storeOf } from './support.js';

test('REGEX and its flags', async () => {
  const yes = 'true^boolean';
  const no = 'false^boolean';
  await assertCases({
    'REGEX("abracadabra", "bra")': yes,
    'REGEX("abracadabra", "^a.*a$")': yes,
    'REGEX("abracadabra", "^bra")': no,
    'REGEX("abc"@en, "B", "i")': yes,
    'REGEX("abc", "b"@en)': '-',
    'REGEX(1, "1")': '-',
    'REGEX("abc", "b", "k")': '-',
    'REGEX("abc", "(")': '-',
    'REGEX("abc", "")': yes,
    'REGEX("a\\nb", "a.b")': no,
    'REGEX("a\\nb", "a.b", "s")': yes,
    'REGEX("a\\nb", "^b$")': no,
    'REGEX("a\\nb", "^b$", "m")': yes,
    'REGEX("helloworld", "hello[ ]world", "x")': no,
    'REGEX("helloworld", " hello world ", "x")': yes,
    'REGEX("a.b", "A.B", "qi")': yes,
    'REGEX("axb", "a.b", "q")': no,
    'REGEX("👪", "^.$")': yes,
    'REGEX("x", "^[a-z-[aeiou]]$")': yes,
    'REGEX("e", "^[a-z-[aeiou]]$")': no,
    'REGEX("é", "^[\\\\p{L}-[a-z]]$")': yes,
    'REGEX("α", "^\\\\p{IsGreek}$")': yes,
    'REGEX("a", "^\\\\P{IsGreek}$")': yes,
    'REGEX("٣", "^\\\\d$")': yes,
    'REGEX("_", "^\\\\w$")': no,
    'REGEX("+", "^\\\\w$")': yes,
    'REGEX("_", "^\\\\i\\\\c*$")': yes,
    'REGEX("-", "^\\\\i")': no,
    'REGEX(" ", "^[^\\\\S]$")': yes,
    'REGEX("a-b", "^[a\\\\-b]+$")': yes,
    'REGEX("a-b", "^[ab-]+$")': yes,
    'REGEX("aab", "^a{2}b$")': yes,
    'REGEX("ab", "^a{2,}b$")': no,
    'REGEX("ab", "^(?:a|b)+?$")': yes,
    'REGEX("K", "^\\u212A$", "i")': yes,
  });
});

test('REPLACE', async () => {
  await assertCases({
    'REPLACE("abcd", "b", "Z")': '"aZcd"',
    'REPLACE("abab", "B", "Z", "i")': '"aZaZ"',
    'REPLACE("abab"@en, "B.", "Z", "i")': '"aZb"@en',
    'REPLACE("abracadabra", "bra", "*")': '"a*cada*"',
    'REPLACE("abracadabra", "a.*?a", "*")': '"*c*bra"',
    'REPLACE("abracadabra", "a(.)", "a$1$1")': '"abbraccaddabbra"',
    'REPLACE("abcd", "(ab)|(a)", "[1=$1][2=$2]")': '"[1=ab][2=]cd"',
    'REPLACE("darted", "^(.*?)d(.*)$", "$1c$2")': '"carted"',
    'REPLACE("abc", "b", "\\\\$0\\\\\\\\")': '"a$0\\c"',
    'REPLACE("abc", "b", "<$0>")': '"a<b>c"',
    'REPLACE("abc", "(b)", "$12")': '"ab2c"',
    'REPLACE("abc", "b", "$")': '-',
    'REPLACE("abc", "b", "\\\\x")': '-',
    'REPLACE("abc", "x*", "-")': '-',
    'REPLACE("abc", "", "-")': '-',
    'REPLACE("a.c$1", ".", "$1", "q")': '"a$1c$1"',
    'REPLACE("aaa", "^a", "b")': '"baa"',
    'REPLACE("a👪a", "a$", "b")': '"a👪b"',
    'REPLACE("a\\nb", "^", "-", "m")': '-',
    'REPLACE(1, "1", "2")': '-',
  });
});

test('what is no regular expression of XPath is told from what is not evaluated', () => {
  for (const text of [
    '(',
    ')',
    'a)',
    '[',
    '[]',
    '[b-a]',
    'a**',
    '*',
    '^*',
    '\\',
    '\\y',
    '(?',
    '(?~a)',
    'a{2',
    'a{3,2}',
    '{',
    '\\p{Xx}',
    '\\p{IsNothing}',
    '[a[b]]',
    '[-[a]]',
  ]) {
    assert.throws(() => compilePattern(text, ''), RegexSyntaxError, text);
  }
  for (const text of [
    '(a)\\1',
    '\\bword\\b',
    'a\\B',
    '(?i)a',
    '(?=a)b',
    '(?<!a)b',
    '(?P<name>a)',
    'a{1001}',
    '(a{100}){100}',
    'a{99999999999}',
    '('.repeat(300),
    'a{1,1000}'.repeat(11),
    'x'.repeat(10_001),
  ]) {
    assert.throws(() => compilePattern(text, ''), RegexUnsupported, text.slice(0, 20));
  }
  assert.throws(() => compilePattern('a', 'z'), RegexSyntaxError);
});

test('a constant pattern that is not evaluated refuses the query; one from the data is an error of its row', async () => {
  const snapshot = (await storeOf('')).snapshot();
  await assert.rejects(answer(snapshot, 'ASK { VALUES ?v { "aa" } FILTER(REGEX(?v, "(a)\\\\1")) }'), {
    code: 'unsupported',
    message: /reference back to a group/,
  });
  const rows = 'SELECT ?p (REGEX("aa", ?p) AS ?x) { VALUES ?p { "(a)\\\\1" "(" "a" "a{2}" } }';
  assert.deepEqual(await answer(snapshot, rows), ['"(a)\\1" -', '"(" -', '"a" true^boolean', '"a{2}" true^boolean']);
});

test('patterns that let other engines try without end take the steps of the text', () => {
  const text = 'a'.repeat(200_000);
  for (const pattern of ['(a+)+$b', '(a|a)*b', '(a|aa)+$b', '(.*a){20}b', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
    assert.equal(compilePattern(pattern, '').test(text), false, pattern);
  }
  assert.equal(compilePattern('(a*)*$', '').test(text), true);
});

test('more work than a text and a pattern may make is refused with what to do', () => {
  const pattern = compilePattern('(?:a?){300}(b{300})c', '');
  assert.throws(() => pattern.test('a'.repeat(2 ** 20)), { code: 'query_complexity' });
});

test('plain texts are searched as texts, and find what the engine finds', () => {
  const texts = ['', 'a', 'ab', 'aab', 'bab', 'abab', 'ba'];
  for (const [pattern, source] of [
    ['ab', 'ab'],
    ['^ab', '\\Aab'],
    ['ab$', 'ab\\z'],
    ['^ab$', '\\Aab\\z'],
    ['^', '\\A'],
    ['$', '\\z'],
    ['^$', '\\A\\z'],
    ['a', 'a'],
  ] as const) {
    const found = compilePattern(pattern, '');
    const engine = new LinearRegex(source, false);
    for (const text of texts) {
      assert.equal(found.test(text), engine.test(text), `${pattern} on ${text}`);
      const places = (matches: Iterable<{ start: number; end: number }>) =>
        Array.from(matches, ({ start, end }) => [start, end]);
      if (pattern.length > 1 || pattern === 'a') {
        if (!found.test(''))
          assert.deepEqual(places(found.matches(text)), places(engine.matches(text)), `${pattern} in ${text}`);
      }
    }
  }
});

test('a cache forgets patterns when there are many, and keeps telling right ones from wrong ones', () => {
  const cache = new PatternCache();
  for (let index = 0; index < 100; index++) {
    assert.equal(cache.get(`a${index}b`, '')?.test(`xa${index}b`), true);
    assert.equal(cache.get(`a${index}B`, 'i')?.test(`xa${index}b`), true);
    assert.equal(cache.get(`(${index}`, ''), null);
  }
  assert.equal(cache.get('a1b', ''), cache.get('a1b', ''));
});

test('sets of characters', () => {
  const set = { ...rangesSet(false, [0x61, 0x7a], [0x63, 0x80]), without: rangesSet(false, [0x65, 0x65]) };
  assert.deepEqual(rangesOf(set), [
    [0x61, 0x64],
    [0x66, 0x80],
  ]);
  assert.deepEqual(rangesOf({ ...rangesSet(true, [0, 0x10fffe]), without: null }), [[0x10ffff, 0x10ffff]]);
});

function shown(matches: Iterable<Match>, groups: number): string[][] {
  // A match of the linear engine is good until the next one.
  return Array.from(matches, (match) => [
    `${match.start}-${match.end}`,
    ...Array.from({ length: groups }, (_, number) => match.group(number + 1)),
  ]);
}

test('a text without what every match holds is not searched', () => {
  const needle = (source: string, flags = '') => compilePattern(source, flags).needle;
  assert.deepEqual(needle('^(abc|b)x+defg.*h$'), { text: 'defg', fold: 'as-is' });
  assert.deepEqual(needle('[a-c](KLM)+', 'i'), { text: 'klm', fold: 'lower' });
  for (const [source, flags] of [
    ['abc|abd', ''],
    ['(abc)?d', ''],
    ['é[a]', 'i'],
    ['a[bc]d', ''],
  ]) {
    assert.equal(needle(source as string, flags), undefined, source);
  }
});

test('REPLACE in one go gives what it gives match by match', () => {
  for (const [text, source, replacement] of [
    ['a$b$', '\\$', '[\\$&\\$0]'],
    ['a$b$', 'b', '\\$1$0'],
    ['2020-01', '^([0-9]+)-([0-9]+)$', '$2/$1$0$3'],
    ['aXbX', '(a|b)(X)', '$2$11'],
    ['éé😀é', '[^a]é|😀', '<$0>'],
    ['abcb', 'a(x)?b', '[$1]'],
  ] as const) {
    const pattern = compilePattern(source, '');
    const parts = parseReplacement(replacement, pattern.groups) as ReplacementPart[];
    let expected = '';
    let from = 0;
    for (const match of new LinearRegex(emitRegex(parseRegex(source, parseFlags('')), parseFlags('')), false).matches(
      text,
    )) {
      const written = parts.map((part) => (typeof part === 'string' ? part : match.group(part)));
      expected += text.slice(from, match.start) + written.join('');
      from = match.end;
    }
    assert.equal(pattern.replace(text, parts), expected + text.slice(from), source);
  }
  // What a group within a repeat is differs between the engines.
  assert.equal(compilePattern('(?:a(b)?)+', '').replace('aba', ['x']), null);
  assert.equal(compilePattern('a', '').replace('a'.repeat(2000), ['x'.repeat(1000)]), null);
});

test('the quick engine finds what the linear one finds', () => {
  const flags = { caseless: false, dotAll: false, multiline: false, ignoreSpace: false, literal: false };
  const atom = fc.constantFrom(
    'a',
    'b',
    'k',
    '.',
    '[ab]',
    '[^a]',
    '\\d',
    '\\w',
    '\\s',
    '[a-z-[b]]',
    '\\p{Lu}',
    '\u212a',
    'é',
  );
  const repeat = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '*?');
  const piece = fc.tuple(atom, repeat).map(([one, count]) => one + count);
  const branch = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
  const group = fc.tuple(branch, branch, repeat).map(([a, b, count]) => `(${a}|${b})${count}`);
  const pattern = fc
    .tuple(fc.constantFrom('', '^'), fc.array(fc.oneof(branch, group), { maxLength: 3 }), fc.constantFrom('', '$'))
    .map(([start, parts, end]) => start + parts.join('') + end);
  const characters = ['a', 'b', 'A', 'B', 'k', 'K', '1', ' ', '_', '\n', '-', 'é', 'É', '\u212a', '\u017f', '😀'];
  const text = fc.array(fc.constantFrom(...characters), { maxLength: 12 });
  let quick = 0;
  let found = 0;
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 3, maxLength: 6 }), fc.boolean(), (source, texts, caseless) => {
      const own = { ...flags, caseless };
      const node = parseRegex(source, own);
      const native = NativeRegex.of(node, own);
      if (native === null) return;
      const linear = new LinearRegex(emitRegex(node, own), caseless);
      for (const characters of texts) {
        const one = characters.join('');
        if (!native.takes(one)) continue;
        quick++;
        assert.equal(native.test(one), linear.test(one), `${source} over ${JSON.stringify(one)}`);
        if (!native.findsAlike || native.test('')) continue;
        found++;
        const mine: string[][] = shown(native.matches(one), linear.groups);
        const other: string[][] = shown(linear.matches(one), linear.groups);
        assert.deepEqual(mine, other, `${source} over ${JSON.stringify(one)}`);
      }
    }),
    { numRuns: 2000 },
  );
  assert.ok(quick > 1000 && found > 300);
});

test('the quick engine leaves what could take long', () => {
  const flags = parseFlags('');
  for (const source of ['(a+)+$', '(a|a)*$', '(a*)*', '(a?){60}', '(a|b|ab|ba){20}', '((a{1,9}){1,9}){1,9}']) {
    assert.equal(NativeRegex.of(parseRegex(source, flags), flags), null, source);
  }
  const loops = NativeRegex.of(parseRegex('a*b*c*d', flags), flags) as NativeRegex;
  assert.ok(loops.takes('a'.repeat(10)) && !loops.takes('a'.repeat(100)) && loops.takes('é'));
  const digits = NativeRegex.of(parseRegex('a\\d', flags), flags) as NativeRegex;
  assert.ok(digits.takes('a') && !digits.takes('é'));
  // What can only begin where the text does is tried once.
  const [free, anchored] = ['[a-m].*n( |$)', '^[a-m].*n( |$)'].map((source) =>
    NativeRegex.of(parseRegex(source, flags), flags),
  );
  assert.ok(!free?.takes('a'.repeat(1000)) && anchored?.takes('a'.repeat(1000)));
});
