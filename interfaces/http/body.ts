/**
 * Bodies of requests: read whole within a limit, with their type looked at before the first byte. A body that is larger
 * is refused at once where its length is declared, otherwise at the byte that is too many.
 */

import type { IncomingMessage } from 'node:http';
import { SvcError } from '../../engine/base/errors.js';
import { Refusal } from './refusal.js';

/** The media type of a body without its parameters, in lower case; empty when none is given. */
export function mediaTypeOf({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The charset that a body declares, in lower case. */
function charsetOf({ headers }: IncomingMessage): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase();
}

export function refuseType(given: string, wanted: readonly string[]): Refusal {
  const what = given === '' ? 'the request has no Content-Type' : `Content-Type ${given} is not taken here`;
  return new Refusal('unsupported_media_type', `${what}; expected ${wanted.join(' or ')}`);
}

function tooLarge(bytesMax: number, setting: string | null): Refusal {
  const named = setting === null ? '' : ` (${setting})`;
  // The rest of the body is not read, so the connection can't be used again.
  return new Refusal('too_large', `the body is larger than ${bytesMax} bytes${named}`, {
    headers: { Connection: 'close' },
  });
}

export interface BodyLimit {
  readonly bytesMax: number;
  /** The setting that the limit stands in; null for one that is fixed. */
  readonly setting: string | null;
}

function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding']?.toLowerCase();
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Refusal('unsupported_media_type', `Content-Encoding ${encoding} is not taken; send the body as it is`);
  }
}

/** The bytes of a body as they come, within the limit. */
export async function* streamBody(request: IncomingMessage, limit: BodyLimit): AsyncGenerator<Uint8Array> {
  refuseEncoding(request);
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit.bytesMax) throw tooLarge(limit.bytesMax, limit.setting);
  let length = 0;
  // Not destroyed on an early end: the answer goes out on the same connection.
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  try {
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length > limit.bytesMax) throw tooLarge(limit.bytesMax, limit.setting);
      yield chunk;
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ECONNRESET') throw cause;
    throw new SvcError('aborted', 'the client left before its body was whole', { cause });
  }
}

export async function readBody(request: IncomingMessage, limit: BodyLimit): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of streamBody(request, limit)) chunks.push(chunk);
  return chunks.length === 1
    ? Buffer.from(
        (chunks[0] as Uint8Array).buffer,
        (chunks[0] as Uint8Array).byteOffset,
        (chunks[0] as Uint8Array).byteLength,
      )
    : Buffer.concat(chunks);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

export async function readText(request: IncomingMessage, limit: BodyLimit): Promise<string> {
  const charset = charsetOf(request);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    throw new Refusal('unsupported_media_type', `charset ${charset} is not taken; send UTF-8`);
  }
  const bytes = await readBody(request, limit);
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new SvcError('invalid_utf8', 'the body is not UTF-8', { cause });
  }
}

/** No request of ours nests as deep; whatever walks a value later may do so by recursion. */
const JSON_DEPTH_MAX = 200;

function nestsTooDeeply(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > JSON_DEPTH_MAX) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** The JSON object of a body. */
export async function readJson(request: IncomingMessage, limit: BodyLimit): Promise<Record<string, unknown>> {
  const type = mediaTypeOf(request);
  if (type !== 'application/json') throw refuseType(type, ['application/json']);
  const text = await readText(request, limit);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SvcError('invalid_request', `the body is not JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SvcError('invalid_request', 'the body is not a JSON object');
  }
  if (nestsTooDeeply(value)) {
    throw new SvcError('invalid_request', `the body nests deeper than ${JSON_DEPTH_MAX} levels`);
  }
  return value as Record<string, unknown>;
}
