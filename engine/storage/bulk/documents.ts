/**
 * The documents of a load: their form, their bytes, and the scope of their blank nodes.
 */

import { createReadStream } from 'node:fs';
import { SvcError } from '../../base/errors.js';
import { scopeDigits, scopeText } from '../../rdf/blank-node-scope.js';
import { decompress } from '../../rdf/formats/input/compression.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';
import { type Compression, compressionOfPath, type Format, formatOfPath } from '../../rdf/formats/registry.js';
import type { LoadOptions, LoadSource } from '../seam/engine.js';
import { type ByteInput, BytesInput, FileInput, StreamInput, unreadable } from './byte-input.js';

export const SCOPE_BYTES = 17;
const SCOPE_DIGITS = 16;

export interface LoadDocument {
  readonly source: LoadSource;
  readonly name: string;
  /** Null for quads of a program. */
  readonly format: Format | null;
  readonly compression: Compression;
  readonly baseIri: string | undefined;
}

export function nameOf(source: LoadSource): string {
  return source.kind === 'file' ? (source.name ?? source.path) : source.name;
}

export function describeDocument(source: LoadSource): LoadDocument {
  const name = nameOf(source);
  if (source.kind === 'quads') return { source, name, format: null, compression: 'none', baseIri: undefined };
  const baseIri = source.baseIri;
  if (baseIri !== undefined) {
    const fault = iriFault(baseIri);
    if (fault !== null) throw new SvcError('invalid_request', `the base IRI <${baseIri}> of ${name} ${fault}`);
  }
  if (source.kind === 'bytes') {
    return { source, name, format: source.format, compression: source.compression ?? 'none', baseIri };
  }
  const { compression } = compressionOfPath(source.path);
  return { source, name, format: source.format ?? formatOfPath(source.path).format, compression, baseIri };
}

/** Opens the bytes of a document; a plain file is opened as such, so that another thread may read it. */
export function openDocument(document: LoadDocument, options: LoadOptions, signal?: AbortSignal): ByteInput {
  const { source } = document;
  if (source.kind === 'quads') throw new SvcError('internal', 'quads have no bytes');
  if (source.kind === 'file' && document.compression === 'none') return new FileInput(source.path);
  const whole = source.kind === 'bytes' && source.bytes instanceof Uint8Array && document.compression === 'none';
  if (whole) return new BytesInput(source.bytes);
  const raw =
    source.kind === 'file'
      ? fileBytes(source.path)
      : source.bytes instanceof Uint8Array
        ? once(source.bytes)
        : source.bytes;
  return new StreamInput(
    decompress(raw, {
      compression: document.compression,
      sourceName: document.name,
      compressionRatioMax: options.compressionRatioMax,
    }),
    signal,
  );
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* fileBytes(path: string): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(path, { highWaterMark: 1 << 18 });
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    stream.destroy();
  }
}

/** Bytes of a document as they are on disk, where that is known before reading. */
export function inputBytesOf(document: LoadDocument): number | null {
  const { source } = document;
  if (source.kind === 'bytes' && source.bytes instanceof Uint8Array && document.compression === 'none') {
    return source.bytes.length;
  }
  if (source.kind !== 'file' || document.compression !== 'none') return null;
  const input = new FileInput(source.path);
  const size = input.size;
  input.close();
  return size;
}

/** The 17 bytes that stand for a document's scope until its digits are known: `d`, byte 1, 15 hex digits. */
export function placeholderScope(document: number): Buffer {
  return Buffer.from(`d\u0001${document.toString(16).padStart(SCOPE_DIGITS - 1, '0')}`, 'latin1');
}

/** The scope digits of a document, in full. */
export function finalDigits(options: LoadOptions, sha256: string, name: string | undefined): string {
  return scopeDigits(scopeText({ snapshotKey: options.snapshotKey, sha256, name }));
}

/** Names tell documents under one snapshot key apart; a load of one document needs none. */
export function distinctNames(documents: readonly Pick<LoadDocument, 'name'>[]): (string | undefined)[] {
  if (documents.length === 1) return [undefined];
  const seen = new Map<string, number>();
  return documents.map(({ name }) => {
    const earlier = seen.get(name) ?? 0;
    seen.set(name, earlier + 1);
    return earlier === 0 ? name : `${name}\n${earlier}`;
  });
}
