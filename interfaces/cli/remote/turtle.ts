/**
 * A document of this machine as the text that a server takes: Turtle and N-Triples as they are, other formats as
 * N-Triples. One document a request, since each has its own blank nodes; it is held whole, so its size is bounded.
 */

import { createReadStream } from 'node:fs';
import { throwIfAborted } from '../../../engine/base/control.js';
import { SvcError } from '../../../engine/base/errors.js';
import { decompress } from '../../../engine/rdf/formats/input/compression.js';
import { compressionOfPath, type Format, formatOfPath } from '../../../engine/rdf/formats/registry.js';
import { terms } from '../../../engine/rdf/terms.js';
import type { LoadSource } from '../../../engine/storage/seam/engine.js';
import { withBase } from '../line/base.js';

const BYTES_MAX = 256 * 1024 * 1024;

interface Opened {
  readonly name: string;
  readonly format: Format;
  readonly baseIri: string | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

async function* fileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new SvcError('source_unreadable', `${path} can not be read: ${(error as Error).message}`, { cause: error });
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function open(source: LoadSource): Opened {
  if (source.kind === 'file') {
    const name = source.name ?? source.path;
    const { compression } = compressionOfPath(source.path);
    const bytes = decompress(fileBytes(source.path), { compression, sourceName: name });
    return { name, format: source.format ?? formatOfPath(source.path).format, baseIri: source.baseIri, bytes };
  }
  if (source.kind === 'quads') throw new SvcError('internal', 'a command line names no quads');
  const given = source.bytes instanceof Uint8Array ? once(source.bytes) : source.bytes;
  const { name, format, baseIri, compression = 'none' } = source;
  return { name, format, baseIri, bytes: decompress(given, { compression, sourceName: name }) };
}

async function gather(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of chunks) {
    throwIfAborted(signal, 'the request');
    bytes += piece.length;
    if (bytes > BYTES_MAX) {
      throw new SvcError('too_large', `${name} has more than ${BYTES_MAX} bytes, as a request of --url can't`, {
        hint: "load it on the server's machine, or in parts",
      });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Refuses UTF-16 and whatever else is no UTF-8; a byte order mark is dropped. */
function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SvcError('invalid_utf8', `${name} is not UTF-8`, { cause: error });
  }
}

async function* asTriples({ name, format, baseIri, bytes }: Opened, { signal, remoteContexts }: Conversion) {
  const [{ readQuads }, { writeQuads }] = await Promise.all([
    import('../../../engine/rdf/formats/reader.js'),
    import('../../../engine/rdf/formats/writer.js'),
  ]);
  let anonymous = 0;
  // A letter in front keeps those that are written apart from those that are not.
  const blankNode = (label: string | null) =>
    terms.blankNode(label === null ? `a${(++anonymous).toString()}` : `l${label}`);
  yield* writeQuads(
    readQuads(bytes, { format, sourceName: name, baseIri, blankNode, signal, jsonLd: { remoteContexts } }),
    { format: 'ntriples' },
  );
}

export interface Conversion {
  readonly signal: AbortSignal | undefined;
  /** Fetches the remote contexts of JSON-LD; absent = they are refused. */
  readonly remoteContexts: ((url: string) => Promise<unknown>) | undefined;
}

export async function turtleOf(documents: readonly LoadSource[], conversion: Conversion): Promise<string> {
  const [document, another] = documents;
  if (document === undefined || another !== undefined) {
    throw new SvcError('usage', `${documents.length} documents: a request to a server (--url) holds one`, {
      hint: 'load them one by one with --each',
    });
  }
  const opened = open(document);
  const { name, format, baseIri } = opened;
  const isTaken = format === 'turtle' || format === 'ntriples';
  const { signal } = conversion;
  const text = decode(await gather(isTaken ? opened.bytes : asTriples(opened, conversion), name, signal), name);
  return format === 'turtle' ? withBase(text, baseIri) : text;
}
