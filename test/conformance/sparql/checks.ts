/** What each kind of SPARQL case checks. A check returns when the case passes and throws when it does not. */

import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { SvcError } from '../../../engine/base/errors.js';
import { type Term, terms } from '../../../engine/rdf/terms.js';
import { sameDataset } from '../../rdf/isomorphism.js';
import { Failure, type TestCase } from '../cases.js';
import { readAnswer } from './answers.js';
import { besideQuery, type DataFile, type SparqlCase } from './case.js';
import { difference, EXACT, showQuads, type Tolerance } from './compare.js';
import { endpointsIn, withEndpoints } from './endpoints.js';
import { DRAWN_BY_ONTOLOGY, LAX_NUMBERS } from './skips.js';
import { quadsOf, type SparqlSubject } from './subjects.js';
import { parseText } from './syntax.js';

type Check = (test: TestCase, subject: SparqlSubject) => Promise<void>;

/** Kinds that need a store to run on. */
export const EVALUATIONS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['QueryEvaluationTest', mustAnswer],
  ['CSVResultFormatTest', mustAnswer],
  ['UpdateEvaluationTest', mustChange],
]);

/** Kinds that only read a text. */
export const SYNTAX_CHECKS: ReadonlyMap<string, (test: TestCase) => Promise<void>> = new Map([
  ['PositiveSyntaxTest', mustParse],
  ['PositiveSyntaxTest11', mustParse],
  ['PositiveUpdateSyntaxTest', mustParse],
  ['PositiveUpdateSyntaxTest11', mustParse],
  ['NegativeSyntaxTest', mustRefuse],
  ['NegativeSyntaxTest11', mustRefuse],
  ['NegativeUpdateSyntaxTest', mustRefuse],
  ['NegativeUpdateSyntaxTest11', mustRefuse],
]);

async function mustParse(test: TestCase): Promise<void> {
  parseText(readFileSync(test.action, 'utf8'), extname(test.action), test.baseIri);
}

async function mustRefuse(test: TestCase): Promise<void> {
  try {
    parseText(readFileSync(test.action, 'utf8'), extname(test.action), test.baseIri);
  } catch (error) {
    if (error instanceof SvcError && error.code === 'parse_error') return;
    throw error;
  }
  throw new Failure('must be refused, but was taken');
}

function sparqlOf(test: TestCase): SparqlCase {
  if (test.sparql === null) throw new Failure('the manifest names no query and no update');
  return test.sparql;
}

async function mustAnswer(test: TestCase, subject: SparqlSubject): Promise<void> {
  const sparql = sparqlOf(test);
  if (sparql.result === null) throw new Failure('the manifest names no result');
  const text = readFileSync(sparql.text, 'utf8');
  const drawn = DRAWN_BY_ONTOLOGY.has(test.id);
  await subject.fill([...sparql.data, ...namedInText(sparql, text)], drawn);
  const entailed = drawn ? { inferred: true } : { inference: sparql.regimes.length > 0 };
  const options = { baseIri: sparql.iri, ...entailed, serviceEndpoints: endpointsIn(text) };
  const resultFile = sparql.result.file;
  const actual = await withEndpoints(sparql.services, () => subject.ask({ text, resultFile, options }));
  let wanted = await readAnswer(sparql.result);
  let comparable = actual;
  if (extname(sparql.result.file) === '.csv' && actual.kind === 'rows') {
    comparable = {
      ...actual,
      rows: actual.rows.map((row) => new Map([...row].map(([name, term]) => [name, plain(term)]))),
    };
    // An empty cell is an unbound variable or an empty string; CSV can't say which.
    if (wanted.kind === 'rows') wanted = { ...wanted, rows: wanted.rows.map(withoutEmpty) };
    comparable = { ...actual, rows: comparable.rows.map(withoutEmpty) };
  }
  const tolerance: Tolerance = {
    ...EXACT,
    lax: sparql.lax,
    numbers: LAX_NUMBERS.has(test.id) || LAX_NUMBERS.has(`${test.suite}/${test.group}`),
  };
  const differs = await difference(comparable, wanted, tolerance);
  if (differs !== null) throw new Failure(differs);
}

function plain(term: Term): Term {
  return term.termType === 'BlankNode' ? term : terms.literal(term.value);
}

function withoutEmpty(row: ReadonlyMap<string, Term>): ReadonlyMap<string, Term> {
  return new Map([...row].filter(([, { value }]) => value !== ''));
}

/** FROM names files beside the query: they are there for the query to read. */
function namedInText(sparql: SparqlCase, text: string): DataFile[] {
  const named = [...text.matchAll(/FROM\s+(?:NAMED\s+)?<([^>:]+)>/gi)].map(([, name]) =>
    besideQuery(sparql, name as string),
  );
  const once = [...new Map(named.map((file) => [file.iri, file])).values()];
  return once.filter(({ file, graph }) => existsSync(file) && !sparql.data.some((known) => known.graph === graph));
}

async function mustChange(test: TestCase, subject: SparqlSubject): Promise<void> {
  const sparql = sparqlOf(test);
  await subject.fill(sparql.data);
  await subject.update(readFileSync(sparql.text, 'utf8'), sparql.iri);
  const actual = await subject.contents();
  const wanted = await quadsOf(sparql.expected);
  if (!(await sameDataset(actual, wanted))) {
    throw new Failure(`expected ${showQuads(wanted)}\ngot ${showQuads(actual)}`);
  }
}
