/** Updates as texts: what the parser takes, what it refuses, and where it points. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { parseQuery } from '../../engine/query/parse/parse.js';
import { parseUpdate } from '../../engine/query/parse/translate-update.js';
import { PREFIXES } from './support.js';

function refusal(parse: () => unknown): SvcError {
  try {
    parse();
  } catch (error) {
    assert.ok(error instanceof SvcError, String(error));
    return error;
  }
  assert.fail('it is taken');
}

/** Each is refused; `line` and `column` are where the message points, null = nowhere. */
const REFUSED: readonly (readonly [text: string, message: RegExp, position: readonly [number, number] | null])[] = [
  ['INSERT DATA { :a :p ?x }', /^unexpected '\?x'/, [3, 21]],
  ['INSERT DATA { GRAPH ?g { :a :p 1 } }', /./, [3, 21]],
  ['DELETE DATA { _:x :p 1 }', /[Bb]lank nodes/, null],
  ['DELETE { _:x :p 1 } WHERE { ?x :p 1 }', /[Bb]lank nodes/, null],
  ['DELETE { ?x :p [] } WHERE { ?x :p 1 }', /[Bb]lank nodes/, null],
  ['DELETE WHERE { _:x :p 1 }', /[Bb]lank nodes/, null],
  ['INSERT DATA { _:x :p 1 } ; INSERT DATA { _:x :p 2 }', /reuse blank node/, null],
  [
    'INSERT { :a :p 1 } WHERE { _:x :p 1 } ; INSERT { :a :p 1 } WHERE { _:x :p 2 }',
    /^the blank node label _:x stands in two WHERE clauses/,
    [3, 28],
  ],
  ['INSERT DATA { :a :p 1', /^the update ends too early, expected '}'/, [3, 22]],
  ['INSERT DATA { :a nix:p 1 }', /^the prefix 'nix:' is not declared/, [3, 18]],
  ['INSERT DATA { :a :p 1 } DELETE DATA { :a :p 1 }', /^unexpected 'DELETE DATA'/, [3, 25]],
  ['CLEAR GRAPH <g>', /^the IRI <g> is relative/, [3, 13]],
  ['CREATE DEFAULT', /^unexpected 'DEFAULT'/, [3, 8]],
  ['LOAD <http://x/> INTO :g', /./, [3, 23]],
  ['DELETE { ?s ?p ?o }', /^the update ends too early/, [3, 20]],
];

test('what SPARQL does not allow is refused, with the place', () => {
  for (const [text, message, position] of REFUSED) {
    const error = refusal(() => parseUpdate(PREFIXES + text));
    assert.equal(error.code, 'parse_error', text);
    assert.match(error.message, message, text);
    const { line, column, source } = error.position ?? {};
    assert.deepEqual(position === null ? null : [line, column], position, text);
    if (position !== null) assert.equal(source, 'update', text);
  }
});

test('a query given to update and an update given to query name the other', () => {
  const query = refusal(() => parseUpdate('SELECT * { ?s ?p ?o }'));
  assert.deepEqual([query.code, query.message], ['invalid_request', 'the text is a query, not an update']);
  assert.match(query.hint ?? '', /read/);
  const update = refusal(() => parseQuery('CLEAR ALL'));
  assert.deepEqual([update.code, update.message], ['invalid_request', 'the text is an update, not a query']);
  assert.match(update.hint ?? '', /update/);
  assert.equal(refusal(() => parseQuery('# nothing')).code, 'parse_error');
});

test('SERVICE is not allowed in an update', () => {
  const text = `${PREFIXES} INSERT { ?s :p ?o } WHERE { SERVICE SILENT <http://example.org/sparql> { ?s :p ?o } }`;
  const error = refusal(() => parseUpdate(text));
  assert.deepEqual([error.code, error.message], ['invalid_request', 'SERVICE is not allowed in an update']);
});

test('prefixes and bases hold from where they are declared', () => {
  const { operations } = parseUpdate(`
    BASE <http://a/> PREFIX : <http://one/> INSERT DATA { <x> :p 1 } ;
    PREFIX : <http://two/> BASE <b/> CREATE GRAPH <g> ;
    DROP GRAPH :g ;`);
  assert.deepEqual(
    operations.map((operation) => {
      switch (operation.kind) {
        case 'insertData':
          return operation.quads.map(({ subject, predicate }) => [subject.value, predicate.value]);
        case 'create':
          return operation.graph;
        default:
          return operation.kind === 'drop' && operation.target;
      }
    }),
    [[['http://a/x', 'http://one/p']], 'http://a/b/g', { kind: 'graph', iri: 'http://two/g' }],
  );
});

test('operations as data', () => {
  const { operations } = parseUpdate(`${PREFIXES}
    CLEAR SILENT ALL ; DROP NAMED ; CLEAR DEFAULT ; ADD SILENT DEFAULT TO :g ; COPY :g TO DEFAULT ; MOVE GRAPH :g TO :h ;
    LOAD SILENT <http://x/y> INTO GRAPH :g ; LOAD <http://x/y>`);
  const [g, h] = ['http://example.org/g', 'http://example.org/h'];
  assert.deepEqual(operations, [
    { kind: 'clear', target: { kind: 'all' }, silent: true },
    { kind: 'drop', target: { kind: 'named' }, silent: false },
    { kind: 'clear', target: { kind: 'default' }, silent: false },
    { kind: 'add', from: null, to: g, silent: true },
    { kind: 'copy', from: g, to: null, silent: false },
    { kind: 'move', from: g, to: h, silent: false },
    { kind: 'load', source: 'http://x/y', into: g, silent: true },
    { kind: 'load', source: 'http://x/y', into: null, silent: false },
  ]);
});
