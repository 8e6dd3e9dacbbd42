/** Random documents of the four syntaxes for property tests, most of them valid. */

import fc from 'fast-check';
import { hasGraphs, isLines, type Syntax } from './tokeniser-support.js';

export const BASE = 'http://base.example/folder/file?query#fragment';

const pick = (...values: string[]) => fc.constantFrom(...values);

function joined(parts: fc.Arbitrary<string>, separator: string, minLength: number, maxLength: number) {
  return fc.array(parts, { minLength, maxLength }).map((list) => list.join(separator));
}

const iriBody = joined(
  pick('a', 'Z', '9', '~', '%20', '/', '.', '..', '#', '?', 'é', '漢', '😀', '-', '_', ':'),
  '',
  0,
  30,
);
const iriEscape = pick('\\u00e9', '\\U0001F600', '\\u0041');
const absoluteIri = fc
  .tuple(
    pick('http://ex.example/', 'https://ex.example/long/path/that/needs/blocks/', 'urn:x:', 'a+b-c.1:'),
    iriBody,
    iriEscape,
    fc.boolean(),
  )
  .map(([start, body, ending, escaped]) => `<${start}${body}${escaped ? ending : ''}>`);
const relativeIri = joined(pick('a', 'b', '/', '/', '..', '.', '../', './', '?q', '#f', 'é', '\\u0041'), '', 0, 6).map(
  (r) => `<${r}>`,
);

/** n3 resolves against bases without a hierarchy otherwise than RFC 3986. */
const baseIri = pick(
  '<http://new.example>',
  '<http://new.example/a/b/../c?q#f>',
  '<https://u@h.example:80/d/>',
  '<../up/>',
  '<#f>',
);

const blankLabel = joined(pick('a', 'Z', '0', '_', '-', '.x', 'é', '·y', '漢'), '', 1, 6).map((l) => `_:b${l}`);
const stringPiece = pick(
  'a',
  ' ',
  'words and more words',
  'é',
  '漢字',
  '😀',
  '\\n',
  '\\t',
  '\\\\',
  '\\"',
  "\\'",
  '\\u00e9',
  '\\U0001F600',
  '\t',
  '\u0001',
  '~',
  '#',
  '.',
  '<x>',
  '\u007f',
);
const shortBody = joined(stringPiece, '', 0, 12);
const tag = pick('@en', '@EN-gb', '@de-Latn-DE-1996', '@ar--rtl', '@En-GB--ltr');
const space = pick('', ' ', '  ', '\t');

function lineDocument(syntax: Syntax): fc.Arbitrary<string> {
  const datatype = pick(
    '<http://www.w3.org/2001/XMLSchema#string>',
    '<http://www.w3.org/2001/XMLSchema#integer>',
    '<urn:d>',
  );
  const literal = fc.oneof(
    shortBody.map((b) => `"${b}"`),
    fc.tuple(shortBody, tag).map(([b, t]) => `"${b}"${t}`),
    fc.tuple(shortBody, datatype).map(([b, d]) => `"${b}"^^${d}`),
  );
  const node = fc.oneof(absoluteIri, blankLabel);
  const graph = hasGraphs(syntax) ? fc.oneof(fc.constant(''), node) : fc.constant('');
  const quad = fc
    .tuple(node, absoluteIri, fc.oneof(node, literal), graph, space, pick('', ' # comment é', '\t'))
    .map(([s, p, o, g, w, c]) => `${w}${s} ${p}\t${o} ${g} .${c}`);
  const other = pick('', '# a comment 漢', '  ', 'VERSION "1.2"', 'version "1.2-basic" # x');
  const line = fc.oneof({ arbitrary: quad, weight: 6 }, { arbitrary: other, weight: 1 });
  return fc
    .tuple(fc.array(fc.tuple(line, pick('\n', '\r\n', '\r', '\n\n')), { maxLength: 12 }), fc.boolean())
    .map(([lines, open]) => lines.map(([text, end], i) => text + (open && i === lines.length - 1 ? '' : end)).join(''));
}

const prefixName = pick('', 'ex', 'a.b', 'p-1', 'é', 'averylongprefixname', 'true', 'base');
const localName = joined(
  pick('a', '0', 'Z', '_', ':', '.b', '-c', '%2F', '\\,', '\\-', 'é', '·', '漢', 'longer-local-name'),
  '',
  0,
  5,
).map((local) => local.replace(/^[-.·]+/, ''));
const prefixedName = fc.tuple(prefixName, localName).map(([p, l]) => `${p}:${l}`);
const turtleIri = fc.oneof(absoluteIri, relativeIri, prefixedName);
const gap = pick(' ', ' ', '\n', '\t', ' # comment é\n', '\r\n');
const longBody = joined(fc.oneof(stringPiece, pick('\n', '\r\n', '"x', "'y", '""z')), '', 0, 10);

const turtleString = fc.oneof(
  shortBody.map((b) => `"${b}"`),
  shortBody.map((b) => `'${b}'`),
  longBody.map((b) => `"""${b}"""`),
  longBody.map((b) => `'''${b}'''`),
);
const number = pick(
  '1',
  '-5',
  '+7',
  '0.5',
  '.5',
  '-.5',
  '1e3',
  '1.5E-3',
  '1.e2',
  '+.1e+9',
  '00012',
  '123456789012345678901234567890',
);
const simpleObject = fc.oneof(
  turtleIri,
  blankLabel,
  number,
  pick('true', 'false', 'a:b', '[]', '[ ]', '()', '( )'),
  turtleString,
  fc.tuple(turtleString, tag).map(([s, t]) => s + t),
  fc.tuple(turtleString, pick('', ' ', '\n'), turtleIri).map(([s, w, d]) => `${s}^^${w}${d}`),
);

const { object, predicates } = fc.letrec<{ object: string; predicates: string }>((tie) => ({
  object: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: simpleObject, weight: 6 },
    { arbitrary: fc.tuple(gap, tie('predicates'), gap).map(([a, p, b]) => `[${a}${p}${b}]`), weight: 1 },
    { arbitrary: joined(tie('object'), ' ', 0, 3).map((list) => `(${list} )`), weight: 1 },
  ),
  predicates: joined(
    fc
      .tuple(fc.oneof(turtleIri, fc.constant('a')), gap, joined(tie('object'), ' ,', 1, 3))
      .map(([p, w, list]) => `${p}${w}${list}`),
    ' ; ',
    1,
    3,
  ),
}));

const triples = fc.oneof(
  fc.tuple(fc.oneof(turtleIri, blankLabel, pick('[]', '()')), gap, predicates).map(([s, w, p]) => `${s}${w}${p}`),
  fc.tuple(predicates, fc.option(predicates, { nil: '' })).map(([inner, outer]) => `[ ${inner} ] ${outer}`),
  fc.tuple(joined(object, ' ', 1, 3), predicates).map(([list, p]) => `( ${list} ) ${p}`),
  fc.tuple(turtleIri, predicates).map(([s, p]) => `${s} ${p} ;`),
);

const directive = fc.oneof(
  fc.tuple(prefixName, fc.oneof(absoluteIri, relativeIri)).map(([p, i]) => `@prefix ${p}: ${i} .`),
  fc.tuple(pick('PREFIX', 'prefix', 'PreFix'), prefixName, absoluteIri).map(([k, p, i]) => `${k} ${p}: ${i}`),
  fc.tuple(pick('@base ', 'BASE'), baseIri).map(([k, i]) => `${k}${i}${k === 'BASE' ? '' : '.'}`),
  pick('@version "1.2" .', "VERSION '1.2'", 'version "1.2-basic"'),
);

const graphBlock = fc
  .tuple(
    fc.oneof(fc.constant(''), turtleIri, blankLabel, pick('[]', '[ ]', 'GRAPH _:g', 'graph <urn:g>', 'GRAPH []')),
    fc.array(triples, { maxLength: 4 }),
    pick('', ' .', '.\n'),
  )
  .map(([name, body, end]) => `${name} {\n${body.join(' .\n')}${body.length > 0 ? end : ''} }`);

function turtleDocument(syntax: Syntax): fc.Arbitrary<string> {
  const statement = fc.oneof(
    { arbitrary: triples.map((t) => `${t} .`), weight: 6 },
    { arbitrary: directive, weight: 2 },
    { arbitrary: pick('# comment 漢\n', '\n'), weight: 1 },
    ...(hasGraphs(syntax) ? [{ arbitrary: graphBlock, weight: 4 }] : []),
  );
  const prefixes = ['', 'ex', 'a.b', 'p-1', 'é', 'averylongprefixname', 'true', 'a', 'base'];
  const head = prefixes.map((p, i) => `@prefix ${p}: <http://ns.example/${i}#> .\n`).join('');
  return fc.array(statement, { maxLength: 10 }).map((list) => head + list.join('\n'));
}

export function documentOf(syntax: Syntax): fc.Arbitrary<string> {
  return isLines(syntax) ? lineDocument(syntax) : turtleDocument(syntax);
}

/** A few bytes of a document replaced, removed, doubled or inserted. */
export function mutated(document: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> {
  const bytes = fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(...Buffer.from('<>"\'\\@^_:.;,()[]{}#~|%-+eau \n\r\t\0\u00e9a1').values()),
  );
  const change = fc.tuple(fc.nat(), fc.constantFrom('set', 'remove', 'insert', 'cut', 'double'), bytes);
  return fc.tuple(document, fc.array(change, { minLength: 1, maxLength: 4 })).map(([text, changes]) => {
    let list = [...Buffer.from(text)];
    for (const [place, kind, byte] of changes) {
      const at = list.length === 0 ? 0 : place % list.length;
      if (kind === 'set') list[at] = byte;
      else if (kind === 'remove') list.splice(at, 1 + (byte % 5));
      else if (kind === 'insert') list.splice(at, 0, byte);
      else if (kind === 'double') list.splice(at, 0, ...list.slice(at, at + (byte % 8)));
      else list = list.slice(0, at);
    }
    return Uint8Array.from(list);
  });
}
