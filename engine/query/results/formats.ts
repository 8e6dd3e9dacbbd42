/**
 * The formats of answers: names, media types, extensions, and which kinds of answer each can hold.
 * Whatever must choose a format asks here; the encoders themselves are in `encode.ts`, so that
 * asking loads none of them.
 */

import { SvcError } from '../../base/errors.js';
import { describeFormat, type Format } from '../../rdf/formats/registry.js';

/** What an answer is: rows (SELECT), a boolean (ASK), a graph (CONSTRUCT, DESCRIBE). */
export type ResultKind = 'rows' | 'boolean' | 'graph';

export interface ResultFormatDescription {
  readonly label: string;
  readonly mediaType: string;
  /** With their dot; the first one is the one that is written. */
  readonly extensions: readonly string[];
  readonly kinds: readonly ResultKind[];
  /** Whether it is bytes that no terminal should show. */
  readonly binary: boolean;
}

const ANY: readonly ResultKind[] = ['rows', 'boolean', 'graph'];
const ROWS: readonly ResultKind[] = ['rows'];

function text(label: string, mediaType: string, extensions: readonly string[], kinds: readonly ResultKind[]) {
  return { label, mediaType, extensions, kinds, binary: false };
}

function bytes(label: string, mediaType: string, extensions: readonly string[]) {
  return { label, mediaType, extensions, kinds: ROWS, binary: true };
}

function graph(format: Format) {
  const { label, mediaTypes, extensions } = describeFormat(format);
  return text(label, mediaTypes[0] as string, extensions, ['graph']);
}

export const RESULT_FORMATS = {
  table: text('table', 'text/plain', ['.txt'], ANY),
  json: text('SPARQL JSON', 'application/sparql-results+json', ['.srj', '.json'], ['rows', 'boolean']),
  xml: text('SPARQL XML', 'application/sparql-results+xml', ['.srx', '.xml'], ['rows', 'boolean']),
  csv: text('CSV', 'text/csv', ['.csv'], ROWS),
  tsv: text('TSV', 'text/tab-separated-values', ['.tsv'], ROWS),
  arrow: bytes('Arrow', 'application/vnd.apache.arrow.stream', ['.arrows', '.arrow']),
  parquet: bytes('Parquet', 'application/vnd.apache.parquet', ['.parquet']),
  turtle: graph('turtle'),
  trig: graph('trig'),
  ntriples: graph('ntriples'),
  nquads: graph('nquads'),
  jsonld: graph('jsonld'),
  rdfxml: graph('rdfxml'),
} as const satisfies Record<string, ResultFormatDescription>;

export type ResultFormat = keyof typeof RESULT_FORMATS;

export const RESULT_FORMAT_NAMES = Object.keys(RESULT_FORMATS) as ResultFormat[];

const KIND_NAMES: Readonly<Record<ResultKind, string>> = {
  rows: 'the answer of SELECT is rows',
  boolean: 'the answer of ASK is a boolean',
  graph: 'the answer of CONSTRUCT and DESCRIBE is a graph',
};

/** The format of an answer for which none was named. */
export function defaultFormat(kind: ResultKind): ResultFormat {
  return kind === 'graph' ? 'turtle' : 'json';
}

export function takesKind(format: ResultFormat, kind: ResultKind): boolean {
  return RESULT_FORMATS[format].kinds.includes(kind);
}

/** Refuses formats that do not exist, and those that cannot hold such an answer. */
export function checkFormat(format: ResultFormat, kind: ResultKind): void {
  const names = RESULT_FORMAT_NAMES.filter((name) => takesKind(name, kind)).join(', ');
  if (!Object.hasOwn(RESULT_FORMATS, format)) {
    throw new SvcError('unknown_format', `there is no result format ${JSON.stringify(format)}`, {
      hint: `formats for such an answer: ${names}`,
    });
  }
  if (takesKind(format, kind)) return;
  throw new SvcError('invalid_request', `${RESULT_FORMATS[format].label} does not fit: ${KIND_NAMES[kind]}`, {
    hint: `ask for one of ${names}`,
  });
}
