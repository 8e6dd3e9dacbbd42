/** The result formats, by name, with their media types. Each is a stream of chunks of text. */

import type { QueryResult } from '../query.js';
import { csvChunks } from './csv.js';
import { jsonChunks } from './json.js';
import { tableChunks } from './table.js';
import { tsvChunks } from './tsv.js';
import { xmlChunks } from './xml.js';

export interface ResultFormatEntry {
  readonly mediaType: string;
  /** False for formats that hold rows only. */
  readonly takesAsk: boolean;
  readonly encode: (result: QueryResult) => AsyncIterable<string>;
}

export const RESULT_FORMATS = {
  table: { mediaType: 'text/plain', takesAsk: true, encode: tableChunks },
  json: { mediaType: 'application/sparql-results+json', takesAsk: true, encode: jsonChunks },
  xml: { mediaType: 'application/sparql-results+xml', takesAsk: true, encode: xmlChunks },
  csv: { mediaType: 'text/csv', takesAsk: false, encode: csvChunks },
  tsv: { mediaType: 'text/tab-separated-values', takesAsk: false, encode: tsvChunks },
} as const satisfies Record<string, ResultFormatEntry>;

export type ResultFormat = keyof typeof RESULT_FORMATS;

export function encodeResult(result: QueryResult, format: ResultFormat): AsyncIterable<string> {
  return RESULT_FORMATS[format].encode(result);
}
