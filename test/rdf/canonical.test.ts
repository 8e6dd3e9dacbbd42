/** Canonical lines, canonical labels, and the comparison of datasets. The W3C suites hold the rest. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deadlineIn, raise, withDeadline } from '../../engine/base/interrupt.js';
import { compareCodePoints } from '../../engine/base/text.js';
import { canonicalLines } from '../../engine/rdf/canonical/lines.js';
import { canonize } from '../../engine/rdf/canonical/rdfc.js';
import { type Quad, type RDF, type Term, terms, XSD } from '../../engine/rdf/terms.js';
import { dataset, read } from './documents.js';
import { sameDataset } from './isomorphism.js';

const P = terms.namedNode('http://p/');

test('lines: escapes, order, no repetition', async () => {
  const quads = await read(
    `@prefix ex: <http://example.org/> . @prefix xsd: <${XSD}> .
     ex:b ex:p "é\\n\\"x\\"", "é\\n\\"x\\"" . ex:a ex:p "x"^^xsd:string, "1"^^xsd:integer .`,
    { format: 'turtle' },
  );
  assert.equal(
    canonicalLines(quads),
    '<http://example.org/a> <http://example.org/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n' +
      '<http://example.org/a> <http://example.org/p> "x" .\n' +
      '<http://example.org/b> <http://example.org/p> "é\\n\\"x\\"" .\n',
  );
  const controls = terms.quad(P, P, terms.literal('\u0000\b\t\n\u000b\f\r\u001f\u007f"\\\u0080\u{1f600}'));
  assert.match(canonicalLines([controls]), /"\\u0000\\b\\t\\n\\u000B\\f\\r\\u001F\\u007F\\"\\\\\u0080\u{1f600}"/u);
});

test('order by code point: astral characters after U+FFFF', () => {
  assert.ok(compareCodePoints('\uffff', '\u{10000}') < 0);
  assert.ok('\uffff' > '\u{10000}');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
      const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
      assert.equal(Math.sign(compareCodePoints(left, right)), expected);
    }),
  );
});

/** The same dataset with other labels, in another order. */
function disguised(quads: readonly Quad[]): Quad[] {
  const rename = (term: Term): Term => {
    if (term.termType === 'BlankNode') return terms.blankNode(`z${Buffer.from(term.value).toString('hex')}`);
    if (term.termType !== 'Quad') return term;
    return quadOf(rename(term.subject), term.predicate, rename(term.object), term.graph);
  };
  return quads
    .map((quad) => quadOf(rename(quad.subject), quad.predicate, rename(quad.object), rename(quad.graph)))
    .reverse();
}

function quadOf(subject: Term, predicate: Term, object: Term, graph: Term): Quad {
  return terms.quad(
    subject as RDF.Quad_Subject,
    predicate as RDF.Quad_Predicate,
    object as RDF.Quad_Object,
    graph as RDF.Quad_Graph,
  );
}

test('isomorphic datasets have the same canonical form', async () => {
  const shape = { namedGraphs: true, tripleTerms: false, xml: false };
  await fc.assert(
    fc.asyncProperty(dataset(shape), async (quads) => {
      const [first, second] = await Promise.all([canonize(quads), canonize(disguised(quads))]);
      assert.equal(second.nquads, first.nquads);
      assert.ok(await sameDataset(quads, disguised(quads)));
    }),
    { numRuns: 100 },
  );
});

test('sameDataset sees triple terms, directions, graphs and what labels join', async () => {
  const same = async (left: string, right: string): Promise<boolean> =>
    sameDataset(await read(left, { format: 'trig' }), await read(right, { format: 'trig' }));
  const start = 'PREFIX : <http://e/> ';
  assert.ok(
    await same(`${start}:r :p <<( _:a :q _:b )>> . _:a :q 1 .`, `${start}_:x :q 1 . :r :p <<( _:x :q _:y )>> .`),
  );
  assert.ok(
    !(await same(`${start}:r :p <<( _:a :q _:b )>> . _:a :q 1 .`, `${start}_:x :q 1 . :r :p <<( _:y :q _:x )>> .`)),
  );
  assert.ok(!(await same(`${start}:s :p "x"@en--ltr .`, `${start}:s :p "x"@en--rtl .`)));
  assert.ok(!(await same(`${start}:s :p "x"@en--ltr .`, `${start}:s :p "x"@en .`)));
  assert.ok(!(await same(`${start}:g { :s :p :o }`, `${start}:s :p :o .`)));
  assert.ok(!(await same(`${start}_:a :p _:a .`, `${start}_:a :p _:b .`)));
  assert.ok(!(await same(`${start}:s :p _:a . :s :q _:a .`, `${start}:s :p _:a . :s :q _:b .`)));
});

test('labels: the map from written to canonical, with either hash', async () => {
  const quads = await read('_:x <http://p/> _:y .\n_:y <http://q/> "1" .', { format: 'ntriples' });
  const { labels } = await canonize(quads);
  assert.deepEqual([...labels.keys()].sort(), ['x', 'y']);
  assert.deepEqual([...labels.values()].sort(), ['c14n0', 'c14n1']);
  // Which of the two comes first is decided by their hashes.
  const longer = await canonize(quads, { hash: 'SHA-384' });
  assert.deepEqual([...longer.labels.values()].sort(), ['c14n0', 'c14n1']);
});

test('a graph that is too hard ends at the limit, which the error names', async () => {
  const nodes = Array.from({ length: 9 }, (_, n) => terms.blankNode(`n${n}`));
  const clique = nodes.flatMap((from) => nodes.filter((to) => to !== from).map((to) => terms.quad(from, P, to)));
  await assert.rejects(canonize(clique, { hashCallsMax: 500 }), (error: { code: string; hint: string }) => {
    assert.equal(error.code, 'limit_exceeded');
    assert.match(error.hint, /hashCallsMax \(500\)/);
    return true;
  });
  const stopped = AbortSignal.abort();
  await assert.rejects(canonize(clique, { signal: stopped }), { code: 'aborted' });
});

test('where many nodes hang together the limit is lower, since each call is the longer', async () => {
  const chain = (nodes: number, rings: number) =>
    Array.from({ length: rings * nodes }, (_, at) => {
      const [ring, place] = [Math.floor(at / nodes), at % nodes];
      return terms.quad(terms.blankNode(`r${ring}n${place}`), P, terms.blankNode(`r${ring}n${(place + 1) % nodes}`));
    });
  await assert.rejects(canonize(chain(20_000, 1)), { code: 'limit_exceeded', hint: /hashCallsMax \(2000\)/ });
  // As many nodes in rings of two.
  const { labels } = await canonize(chain(2, 500));
  assert.equal(labels.size, 1000);
});

test('a graph that is too hard is given up when it is cancelled, or when its time is over', async () => {
  const nodes = Array.from({ length: 9 }, (_, n) => terms.blankNode(`n${n}`));
  const clique = nodes.flatMap((from) => nodes.filter((to) => to !== from).map((to) => terms.quad(from, P, to)));
  const flag = { words: new Int32Array(1), at: 0 };
  const raised = canonize(clique, { flag });
  setImmediate(() => raise(flag));
  await assert.rejects(raised, { code: 'aborted' });
  const control = new AbortController();
  const aborted = canonize(clique, { signal: control.signal });
  setImmediate(() => control.abort());
  await assert.rejects(aborted, { code: 'aborted' });
  const late = withDeadline(undefined, deadlineIn(1, 'limits.some'));
  await assert.rejects(canonize(clique, { flag: late }), { code: 'query_timeout', message: /limits\.some/ });
});

test('triple terms have no canonical form, and that is said', async () => {
  const quads = await read('<http://s/> <http://p/> <<( <http://s/> <http://p/> "x" )>> .', { format: 'ntriples' });
  await assert.rejects(canonize(quads), { code: 'unsupported', message: /triple terms/ });
});
