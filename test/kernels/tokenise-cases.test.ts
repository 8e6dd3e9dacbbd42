/** Single cases of the tokenisers: error codes with their places, limits, state that spans calls. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isTokeniseError,
  NESTING_MAX,
  PREFIXES_MAX,
  TOKENISE,
  tokeniseMessage,
} from '../../engine/kernels/tokenise-errors.js';
import { TERM_KIND } from '../../engine/kernels/tokenise-state.js';
import { KernelBench, type Syntax, twin } from './tokeniser-support.js';

const encoder = new TextEncoder();
const bench = new KernelBench();

/** `¦` marks the place of the error and is no part of the document. */
const ERRORS: readonly (readonly [Syntax, string, keyof typeof TOKENISE])[] = [
  ['ntriples', '<a:s> <a:p> ¦<o> .\n', 'relativeIri'],
  ['ntriples', '<a:s> <a:p> <a:¦ o> .\n', 'invalidIriCharacter'],
  ['ntriples', '<a:s> <a:p> <a:¦\\u0020o> .\n', 'invalidIriCharacter'],
  ['ntriples', '<a:s> <a:p> <a:o¦ .', 'invalidIriCharacter'],
  ['ntriples', '<a:s> <a:p> ¦<a:o', 'unterminatedIri'],
  ['ntriples', '<a:s> <a:p> ¦<a:o\n> .\n', 'unterminatedIri'],
  ['ntriples', '<a:s> <a:p> ¦"o\n', 'unterminatedString'],
  ['ntriples', '<a:s> <a:p> "o¦\\x" .\n', 'invalidEscape'],
  ['ntriples', '<a:s> <a:p> "o¦\\u12G4" .\n', 'invalidEscape'],
  ['ntriples', '<a:s> <a:p> "o¦\\uD800" .\n', 'invalidCodePoint'],
  ['ntriples', '<a:s> <a:p> "o¦\\U00110000" .\n', 'invalidCodePoint'],
  ['ntriples', '<a:s> <a:p> "o¦\\UFFFFFFFF" .\n', 'invalidCodePoint'],
  ['ntriples', '<a:s> <a:p> "o"@¦ .\n', 'invalidLanguageTag'],
  ['ntriples', '<a:s> <a:p> "o"@¦abcdefghi .\n', 'invalidLanguageTag'],
  ['ntriples', '<a:s> <a:p> "o"@en-¦ .\n', 'invalidLanguageTag'],
  ['ntriples', '<a:s> <a:p> "o"@en--¦LTR .\n', 'invalidDirection'],
  [
    'ntriples',
    '<a:s> <a:p> "o"^^¦<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .\n',
    'taglessLanguageString',
  ],
  [
    'turtle',
    '<a:s> <a:p> "o"^^¦<http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString> .\n',
    'taglessLanguageString',
  ],
  ['ntriples', '<a:s> <a:p> "o"^^ ¦.\n', 'expectedDatatype'],
  ['ntriples', '<a:s> <a:p> _:¦-a .\n', 'invalidBlankLabel'],
  ['ntriples', '¦"s" <a:p> <a:o> .\n', 'expectedSubject'],
  ['ntriples', '<a:s> ¦_:p <a:o> .\n', 'expectedPredicate'],
  ['ntriples', '<a:s> <a:p> ¦5 .\n', 'expectedObject'],
  ['nquads', '<a:s> <a:p> <a:o> ¦"g" .\n', 'expectedGraph'],
  ['ntriples', '<a:s> <a:p> <a:o> ¦<a:g> .\n', 'expectedDot'],
  ['ntriples', '<a:s> <a:p> <a:o> . ¦<a:s> <a:p> <a:o> .\n', 'expectedLineEnd'],
  ['ntriples', 'VERSION ¦1.2\n', 'expectedVersion'],
  ['ntriples', '<a:s> <a:p> <a:o> .\n\n<a:s> <a:p> ¦<<( <a:s> <a:p> <a:o> )>> .\n', 'needsSlowPath'],
  ['turtle', '<a:s> <a:p> <a:o> ¦{| <a:q> 1 |} .', 'needsSlowPath'],
  ['turtle', '<a:s> <a:p> <a:o> ¦~ <a:r> .', 'needsSlowPath'],
  ['turtle', '¦ex:s <a:p> <a:o> .', 'undeclaredPrefix'],
  ['turtle', '@prefix ¦ex <a:> .', 'expectedPrefixName'],
  ['turtle', '@prefix ¦ex.: <a:> .', 'expectedPrefixName'],
  ['turtle', '@prefix ex: ¦ex:a .', 'expectedIri'],
  ['turtle', '@prefix : <a:> . :s :p :a¦%4 .', 'invalidLocalName'],
  ['turtle', '@prefix : <a:> . :s :p :a¦\\a .', 'invalidLocalName'],
  ['turtle', '<a:s> <a:p> +¦x .', 'invalidNumber'],
  ['turtle', '<a:s> <a:p> 1.5¦e .', 'expectedDot'],
  ['turtle', '<a:s> <a:p> <a:o>¦', 'unexpectedEnd'],
  ['turtle', '<a:s> <a:p> ( 1 ¦. ', 'expectedListEnd'],
  ['turtle', '<a:s> <a:p> [ <a:p> 1 ¦.', 'expectedBracket'],
  ['trig', 'GRAPH <a:g> ¦<a:s> <a:p> 1 .', 'expectedBrace'],
  ['trig', '<a:g> { <a:s> <a:p> 1 . ¦@prefix : <a:> . }', 'expectedSubject'],
  ['trig', '<a:g> { <a:s> <a:p> 1 . ¦', 'unexpectedEnd'],
  ['trig', '<a:g> { <a:s> <a:p> 1 . # no end¦', 'unexpectedEnd'],
  ['trig', '[ <a:p> 1 ] ¦{ }', 'expectedPredicate'],
  ['turtle', '<a:g> ¦{ <a:s> <a:p> 1 }', 'graphsNotAllowed'],
  ['turtle', '¦@Prefix : <a:> .', 'unknownDirective'],
  ['turtle', '¦s <a:p> 1 .', 'expectedName'],
  ['turtle', '<a:s> <a:p> ¦True .', 'expectedName'],
  ['turtle', '<a:s> <a:p> ¦"""o"" .', 'unterminatedString'],
  ['turtle', "VERSION ¦'''1.2'''", 'expectedVersion'],
];

test('each error has its code and its place', () => {
  for (const [syntax, marked, name] of ERRORS) {
    const mark = marked.indexOf('¦');
    const text = marked.replace('¦', '');
    const expected = { code: TOKENISE[name], offset: Buffer.byteLength(text.slice(0, mark)) };
    const { code, offset } = bench.run(syntax, encoder.encode(text));
    assert.deepEqual({ code, offset }, expected, `${marked}: ${tokeniseMessage(code)}`);
    const mirror = twin(syntax, encoder.encode(text));
    assert.deepEqual({ code: mirror.code, offset: mirror.offset }, expected, `${marked} (twin)`);
  }
});

test('UTF-8 is checked wherever text stands', () => {
  const broken = [
    'c0 80',
    'c1 bf',
    'e0 9f bf',
    'ed a0 80',
    'f0 8f bf bf',
    'f4 90 80 80',
    'f5 80 80 80',
    '80',
    'e2 82',
    'ff',
  ];
  const places = [
    '<a:s#> <a:p> 1 .',
    '<a:s> <a:p> "#" .',
    '<a:s> <a:p> "a\\n#" .',
    '# comment #\n',
    '<a:s> <a:p> _:a# .',
    '<a:s> <a:p> """#""" .',
  ];
  for (const hex of broken) {
    for (const place of places) {
      const [before, after] = place.startsWith('# c') ? ['# comment ', '\n'] : (place.split('#') as [string, string]);
      const bytes = Buffer.concat([
        Buffer.from(before),
        Buffer.from(hex.replaceAll(' ', ''), 'hex'),
        Buffer.from(after),
      ]);
      const result = bench.run('turtle', bytes);
      assert.equal(result.code, TOKENISE.invalidUtf8, `${hex} in ${place}`);
      assert.equal(result.offset, before.length, `${hex} in ${place}`);
    }
  }
});

test('UTF-8 verdicts are those of a decoder, at every place of a block', () => {
  const bytesOf = fc.constantFrom(
    0x41,
    0x7f,
    0x80,
    0x8f,
    0x90,
    0x9f,
    0xa0,
    0xbf,
    0xc1,
    0xc2,
    0xdf,
    0xe0,
    0xe1,
    0xed,
    0xef,
    0xf0,
    0xf3,
    0xf4,
    0xf5,
    0xff,
  );
  const text = fc.constantFrom('é', '漢', '😀', 'a').chain((c) => fc.nat({ max: 20 }).map((n) => c.repeat(n)));
  fc.assert(
    fc.property(
      text,
      fc.array(bytesOf, { minLength: 1, maxLength: 5 }),
      text,
      fc.boolean(),
      (before, odd, after, inIri) => {
        const middle = Buffer.concat([Buffer.from(before), Buffer.from(odd), Buffer.from(after)]);
        const [open, close] = inIri ? ['<a:', '> <a:p> <a:o> .'] : ['<a:s> <a:p> "', '" .'];
        const result = bench.run('ntriples', Buffer.concat([Buffer.from(open), middle, Buffer.from(close)]));
        let valid = true;
        try {
          new TextDecoder('utf-8', { fatal: true }).decode(middle);
        } catch {
          valid = false;
        }
        assert.equal(result.code, valid ? TOKENISE.ok : TOKENISE.invalidUtf8);
      },
    ),
    { numRuns: 4000 },
  );
});

test('all code points come through, in strings and in IRIs', () => {
  for (let start = 0x80; start < 0x110000; start += 0x1000) {
    let text = '';
    for (let p = start; p < start + 0x1000; p += 7)
      if (p <= 0x10ffff && (p < 0xd800 || p > 0xdfff)) text += String.fromCodePoint(p);
    const result = bench.run('ntriples', encoder.encode(`<a:${text}> <a:p> "${text}" .\n`));
    assert.equal(result.code, TOKENISE.ok);
    assert.equal(result.quads[0]![0].lexical, `a:${text}`);
    assert.equal(result.quads[0]![2].lexical, text);
  }
});

test('nesting has a limit, and reaches it', () => {
  const nested = (open: string, close: string, depth: number) =>
    `<a:s> <a:p> ${open.repeat(depth)} 1 ${close.repeat(depth)} .`;
  for (const [open, close] of [
    ['(', ')'],
    ['[ <a:p> ', ']'],
  ] as const) {
    assert.equal(bench.run('turtle', encoder.encode(nested(open, close, NESTING_MAX))).code, TOKENISE.ok);
    const deeper = encoder.encode(nested(open, close, NESTING_MAX + 1));
    const result = bench.run('turtle', deeper);
    assert.equal(result.code, TOKENISE.tooDeep);
    assert.deepEqual(result, twin('turtle', deeper));
  }
});

test('prefixes: as many as allowed, declared anew as often as one likes', () => {
  const declare = (count: number) =>
    Array.from({ length: count }, (_, i) => `@prefix p${i}: <http://e/${i}/> .\n`).join('');
  const use = Array.from({ length: 200 }, (_, i) => `p${i * 20}:s a p${i * 20 + 1}:o .\n`).join('');
  const full = bench.run('turtle', encoder.encode(declare(PREFIXES_MAX) + use));
  assert.equal(full.code, TOKENISE.ok);
  assert.equal(full.quads.length, 200);
  full.quads.forEach(([s, , o], i) => {
    assert.equal(s.lexical, `http://e/${i * 20}/s`);
    assert.equal(o.lexical, `http://e/${i * 20 + 1}/o`);
  });
  assert.equal(bench.run('turtle', encoder.encode(declare(PREFIXES_MAX + 1))).code, TOKENISE.tooManyPrefixes);
  const again = Array.from(
    { length: 20_000 },
    (_, i) => `PREFIX a: <http://e/${'x'.repeat(i % 50)}> a:s a a:o .\n`,
  ).join('');
  const result = new KernelBench(1 << 22).run('turtle', encoder.encode(again));
  assert.equal(result.code, TOKENISE.ok);
  result.quads.forEach(([s], i) => {
    assert.equal(s.lexical, `http://e/${'x'.repeat(i % 50)}s`);
  });
});

test('names may begin like a boolean, and a boolean may stand before a name', () => {
  const objects = (document: string): string[] => {
    const bytes = encoder.encode(document);
    const result = bench.run('turtle', bytes);
    assert.deepEqual(result, twin('turtle', bytes));
    assert.equal(result.code, TOKENISE.ok, document);
    return result.quads.map(([, , object]) => object.lexical);
  };
  assert.deepEqual(objects('@prefix false.ish: <a:e> . false.ish:a false.ish:b false.ish:c, true,false.'), [
    'a:ec',
    'true',
    'false',
  ]);
  assert.deepEqual(objects('PREFIX true.x: <a:e> true.x:a a true.x:c.'), ['a:ec']);
  assert.deepEqual(objects('@prefix : <a:e> . :a :b false.:c :d true.'), ['false', 'true']);
});

test('a graph block keeps its name from call to call', () => {
  for (const name of ['<http://e/graph>', '<relative>', 'ex:g\\,x', '_:g', '[]', '']) {
    const text = `@prefix ex: <http://x/> .\n${name} {\n<a:s> <a:p> 1, "long enough a string to be cut" . <a:s> <a:p> 2 }\n<a:s> <a:p> 3 .`;
    const bytes = encoder.encode(text);
    const whole = bench.run('trig', bytes, 'http://base/');
    assert.equal(whole.code, TOKENISE.ok);
    assert.equal(new Set(whole.quads.slice(0, 3).map((q) => JSON.stringify(q[3]))).size, 1);
    assert.equal(whole.quads[3]![3].kind, TERM_KIND.defaultGraph);
    for (let cut = 0; cut < bytes.length; cut++) {
      assert.deepEqual(bench.run('trig', bytes, 'http://base/', [cut]), whole, `${name} cut at ${cut}`);
    }
  }
  const long = encoder.encode(`<a:${'g'.repeat(20_000)}> { <a:s> <a:p> 1 }`);
  assert.equal(bench.run('trig', long).code, TOKENISE.graphNameTooLong);
});

test('anonymous nodes are numbered alike, however often a statement is read', () => {
  const bytes = encoder.encode('[] <a:p> [ <a:q> ( 1 [] ) ] .\n[] <a:p> () , ( [] ) .\n');
  const whole = bench.run('turtle', bytes);
  const numbers = new Set(
    whole.quads.flatMap((q) => q.filter((t) => t.kind === TERM_KIND.anonymous).map((t) => Number(t.lexical))),
  );
  assert.deepEqual(
    [...numbers].sort((a, b) => a - b),
    Array.from({ length: numbers.size }, (_, i) => i),
  );
  const cuts = Array.from(bytes, (_, i) => i);
  assert.deepEqual(bench.run('turtle', bytes, undefined, cuts), whole);
});

test('every error code has a message', () => {
  for (const code of Object.values(TOKENISE)) {
    if (typeof code === 'number' && isTokeniseError(code))
      assert.doesNotMatch(tokeniseMessage(code), /tokeniser result/);
  }
});
