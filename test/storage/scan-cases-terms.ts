/** Behaviour of `encode` and `decode`: terms of every kind come back as they were. */

import assert from 'node:assert/strict';
import { type Literal, RDF_NS, type Term, terms } from '../../engine/rdf/terms.js';
import { isDictionaryTag, TAG, type TermId, tagOf, UNBOUND } from '../../engine/storage/ids/layout.js';
import type { Case, CaseContext } from './scan-case.js';
import { columnOf, complete, exactly, found, idOf, load, node, quad, ROOT, scan, show, typed } from './scan-support.js';

const LITERALS: readonly Literal[] = [
  terms.literal(''),
  terms.literal('plain'),
  terms.literal('line\nbreak "quoted" \\ back\tslash'),
  terms.literal('\u0000\u0001\u007f'),
  terms.literal('é ñ 漢字 \u{1f600} \u{10ffff}'),
  terms.literal('x'.repeat(100_000)),
  terms.literal(`${'ß'.repeat(5000)} tail`),
  terms.literal('plain', 'en'),
  terms.literal('plain', 'en-gb'),
  terms.literal('plain@en'),
  terms.literal('plain', terms.namedNode('http://example.org/type')),
  terms.literal('plain', terms.namedNode(`http://example.org/${'t'.repeat(3000)}`)),
  terms.literal('<b>x</b>', terms.namedNode(`${RDF_NS}HTML`)),
  typed('1', 'integer'),
  typed('01', 'integer'),
  typed('+1', 'integer'),
  typed('-0', 'integer'),
  typed('140737488355327', 'integer'),
  typed('140737488355328', 'integer'),
  typed(`9${'0'.repeat(300)}`, 'integer'),
  typed('1', 'byte'),
  typed('300', 'byte'),
  typed('abc', 'integer'),
  typed('1', 'decimal'),
  typed('1.0', 'decimal'),
  typed('1.00', 'decimal'),
  typed('-99.50', 'decimal'),
  typed('.5', 'decimal'),
  typed('1.5', 'double'),
  typed('1.5e0', 'double'),
  typed('NaN', 'double'),
  typed('1.5', 'float'),
  typed('true', 'boolean'),
  typed('1', 'boolean'),
  typed('TRUE', 'boolean'),
  typed('2024-02-29', 'date'),
  typed('2024-02-29Z', 'date'),
  typed('2024-02-30', 'date'),
  typed('-0044-03-15', 'date'),
  typed('2024-02-29T12:34:56', 'dateTime'),
  typed('2024-02-29T12:34:56.789+05:45', 'dateTime'),
  typed('2024-02-29T12:34:56.7', 'dateTime'),
  typed('2024-02-29T24:00:00Z', 'dateTime'),
  typed('12:00:00', 'time'),
  typed('2024', 'gYear'),
  typed('P1Y', 'duration'),
  typed('0a', 'hexBinary'),
];

const RESOURCES: readonly Term[] = [
  ROOT,
  node('a'),
  node('é/漢字'),
  node('x'.repeat(5000)),
  terms.namedNode('urn:x'),
  terms.namedNode('a:'),
  terms.blankNode('b0'),
  terms.blankNode('b.0-é'),
];

async function everyKind({ engine }: CaseContext): Promise<void> {
  const all = [...LITERALS, ...RESOURCES];
  const quads = all.map((term) => quad(node('s'), node('p'), term));
  await load(engine, quads, { blankNodeScope: 'store' });
  const snapshot = engine.snapshot();
  const ids = all.map((term) => idOf(snapshot, term));
  assert.equal(new Set(ids).size, all.length, 'different terms have different ids');
  assert.deepEqual(snapshot.decode(columnOf(ids), ids.length).map(show), all.map(show));
  for (const [at, term] of all.entries()) {
    const pattern = { o: exactly(ids[at] as TermId) };
    assert.deepEqual(found(snapshot, { pattern }), [
      `${show(node('s'))} ${show(node('p'))} ${show(term)} ${show(ROOT)}`,
    ]);
  }
  const again = snapshot.decode(columnOf([...ids, ...ids]), 2 * ids.length);
  assert.deepEqual(again.map(show), [...all, ...all].map(show), 'ids may repeat in a column');
  assert.deepEqual(snapshot.decode(columnOf(ids), 2).map(show), all.slice(0, 2).map(show), 'only the first rows');
  assert.deepEqual(snapshot.decode(new Uint32Array(0), 0), []);
}

async function tags({ engine }: CaseContext): Promise<void> {
  const wanted: [Term, number][] = [
    [terms.blankNode('b'), TAG.blank],
    [node('a'), TAG.iri],
    [terms.literal('a'), TAG.string],
    [terms.literal('a', 'en'), TAG.langString],
    [typed('01', 'integer'), TAG.typed],
    [typed('1', 'integer'), TAG.integer],
    [typed('1.5', 'decimal'), TAG.decimal],
    [typed('true', 'boolean'), TAG.boolean],
    [typed('2024-01-01', 'date'), TAG.date],
    [typed('2024-01-01T00:00:00', 'dateTime'), TAG.dateTime],
    [typed('2024-01-01T00:00:00.000', 'dateTime'), TAG.dateTimeMs],
    [typed('1.5', 'double'), TAG.double],
    [typed('1.5', 'float'), TAG.float],
  ];
  await load(
    engine,
    wanted.map(([term]) => quad(node('s'), node('p'), term)),
    { blankNodeScope: 'store' },
  );
  const snapshot = engine.snapshot();
  for (const [term, tag] of wanted) assert.equal(tagOf(idOf(snapshot, term)), tag, show(term));
}

async function equalTermsHaveOneId({ engine }: CaseContext): Promise<void> {
  const first = [terms.literal('a', 'EN-gb'), terms.literal('b', typed('', 'string').datatype)];
  const second = [terms.literal('a', 'en-GB'), terms.literal('b')];
  const quads = [...first, ...second].map((term) => quad(node('s'), node('p'), term));
  const { summary } = await load(engine, quads);
  assert.equal(summary.quadsRead, 4);
  assert.equal(summary.quadsAdded, 2);
  const snapshot = engine.snapshot();
  for (const [at, term] of first.entries()) assert.equal(idOf(snapshot, term), idOf(snapshot, second[at] as Term));
  const foreign = { ...terms.literal('a', 'en-gb'), termType: 'Literal', value: 'a', language: 'en-GB' } as Literal;
  assert.equal(idOf(snapshot, foreign), idOf(snapshot, first[0] as Term), 'terms of another factory');
  const [tagged] = snapshot.decode(columnOf([idOf(snapshot, first[0] as Term)]), 1) as [Literal];
  assert.equal(tagged.language, 'EN-gb', 'a language tag is kept as it was first written');
  const again = [
    quad(node('s'), node('q'), terms.literal('a', 'EN-GB')),
    quad(node('s'), node('q'), terms.literal('c', 'En')),
  ];
  await load(engine, again);
  const later = engine.snapshot();
  for (const tag of ['en', 'EN', 'En']) {
    const id = idOf(later, terms.literal('c', tag));
    assert.equal((later.decode(columnOf([id]), 1) as [Literal])[0].language, 'En');
  }
  const sameAgain = idOf(later, terms.literal('a', 'EN-GB'));
  assert.equal(sameAgain, idOf(snapshot, first[0] as Term));
  assert.equal((later.decode(columnOf([sameAgain]), 1) as [Literal])[0].language, 'EN-gb');
}

async function unknownTerms({ engine }: CaseContext): Promise<void> {
  await load(engine, [
    quad(node('s'), node('p'), terms.literal('known')),
    quad(node('s'), node('p'), typed('5', 'integer')),
  ]);
  const snapshot = engine.snapshot();
  const unknown: Term[] = [
    node('unknown'),
    terms.blankNode('unknown'),
    terms.literal('unknown'),
    terms.literal('known', 'en'),
    terms.literal('known', terms.namedNode('http://example.org/type')),
    typed('05', 'integer'),
  ];
  for (const term of unknown) assert.equal(snapshot.encode(term), null, show(term));
  assert.equal(snapshot.encode(terms.defaultGraph()), idOf(snapshot, ROOT), 'the default graph is ROOT');
  const six = idOf(snapshot, typed('6', 'integer'));
  assert.ok(!isDictionaryTag(tagOf(six)), 'an inlined literal has an id though it does not occur');
  assert.equal(scan(snapshot, { pattern: { o: exactly(six) } }).length, 0);
  assert.notEqual(six, UNBOUND);
}

async function directions({ engine }: CaseContext): Promise<void> {
  const all = [
    terms.literal('a', { language: 'ar', direction: 'rtl' }),
    terms.literal('a', { language: 'ar', direction: 'ltr' }),
    terms.literal('a', 'ar'),
  ];
  await load(
    engine,
    all.map((term) => quad(node('s'), node('p'), term)),
  );
  const snapshot = engine.snapshot();
  const ids = all.map((term) => idOf(snapshot, term));
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual(snapshot.decode(columnOf(ids), 3).map(show), all.map(show));
}

async function tripleTerms({ engine }: CaseContext): Promise<void> {
  const inner = quad(node('s'), node('p'), typed('1', 'integer'));
  const all = [
    inner,
    quad(node('s'), node('p'), inner),
    quad(terms.blankNode('b'), node('p'), terms.literal('x', 'en')),
  ];
  await load(
    engine,
    all.map((term) => quad(node('a'), node('says'), term)),
    { blankNodeScope: 'store' },
  );
  const snapshot = engine.snapshot();
  const ids = all.map((term) => idOf(snapshot, term));
  assert.deepEqual(ids.map(tagOf), [TAG.triple, TAG.triple, TAG.triple]);
  assert.deepEqual(snapshot.decode(columnOf(ids), 3).map(show), all.map(show));
  assert.equal(snapshot.encode(quad(node('s'), node('p'), typed('2', 'integer'))), null);
  assert.equal(snapshot.count(complete({ pattern: { o: exactly(ids[0] as TermId) } })), 1);
}

export const TERM_CASES: readonly Case[] = [
  { name: 'terms of every kind', run: everyKind },
  { name: 'tags of ids', run: tags },
  { name: 'equal terms have one id', run: equalTermsHaveOneId },
  { name: 'unknown terms', run: unknownTerms },
  { name: 'strings with a base direction', run: directions },
  { name: 'triple terms', run: tripleTerms },
];
