/**
 * Answers as documents: one stream of chunks for each format, text or bytes, made while the answer
 * is read and no faster than it is taken. A format that cannot hold the answer is refused before
 * the first chunk.
 */

import type { Format } from '../../rdf/formats/registry.js';
import { type BodyOptions, bodyChunks } from './body.js';
import { csvChunks } from './csv.js';
import { checkFormat, type ResultFormat, type ResultKind } from './formats.js';
import { jsonChunks } from './json.js';
import { lineChunks } from './lines.js';
import { quadBatches } from './quads.js';
import type { FormResult, ResultBatch, SelectResult } from './result.js';
import { tableChunks } from './table.js';
import { tsvChunks } from './tsv.js';
import { xmlChunks } from './xml.js';

export type { ResultFormat } from './formats.js';

export type ResultChunks = AsyncIterable<string | Uint8Array>;

export function kindOf(result: FormResult): ResultKind {
  if (result.kind === 'select') return 'rows';
  return result.kind === 'ask' ? 'boolean' : 'graph';
}

export function encodeResult(result: FormResult, format: ResultFormat): ResultChunks {
  checkFormat(format, kindOf(result));
  if (result.kind === 'graph') return format === 'table' ? tableChunks(result) : graphDocument(result.batches, format);
  switch (format) {
    case 'table':
      return tableChunks(result);
    case 'json':
      return jsonChunks(result);
    case 'xml':
      return xmlChunks(result);
    default:
      // The check lets ASK have no other format.
      return rowDocument(result as SelectResult, format);
  }
}

/** The answer of POST /query. */
export function encodeBody(result: FormResult, options: BodyOptions): ResultChunks {
  return bodyChunks(result, options);
}

function rowDocument(result: SelectResult, format: ResultFormat): ResultChunks {
  switch (format) {
    case 'csv':
      return csvChunks(result);
    case 'tsv':
      return tsvChunks(result);
    case 'arrow':
      return later(async () => (await import('./arrow.js')).arrowChunks(result));
    default:
      return later(async () => (await import('./parquet.js')).parquetChunks(result));
  }
}

function graphDocument(batches: AsyncIterable<ResultBatch>, format: ResultFormat): ResultChunks {
  if (format === 'ntriples' || format === 'nquads') return lineChunks(batches, format);
  return later(async () => {
    const { writeQuads } = await import('../../rdf/formats/writer.js');
    return writeQuads(quadBatches(batches), { format: format as Format });
  });
}

/** The chunks of an encoder that is loaded when it is needed. */
async function* later(open: () => Promise<ResultChunks>): AsyncGenerator<string | Uint8Array, void, undefined> {
  yield* await open();
}
