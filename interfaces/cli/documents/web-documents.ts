/**
 * Documents whose address stands in the line, and contexts that JSON-LD documents name. A document is stored in a folder
 * of its own before anything is written, so that no write waits for a server; its address is its base.
 */

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fromSystemError, SvcError } from '../../../engine/base/errors.js';
import {
  compressionOfPath,
  FORMATS,
  type Format,
  formatOfMediaType,
  knownFormOfPath,
} from '../../../engine/rdf/formats/registry.js';
import type { LoadSource } from '../../../engine/storage/seam/engine.js';
import { fetchDocument } from './fetch.js';

const DOCUMENT_BYTES_MAX = 4 * 2 ** 30;
const CONTEXT_BYTES_MAX = 16 * 2 ** 20;

/** What servers call a file whose kind they do not know: its name says more. */
const VAGUE = /^(?:text\/plain|text\/xml|application\/(?:xml|json|octet-stream|gzip|x-gzip|zstd))$/;

const ACCEPT = [
  ...FORMATS.map(({ mediaTypes: [type], name }) => `${type};q=${name === 'jsonld' || name === 'rdfxml' ? 0.7 : 0.9}`),
  '*/*;q=0.1',
].join(', ');

type FileSource = Extract<LoadSource, { kind: 'file' }>;

/** Where documents of the web lie until they are loaded. */
export class WebDocuments {
  #folder: string | null = null;
  #count = 0;

  async fetch(address: string, given: Format | undefined, signal: AbortSignal | undefined): Promise<FileSource> {
    const limits = { accept: ACCEPT, bytesMax: DOCUMENT_BYTES_MAX, signal };
    const { url, headers, bytes, cancel } = await fetchDocument(address, limits);
    const format = given ?? formatOf(url, headers);
    if (format === null) {
      cancel();
      throw noFormat(url, headers);
    }
    // What came compressed by its content encoding is plain by now.
    const { compression } = headers.has('content-encoding') ? { compression: 'none' } : compressionOfPath(url.pathname);
    const ending = { none: '', gzip: '.gz', zstd: '.zst' }[compression as 'none' | 'gzip' | 'zstd'];
    const path = await this.#store(bytes, ending);
    return { kind: 'file', path, name: address, format, baseIri: url.href };
  }

  async #store(bytes: AsyncIterable<Uint8Array>, ending: string): Promise<string> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'svc-knot-'));
    const path = join(this.#folder, `${this.#count++}${ending}`);
    try {
      await pipeline(Readable.from(bytes), createWriteStream(path));
    } catch (error) {
      throw fromSystemError(error, path);
    }
    return path;
  }

  async close(): Promise<void> {
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }
}

function mediaTypeOf(headers: Headers): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** By the media type, or by the name where the media type says little; null where neither says it. */
function formatOf(url: URL, headers: Headers): Format | null {
  const type = mediaTypeOf(headers);
  const named = knownFormOfPath(url.pathname)?.format;
  const isKnown = FORMATS.some(({ mediaTypes }) => mediaTypes.includes(type));
  if (isKnown && !(VAGUE.test(type) && named !== undefined)) return formatOfMediaType(type);
  return named !== undefined && (type === '' || VAGUE.test(type)) ? named : null;
}

function noFormat(url: URL, headers: Headers): SvcError {
  const type = mediaTypeOf(headers) || 'no media type';
  return new SvcError('unknown_format', `${url.href} answers with ${type}, which names no RDF format`, {
    hint: 'name the format by --format, if it is RDF all the same',
  });
}

/** Fetches contexts, each once. */
export function contextLoader(signal: AbortSignal | undefined): (url: string) => Promise<unknown> {
  const loaded = new Map<string, Promise<unknown>>();
  return (url) => {
    const known = loaded.get(url) ?? loadContext(url, signal);
    loaded.set(url, known);
    return known;
  };
}

async function loadContext(address: string, signal: AbortSignal | undefined): Promise<unknown> {
  const accept = 'application/ld+json, application/json;q=0.9, */*;q=0.1';
  const { url, bytes } = await fetchDocument(address, { accept, bytesMax: CONTEXT_BYTES_MAX, signal });
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch (error) {
    throw new SvcError('source_unreadable', `the context ${url.href} is no JSON`, { cause: error });
  }
}
