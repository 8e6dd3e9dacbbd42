/**
 * Writes quads in any known format: batches of quads in, bytes out, as a stream that waits for its
 * consumer. The caller sorts (graph, subject, predicate, object) where the output is to be grouped and
 * the same every time; blank node labels are written as they are.
 *
 * Prefixes: only those in use are declared. Input that can be read twice (an array, or a function that
 * opens it again) is read a first time to know them, so that they stand sorted at the start; for other
 * input each is declared where it is first used.
 */

import type { Quad } from '../terms.js';
import { compress } from './input/compression.js';
import { JsonLdWriter } from './jsonld/jsonld-writer.js';
import { PrefixTable, visitIris } from './output/prefixes.js';
import { lineWriter, type Prefixes, type QuadWriter, type QuadWriterOptions } from './output/quad-writer.js';
import { RdfXmlWriter } from './rdfxml/rdfxml-writer.js';
import type { Compression, Format } from './registry.js';
import { TurtleWriter } from './turtle/turtle-writer.js';

export type QuadBatches = AsyncIterable<readonly Quad[]> | Iterable<readonly Quad[]>;

export interface WriteOptions {
  readonly format: Format;
  readonly prefixes?: Prefixes | undefined;
  readonly compression?: Compression | undefined;
}

/** Text is handed on in pieces of about this size. */
const PIECE_CHARACTERS = 64 * 1024;

export function writeQuads(quads: QuadBatches | (() => QuadBatches), options: WriteOptions): AsyncIterable<Uint8Array> {
  return compress(encode(quads, options), options.compression ?? 'none');
}

async function* encode(quads: QuadBatches | (() => QuadBatches), options: WriteOptions): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const again = typeof quads === 'function' ? quads : Array.isArray(quads) ? () => quads as readonly Quad[][] : null;
  const wanted = options.prefixes ?? {};
  const withPrefixes = options.format === 'turtle' || options.format === 'trig' || options.format === 'rdfxml';
  const prefixesAreUsed = again !== null && withPrefixes && Object.keys(wanted).length > 0;
  const prefixes = prefixesAreUsed ? await prefixesInUse(again(), wanted, options.format) : wanted;
  const writer = openWriter(options.format, {
    // RDF/XML declares at the start only, or where a name is used, without a prefix of the caller's.
    prefixes: options.format === 'rdfxml' && !prefixesAreUsed ? {} : prefixes,
    prefixesAreUsed,
  });
  let text = writer.begin();
  for await (const batch of again === null ? (quads as QuadBatches) : again()) {
    for (const quad of batch) {
      text += writer.add(quad);
      if (text.length < PIECE_CHARACTERS) continue;
      yield encoder.encode(text);
      text = '';
    }
  }
  text += writer.end();
  if (text.length > 0) yield encoder.encode(text);
}

function openWriter(format: Format, options: QuadWriterOptions): QuadWriter {
  switch (format) {
    case 'ntriples':
    case 'nquads':
      return lineWriter(format);
    case 'turtle':
    case 'trig':
      return new TurtleWriter(format, options);
    case 'rdfxml':
      return new RdfXmlWriter(options);
    case 'jsonld':
      return new JsonLdWriter();
  }
}

/** The prefixes that a document of these quads uses. */
export async function prefixesInUse(quads: QuadBatches, prefixes: Prefixes, format: Format): Promise<Prefixes> {
  const used = new Set<string>();
  const table = new PrefixTable(prefixes, (prefix) => used.add(prefix));
  for await (const batch of quads) {
    for (const quad of batch) {
      if (format === 'rdfxml') table.nameOf(quad.predicate.value);
      else visitIris(quad, (iri) => table.nameOf(iri));
    }
  }
  return Object.fromEntries([...used].sort().map((prefix) => [prefix, prefixes[prefix]!]));
}
