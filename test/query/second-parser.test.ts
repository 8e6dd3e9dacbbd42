/**
 * A second opinion on syntax: SPARQL.js, another parser of SPARQL 1.1. What it reads, we read; and what is broken by a token
 * that is gone or twice, both refuse, but for the differences that are named.
 */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { prepareQuery } from '../../engine/query/query.js';
import { textOf } from './differential/case.js';
import { EVERYTHING } from './differential/data.js';
import { randomQuery } from './differential/queries.js';
import { Random } from './differential/random.js';

interface OtherParser {
  parse(text: string): unknown;
}

/** It has no types of its own. */
const { Parser } = createRequire(import.meta.url)('sparqljs') as { readonly Parser: new () => OtherParser };

const QUERIES = 400;

/** Null when the text is read, else why not. */
function opinions(text: string): readonly [ours: string | null, theirs: string | null] {
  const opinion = (parse: () => unknown): string | null => {
    try {
      parse();
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const ours = opinion(() => {
    try {
      return prepareQuery(text);
    } catch (error) {
      // What is too much, or refused for another reason, was read.
      if (error instanceof SvcError && error.code !== 'parse_error') return null;
      throw error;
    }
  });
  return [ours, opinion(() => new Parser().parse(text))];
}

function randomText(random: Random): string {
  return textOf({ data: [], text: randomQuery(random, EVERYTHING), common: true, moment: null });
}

/** The text without one of its tokens, or with one of them twice. */
function broken(text: string, random: Random): string {
  const tokens = text.match(/"[^"]*"(?:@[\w-]+|\^\^\S+)?|[?:]?\w+|\s+|\S/g) ?? [];
  const at = random.below(tokens.length);
  return (random.once(2) ? tokens.toSpliced(at, 1) : tokens.toSpliced(at, 0, ' ', tokens[at] as string)).join('');
}

/** What SPARQL.js reads and the grammar does not: by what we say of it. */
const LENIENT: Readonly<Record<string, RegExp>> = {
  'keywords run into each other': /^unexpected '(NOTEXISTS|NOTIN)'/,
  'the keyword of VALUES may stand twice': /^unexpected 'VALUES'/,
  'aggregates in GROUP BY': /^aggregates are only allowed in/,
  'a negated set of paths may end in a bar': /^unexpected '\)'/,
  'VALUES may name a variable twice': /^VALUES names the variable \?\w+ twice/,
};
/** What SPARQL 1.2 reads and 1.1 does not. */
const NEWER = /!\s*!/;
/** What it says of a variable that is selected twice, which the grammar allows. */
const REPEATED = /columns have the same name/;

test('random queries are read by both', () => {
  for (let seed = 0; seed < QUERIES; seed++) {
    const text = randomText(new Random(seed));
    assert.deepEqual(opinions(text), [null, null], text);
  }
});

test('queries with a token too few or too many are refused by both, but for differences with names', () => {
  let refused = 0;
  for (let seed = 0; seed < 3 * QUERIES; seed++) {
    const random = new Random(seed);
    const text = broken(randomText(random), random);
    const [ours, theirs] = opinions(text);
    if (ours !== null && theirs !== null) refused++;
    if ((ours === null) === (theirs === null)) continue;
    const isNewer = NEWER.test(text) || REPEATED.test(theirs ?? '');
    const isKnown = ours === null ? isNewer : Object.values(LENIENT).some((pattern) => pattern.test(ours));
    assert.ok(isKnown, `we: ${ours ?? 'read'}; they: ${theirs ?? 'read'}: ${text}`);
  }
  assert.ok(refused > QUERIES / 2, `${refused} were refused by both`);
});

test('whatever stands between the words of a keyword', () => {
  for (const gap of [' ', '  ', '\n', '\t', '\r\n', ' # NOT IN\n', '#\n', ' \n \n ']) {
    for (const text of [
      'SELECT * { ?s ?p ?o FILTER NOT~EXISTS { ?s ?p "NOT  EXISTS", "NOT\\tIN" } }',
      'SELECT * { ?s ?p ?o FILTER(!(NOT~EXISTS { ?s ?p 1 }) && ?o not~in (1, 2)) }',
      'SELECT (NOT~EXISTS { ?a ?not ?in } AS ?n) FROM~NAMED <a:b> { ?s ?p ?o } GROUP~BY ?s ORDER~BY ?s',
    ]) {
      assert.deepEqual(opinions(text.replaceAll('~', gap)), [null, null]);
    }
  }
  assert.throws(
    () => prepareQuery('SELECT * {\n?s ?p ?o FILTER(?o NOT\n\nIN (1)) .\n}}'),
    (error) => error instanceof SvcError && error.position?.line === 5 && error.position.column === 2,
  );
});

test('numbers as the grammar writes them', () => {
  for (const number of ['.5', '-.5', '+.5', '0.5', '5.0', '.5e3', '5.e3', '-.5E-3', '1e+0', '01', '-0']) {
    for (const text of [
      `SELECT (${number} AS ?x) {}`,
      `ASK { ?s ?p ${number} }`,
      `ASK { ?s ?p ?o FILTER(?o>${number}) }`,
    ]) {
      assert.deepEqual(opinions(text), [null, null], text);
    }
  }
});
