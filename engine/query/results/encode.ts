/**
 * Answers as documents: one stream of chunks for each format, text or bytes, made while the answer
 * is read and no faster than it is taken. A format that cannot hold the answer is refused before
 * the first chunk.
 */

import type { Format } from '../../rdf/formats/registry.js';
import { csvChunks, tableChunks, tsvChunks } from './delimited.js';
import { checkFormat, type ResultFormat, type ResultKind } from './formats.js';
import { jsonChunks } from './json.js';
import { lineChunks, quadBatches } from './lines.js';
import type { FormResult, ResultBatch, SelectResult } from './result.js';
import { xmlChunks } from './xml.js';

export { bodyChunks as encodeBody } from './body.js';
export type { ResultFormat } from './formats.js';

export type ResultChunks = AsyncIterable<string | Uint8Array>;

export function kindOf(result: FormResult): ResultKind {
  if (result.kind === 'select') return 'rows';
  return result.kind === 'ask' ? 'boolean' : 'graph';
}

export function encodeResult(result: FormResult, format: ResultFormat): ResultChunks {
  checkFormat(format, kindOf(result));
  if (format === 'table') return tableChunks(result);
  if (result.kind === 'graph') return graphDocument(result.batches, format);
  if (format === 'json') return jsonChunks(result);
  if (format === 'xml') return xmlChunks(result);
  // The check lets ASK have no other format.
  const rows = result as SelectResult;
  if (format === 'csv') return csvChunks(rows);
  if (format === 'tsv') return tsvChunks(rows);
  if (format === 'arrow') return later(async () => (await import('./arrow.js')).arrowChunks(rows));
  return later(async () => (await import('./parquet.js')).parquetChunks(rows));
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
