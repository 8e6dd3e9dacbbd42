/**
 * Reads a document of any known format: bytes in, batches of RDF/JS quads out.
 *
 * 1. It streams: a batch is given before the next piece of input is read, so the reader waits for its
 *    consumer. Memory holds one piece of input and its quads, except for JSON-LD documents that are not
 *    a top-level array (limited, see `jsonld-reader.ts`).
 * 2. It is strict: invalid UTF-8, relative IRIs without a base, illegal IRIs, language tags and labels
 *    are errors. Every error is an `SvcError` with source, line, column and excerpt.
 * 3. Blank nodes are the caller's: `blankNode` is asked for every written label and every anonymous node,
 *    in an order that depends on the document alone.
 * 4. Nothing is fetched: no remote JSON-LD context without a loader, no external XML entity at all.
 */

import type { BlankNode, Quad } from '../terms.js';
import type { JsonLdReadOptions, PushReader, PushReaderOptions } from './input/push-reader.js';
import { type BlankNodeMaker, ReadFactory } from './input/read-factory.js';
import { readText } from './input/text-input.js';
import { TextWindow } from './input/text-window.js';
import { JsonLdReader } from './jsonld/jsonld-reader.js';
import { RdfXmlReader } from './rdfxml/rdfxml-reader.js';
import type { Format } from './registry.js';
import { turtleReader } from './turtle/turtle-reader.js';

export interface ReadOptions {
  readonly format: Format;
  /** Resolves relative IRIs; without it they are errors. */
  readonly baseIri?: string | undefined;
  /** For messages: the path, or what the caller calls the input. */
  readonly sourceName: string;
  readonly blankNode: (label: string | null) => BlankNode;
  readonly signal?: AbortSignal | undefined;
  /** `drop` leaves base directions of strings out. */
  readonly directions?: 'keep' | 'drop' | undefined;
  readonly jsonLd?: JsonLdReadOptions | undefined;
  /** Told of every prefix that a document of the Turtle family declares. */
  readonly onPrefix?: ((prefix: string, namespace: string) => void) | undefined;
}

export type { BlankNodeMaker, JsonLdReadOptions };

export async function* readQuads(bytes: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncGenerator<Quad[]> {
  const window = new TextWindow(options.sourceName);
  const reader = openReader(options.format, {
    factory: new ReadFactory({ blankNode: options.blankNode, directions: options.directions }),
    window,
    baseIri: options.baseIri,
    jsonLd: options.jsonLd ?? {},
    onPrefix: options.onPrefix,
  });
  let batch: Quad[] = [];
  for await (const text of readText(bytes, window, options.signal)) {
    await reader.write(text, batch);
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
  }
  await reader.end(batch);
  if (batch.length > 0) yield batch;
}

function openReader(format: Format, options: PushReaderOptions): PushReader {
  switch (format) {
    case 'rdfxml':
      return new RdfXmlReader(options);
    case 'jsonld':
      return new JsonLdReader(options);
    default:
      return turtleReader(format, options);
  }
}

/** A whole document that is already in memory, as one array. */
export async function readDocument(document: string | Uint8Array, options: ReadOptions): Promise<Quad[]> {
  const bytes = typeof document === 'string' ? new TextEncoder().encode(document) : document;
  const quads: Quad[] = [];
  for await (const batch of readQuads(once(bytes), options)) for (const quad of batch) quads.push(quad);
  return quads;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
