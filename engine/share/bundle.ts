/**
 * A share bundle as programs hold it: the manifest with its exact text, and the files. The triples are bytes that are read
 * as often as needed and need never be one text; a million of them stay in the file where they are.
 */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { SvcError, showValue } from '../base/errors.js';
import { isObject } from '../base/objects.js';
import type { ShareManifest } from './manifest.js';
import { parseStrictJson } from './strict-json.js';

export interface ByteSource {
  readonly bytes: number;
  chunks(): AsyncIterable<Uint8Array>;
}

/** Who vouches for a share, beside it and in no hash. */
export interface ShareSignature {
  /** IRI of the verifier. */
  readonly verifier: string;
  /** Hex digits of the ed25519 key. */
  readonly public_key: string;
  /** Hex digits, over the share id. */
  readonly signature: string;
}

export interface ShareBundle {
  readonly manifest: ShareManifest;
  /** `manifest.json` to the byte. */
  readonly manifestText: string;
  readonly exportNTriples: ByteSource;
  readonly shapesTurtle: string;
  readonly signature: ShareSignature | null;
}

/** What a writer adds for readers; no hash covers it and no importer reads it. */
export interface BundleView {
  readonly viewTurtle: ByteSource | null;
}

export const MANIFEST_FILE = 'manifest.json';
export const EXPORT_FILE = 'export.nt';
export const SHAPES_FILE = 'shapes.ttl';
export const VIEW_FILE = 'view.ttl';
export const SIGNATURE_FILE = 'signature.json';

export function memorySource(content: Uint8Array | string): ByteSource {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    bytes: bytes.length,
    async *chunks() {
      if (bytes.length > 0) yield bytes;
    },
  };
}

const CHUNK_BYTES = 256 * 1024;

/** A file as it is now. */
export async function fileSource(path: string): Promise<ByteSource> {
  const { size } = await stat(path);
  return { bytes: size, chunks: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }) };
}

const SIGNATURE_CHARACTERS_MAX = 64 * 1024;

/** `signature.json`, whoever made it; whether it is valid and whose it is others say. */
export function parseSignature(text: string): ShareSignature {
  const value = parseStrictJson(text, { name: SIGNATURE_FILE, charactersMax: SIGNATURE_CHARACTERS_MAX, depthMax: 8 });
  if (!isObject(value)) throw refusal(`it is ${showValue(value)}; expected an object`);
  const { verifier, public_key, signature } = value;
  if (typeof verifier !== 'string' || verifier === '') throw refusal("'verifier' is not the IRI of a verifier");
  if (typeof public_key !== 'string') throw refusal("'public_key' is not a text of hex digits");
  if (typeof signature !== 'string') throw refusal("'signature' is not a text of hex digits");
  return { verifier, public_key, signature };
}

export function writeSignature({ verifier, public_key, signature }: ShareSignature): string {
  return `${JSON.stringify({ public_key, signature, verifier })}\n`;
}

function refusal(what: string): SvcError {
  return new SvcError('invalid_request', `${SIGNATURE_FILE} can't be read: ${what}`);
}
