/** RDF/JS streams as the text of an answer, and packages from the folder that a peer was installed into. */
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface RdfTerm {
  readonly termType: string;
  readonly value: string;
  readonly language?: string;
  readonly datatype?: { readonly value: string };
}

export interface RdfQuad {
  readonly subject: RdfTerm;
  readonly predicate: RdfTerm;
  readonly object: RdfTerm;
}

export type RdfRow = Iterable<readonly [{ readonly value: string }, RdfTerm]>;

/** What N3.js gives for a format; a stream that N-Triples are piped into. */
export interface N3Package {
  readonly StreamParser: new (options: object) => NodeJS.ReadWriteStream & AsyncIterable<RdfQuad>;
  readonly DataFactory: object;
  readonly Store: new () => { addQuad(quad: RdfQuad): unknown; readonly size: number };
}

export function installed<Package>(name: string): Package {
  return createRequire(join(process.env.SVC_BENCH_MODULES as string, 'package.json'))(name) as Package;
}

/** Blank nodes keep their labels. */
export function readQuads({ StreamParser }: N3Package, path: string): AsyncIterable<RdfQuad> {
  const parser = new StreamParser({ format: path.endsWith('.nq') ? 'N-Quads' : 'N-Triples', blankNodePrefix: '' });
  createReadStream(path, { highWaterMark: 1 << 20 }).pipe(parser);
  return parser;
}

const STRING = 'http://www.w3.org/2001/XMLSchema#string';
const quoted = JSON.stringify;

function termJson({ termType, value, language, datatype }: RdfTerm): string {
  if (termType === 'NamedNode') return `{"type":"uri","value":${quoted(value)}}`;
  if (termType === 'BlankNode') return `{"type":"bnode","value":${quoted(value)}}`;
  const end = language
    ? `,"xml:lang":${quoted(language)}`
    : datatypeOf(datatype, (type) => `,"datatype":${quoted(type)}`);
  return `{"type":"literal","value":${quoted(value)}${end}}`;
}

function termLine({ termType, value, language, datatype }: RdfTerm): string {
  if (termType === 'NamedNode') return `<${value}>`;
  if (termType === 'BlankNode') return `_:${value}`;
  return quoted(value) + (language ? `@${language}` : datatypeOf(datatype, (type) => `^^<${type}>`));
}

function datatypeOf(datatype: RdfTerm['datatype'], spell: (type: string) => string): string {
  return datatype === undefined || datatype.value === STRING ? '' : spell(datatype.value);
}

export async function rowsBody(rows: AsyncIterable<RdfRow>): Promise<string> {
  const texts: string[] = [];
  const variables = new Set<string>();
  for await (const row of rows) {
    const cells: string[] = [];
    for (const [{ value: variable }, term] of row) {
      variables.add(variable);
      cells.push(`${quoted(variable)}:${termJson(term)}`);
    }
    texts.push(`{${cells.join(',')}}`);
  }
  return `{"head":{"vars":${quoted([...variables])}},"results":{"bindings":[${texts.join(',\n')}]}}`;
}

export async function quadsBody(quads: AsyncIterable<RdfQuad>): Promise<string> {
  const lines = new Set<string>();
  for await (const { subject, predicate, object } of quads) {
    lines.add(`${termLine(subject)} ${termLine(predicate)} ${termLine(object)} .\n`);
  }
  return [...lines].join('');
}

export const booleanBody = (value: boolean): string => `{"head":{},"boolean":${value}}`;
