/**
 * Evaluation cases of the W3C SPARQL suites: reads a manifest, runs a case, compares the answer. An
 * answer may be refused as unsupported; it may never be wrong.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SvcError } from '../../engine/base/errors.js';
import { executeQuery } from '../../engine/query/query.js';
import { type Quad, RDF_NS, type Term, terms } from '../../engine/rdf/terms.js';
import { equalTerms, isNumeric, parseValue, sameTerm } from '../../engine/rdf/values/index.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { libraryReader } from '../conformance/readers.js';
import { show } from './support.js';

const MF = 'http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#';
const QT = 'http://www.w3.org/2001/sw/DataAccess/tests/test-query#';
const RS = 'http://www.w3.org/2001/sw/DataAccess/tests/result-set#';

export interface QueryCase {
  readonly name: string;
  readonly query: string;
  readonly data: readonly string[];
  readonly graphData: readonly string[];
  readonly result: string;
}

export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'unsupported'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

interface Answer {
  readonly value: boolean | null;
  readonly rows: readonly ReadonlyMap<string, Term>[];
  readonly ordered: boolean;
}

function formatOf(file: string): 'rdfxml' | 'trig' | 'ntriples' | 'turtle' {
  if (file.endsWith('.rdf')) return 'rdfxml';
  if (file.endsWith('.trig')) return 'trig';
  return file.endsWith('.nt') ? 'ntriples' : 'turtle';
}

async function parse(file: string): Promise<Quad[]> {
  return [...(await libraryReader.parse(readFileSync(file), formatOf(file), pathToFileURL(file).href))];
}

function objects(quads: readonly Quad[], subject: Term, predicate: string): Term[] {
  return quads
    .filter((quad) => quad.subject.equals(subject) && quad.predicate.value === predicate)
    .map((quad) => quad.object);
}

export async function readCases(folder: string): Promise<QueryCase[]> {
  const quads = await parse(join(folder, 'manifest.ttl'));
  const evaluations = quads.filter(
    (quad) => quad.predicate.value === `${RDF_NS}type` && quad.object.value === `${MF}QueryEvaluationTest`,
  );
  return evaluations.flatMap(({ subject }) => {
    const action = objects(quads, subject, `${MF}action`)[0] as Term;
    const files = (predicate: string) =>
      objects(quads, action, QT + predicate).map((term) => fileURLToPath(term.value));
    const result = objects(quads, subject, `${MF}result`)[0];
    const query = files('query')[0];
    if (result === undefined || query === undefined) return [];
    return [
      {
        name: subject.value.slice(subject.value.lastIndexOf('#') + 1),
        query,
        data: files('data'),
        graphData: files('graphData'),
        result: fileURLToPath(result.value),
      },
    ];
  });
}

export async function runCase(entry: QueryCase): Promise<Outcome> {
  const engine = openMemoryEngine();
  const load = async (file: string, graph?: string) => {
    const source = {
      kind: 'bytes',
      bytes: readFileSync(file),
      name: file,
      format: formatOf(file),
      baseIri: pathToFileURL(file).href,
    } as const;
    // Two files never share a blank node here, even when their bytes are the same.
    await (await engine.stageLoad([source], { graph, snapshotKey: graph ?? 'default' }, {})).publish();
  };
  for (const file of entry.data) await load(file);
  for (const file of entry.graphData) await load(file, pathToFileURL(file).href);
  const text = readFileSync(entry.query, 'utf8');
  // FROM names files beside the query: they are there for the query to read.
  for (const [, name] of text.matchAll(/FROM\s+(?:NAMED\s+)?<([^>]+)>/gi)) {
    const file = join(dirname(entry.query), name as string);
    if (existsSync(file)) await load(file, pathToFileURL(file).href);
  }
  const snapshot = engine.snapshot();
  try {
    const result = await executeQuery(snapshot, text, { baseIri: pathToFileURL(entry.query).href });
    if (result.kind === 'ask')
      return compare({ value: result.value, rows: [], ordered: false }, await expected(entry.result));
    if (result.kind === 'graph') return { kind: 'unsupported', why: 'graphs are compared elsewhere' };
    const rows: Map<string, Term>[] = [];
    for await (const row of result.rows()) {
      rows.push(
        new Map(row.flatMap((term, at) => (term === undefined ? [] : [[result.variables[at] as string, term]]))),
      );
    }
    return compare({ value: null, rows, ordered: false }, await expected(entry.result));
  } catch (error) {
    if (error instanceof SvcError && error.code === 'unsupported') return { kind: 'unsupported', why: error.message };
    return { kind: 'failed', why: error instanceof SvcError ? error.describe() : String((error as Error).stack) };
  }
}

async function expected(file: string): Promise<Answer> {
  if (file.endsWith('.srx')) return parseXml(readFileSync(file, 'utf8'));
  if (file.endsWith('.srj')) return parseJson(JSON.parse(readFileSync(file, 'utf8')));
  const quads = await parse(file);
  const set = quads.find((quad) => quad.object.value === `${RS}ResultSet`)?.subject;
  if (set === undefined) throw new Error(`${file} holds no result set`);
  const boolean = objects(quads, set, `${RS}boolean`)[0];
  if (boolean !== undefined) return { value: boolean.value === 'true', rows: [], ordered: false };
  const solutions = objects(quads, set, `${RS}solution`).map((solution) => ({
    index: Number(objects(quads, solution, `${RS}index`)[0]?.value ?? Number.NaN),
    row: new Map(
      objects(quads, solution, `${RS}binding`).map((binding) => {
        const [name, value] = [objects(quads, binding, `${RS}variable`)[0], objects(quads, binding, `${RS}value`)[0]];
        return [name?.value as string, value as Term] as const;
      }),
    ),
  }));
  const ordered = solutions.length > 0 && solutions.every(({ index }) => !Number.isNaN(index));
  if (ordered) solutions.sort((a, b) => a.index - b.index);
  return { value: null, rows: solutions.map(({ row }) => row), ordered };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function plainText(text: string): string {
  return text.replace(/&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));/g, (_, hex, decimal, name) =>
    name === undefined
      ? String.fromCodePoint(Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16))
      : (ENTITIES[name] as string),
  );
}

function parseXml(xml: string): Answer {
  const boolean = /<boolean>\s*(true|false)\s*<\/boolean>/.exec(xml);
  if (boolean) return { value: boolean[1] === 'true', rows: [], ordered: false };
  const rows = [...xml.matchAll(/<result\b[^>]*?(?:\/>|>([\s\S]*?)<\/result>)/g)].map(
    ([, inner]) =>
      new Map(
        [...(inner ?? '').matchAll(/<binding\s+name=["']([^"']+)["']\s*>([\s\S]*?)<\/binding>/g)].map(
          ([, name, term]) => [name as string, parseTerm((term as string).trim())] as const,
        ),
      ),
  );
  return { value: null, rows, ordered: false };
}

interface JsonTerm {
  readonly type: string;
  readonly value: string;
  readonly datatype?: string;
  readonly 'xml:lang'?: string;
}

interface JsonResults {
  readonly boolean?: boolean;
  readonly results?: { readonly bindings: readonly Readonly<Record<string, JsonTerm>>[] };
}

function parseJson({ boolean, results }: JsonResults): Answer {
  const rows = (results?.bindings ?? []).map(
    (binding) => new Map(Object.entries(binding).map(([name, term]) => [name, fromJson(term)] as const)),
  );
  return { value: boolean ?? null, rows, ordered: false };
}

function fromJson(term: JsonTerm): Term {
  if (term.type === 'uri') return terms.namedNode(term.value);
  if (term.type === 'bnode') return terms.blankNode(term.value);
  if (term['xml:lang']) return terms.literal(term.value, term['xml:lang'].toLowerCase());
  return term.datatype ? terms.literal(term.value, terms.namedNode(term.datatype)) : terms.literal(term.value);
}

function parseTerm(xml: string): Term {
  const [, element, attributes, text] = /^<(\w+)([^>]*?)(?:\/>|>([\s\S]*?)<\/\w+>)$/.exec(xml) as RegExpExecArray;
  const value = plainText(text ?? '');
  if (element === 'uri') return terms.namedNode(value);
  if (element === 'bnode') return terms.blankNode(value);
  const language = /xml:lang=["']([^"']*)["']/.exec(attributes ?? '')?.[1];
  const datatype = /datatype=["']([^"']*)["']/.exec(attributes ?? '')?.[1];
  if (language) return terms.literal(value, language.toLowerCase());
  return datatype ? terms.literal(value, terms.namedNode(plainText(datatype))) : terms.literal(value);
}

function compare(actual: Answer, wanted: Answer): Outcome {
  const same =
    actual.value === wanted.value &&
    actual.rows.length === wanted.rows.length &&
    matchRows(actual.rows, wanted.rows, wanted.ordered, new Map());
  if (same) return { kind: 'passed' };
  return { kind: 'failed', why: `expected ${describe(wanted)}\n  but got ${describe(actual)}` };
}

/** Pairs the rows, in order or in any, with one bijection of blank nodes. */
function matchRows(
  actual: readonly ReadonlyMap<string, Term>[],
  wanted: readonly ReadonlyMap<string, Term>[],
  ordered: boolean,
  blanks: ReadonlyMap<string, string>,
): boolean {
  const [first, ...rest] = actual;
  if (first === undefined) return wanted.length === 0;
  for (let at = 0; at < (ordered ? 1 : wanted.length); at++) {
    const extended = matchRow(first, wanted[at] as ReadonlyMap<string, Term>, blanks);
    if (extended !== null && matchRows(rest, wanted.toSpliced(at, 1), ordered, extended)) return true;
  }
  return false;
}

function matchRow(
  a: ReadonlyMap<string, Term>,
  b: ReadonlyMap<string, Term>,
  blanks: ReadonlyMap<string, string>,
): Map<string, string> | null {
  if (a.size !== b.size) return null;
  const extended = new Map(blanks);
  for (const [name, term] of a) {
    const other = b.get(name);
    if (other === undefined) return null;
    if (term.termType === 'BlankNode' && other.termType === 'BlankNode') {
      const known = extended.get(term.value);
      if (known === undefined ? [...extended.values()].includes(other.value) : known !== other.value) return null;
      extended.set(term.value, other.value);
    } else if (!sameTerm(term, other) && !sameNumber(term, other)) return null;
  }
  return extended;
}

/** The results write computed numbers in forms of their own. */
function sameNumber(a: Term, b: Term): boolean {
  if (a.termType !== 'Literal' || b.termType !== 'Literal' || !a.datatype.equals(b.datatype)) return false;
  return isNumeric(parseValue(a)) && equalTerms(a, b) === true;
}

function describe({ value, rows }: Answer): string {
  if (value !== null) return String(value);
  return `${rows.length} rows: ${rows.map((row) => `{${[...row].map(([name, term]) => `${name}=${show(term)}`).join(' ')}}`).join(' ')}`;
}
