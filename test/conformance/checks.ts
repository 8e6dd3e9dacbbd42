/** What each kind of case checks. A check returns when the case passes and throws when it does not. */

import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { SvcError } from '../../engine/base/errors.js';
import { quadKey } from '../../engine/rdf/canonical/lines.js';
import { canonize } from '../../engine/rdf/canonical/rdfc.js';
import type { Format } from '../../engine/rdf/formats/registry.js';
import type { Quad } from '../../engine/rdf/terms.js';
import { comparable } from '../rdf/isomorphism.js';
import { Failure, type TestCase } from './cases.js';
import { checkFromRdf, checkToRdf } from './jsonld-checks.js';
import { libraryReader, type Reader } from './readers.js';

type Check = (test: TestCase, reader: Reader) => Promise<void>;

const SYNTAXES: readonly (readonly [prefix: string, format: Format])[] = [
  ['NTriples', 'ntriples'],
  ['NQuads', 'nquads'],
  ['Turtle', 'turtle'],
  ['Trig', 'trig'],
  ['XML', 'rdfxml'],
];

/** Kind to check; the kinds that are missing here are not run yet. */
export const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...SYNTAXES.flatMap(([name, format]): [string, Check][] => [
    [`Test${name}PositiveSyntax`, (test, reader) => mustParse(test, reader, format)],
    [`Test${name}NegativeSyntax`, (test, reader) => mustRefuse(test, reader, format)],
    [`Test${name}NegativeEval`, (test, reader) => mustRefuse(test, reader, format)],
    [`Test${name}Eval`, (test, reader) => mustMean(test, reader, format)],
    [`Test${name}PositiveC14N`, (test, reader) => mustBecomeCanonical(test, reader, format)],
  ]),
  ['RDFC10EvalTest', mustCanonize],
  ['RDFC10MapTest', mustLabel],
  ['RDFC10NegativeEvalTest', mustGiveUp],
  ['ToRDFTest', checkToRdf],
  ['FromRDFTest', checkFromRdf],
]);

/** The format that a kind is about, where readers differ; null for the others. */
export function formatOfKind(kind: string): Format | null {
  return SYNTAXES.find(([name]) => kind.startsWith(`Test${name}`))?.[1] ?? null;
}

function parse(test: TestCase, reader: Reader, format: Format): Promise<Quad[]> {
  return reader.parse(readFileSync(test.action), format, test.baseIri);
}

async function mustParse(test: TestCase, reader: Reader, format: Format): Promise<void> {
  await parse(test, reader, format);
}

async function mustRefuse(test: TestCase, reader: Reader, format: Format): Promise<void> {
  let quads: Quad[];
  try {
    quads = await parse(test, reader, format);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    if (error.kind !== 'invalid') throw new Failure(`refused, but as ${error.code}: ${error.message}`);
    if (error.position?.line === undefined) throw new Failure(`refused without a line: ${error.message}`);
    return;
  }
  throw new Failure(`must be refused, but gave ${quads.length} quads`);
}

async function mustMean(test: TestCase, reader: Reader, format: Format): Promise<void> {
  const actual = await parse(test, reader, format);
  const expectedFormat: Format = extname(test.result!) === '.nq' ? 'nquads' : 'ntriples';
  const expected = await libraryReader.parse(readFileSync(test.result!), expectedFormat, test.baseIri);
  const [actualText, expectedText] = await Promise.all([comparable(actual), comparable(expected)]);
  if (actualText !== expectedText) throw new Failure(`expected\n${expectedText}\ngot\n${actualText}`);
}

async function mustBecomeCanonical(test: TestCase, reader: Reader, format: Format): Promise<void> {
  // The suite is about the spelling of lines; their order is the document's, or that of a store.
  const sorted = (text: string): string => text.split('\n').sort().join('\n');
  const quads = await parse(test, reader, format);
  sameText(sorted(quads.map(quadKey).join('')), sorted(readFileSync(test.result!, 'utf8')));
}

async function mustCanonize(test: TestCase): Promise<void> {
  const { nquads } = await canonize(await parse(test, libraryReader, 'nquads'), { hash: test.hash });
  sameText(nquads, readFileSync(test.result!, 'utf8'));
}

async function mustLabel(test: TestCase): Promise<void> {
  const { labels } = await canonize(await parse(test, libraryReader, 'nquads'), { hash: test.hash });
  const expected = JSON.parse(readFileSync(test.result!, 'utf8')) as Record<string, string>;
  const text = (entries: [string, string][]): string => JSON.stringify(entries.sort());
  sameText(text([...labels]), text(Object.entries(expected)));
}

async function mustGiveUp(test: TestCase): Promise<void> {
  try {
    await canonize(await parse(test, libraryReader, 'nquads'), { hash: test.hash });
  } catch (error) {
    if (error instanceof SvcError && error.code === 'limit_exceeded') return;
    throw error;
  }
  throw new Failure('must end at the work limit, but gave a result');
}

function sameText(actual: string, expected: string): void {
  if (actual !== expected) throw new Failure(`expected\n${expected}\ngot\n${actual}`);
}
