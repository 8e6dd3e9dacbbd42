/**
 * Answers of other servers, read with care: no redirect is followed, no credentials leave but the server's own token, no
 * more is read than a bounded answer, and what goes wrong becomes one reason in words. SERVICE and federated queries ask
 * by it.
 */

import { MalformedResults } from './read-results.js';

/** Total time of a request where the configuration says nothing. */
export const REMOTE_TIMEOUT_MS = 5000;
export const ANSWER_BYTES_MAX = 64 * 2 ** 20;
const EXCERPT_CHARACTERS = 200;
/** Of an answer that is none, for its excerpt. */
const EXCERPT_BYTES_MAX = 4096;

/** A request that is a POST. */
export interface RemoteRequest {
  readonly url: string;
  readonly authToken?: string | undefined;
  readonly contentType: string;
  readonly body: string;
  /** What the answer is asked to be in, and must be in. */
  readonly mediaType: string;
  /** Media types of answers that can be read. */
  readonly accepts: RegExp;
  readonly signal: AbortSignal;
}

/** What makes an answer of no use, in words. */
export class Unusable extends Error {}

/** Settles when an answer that may be read begins. */
export async function askRemote(request: RemoteRequest): Promise<Response> {
  const { url, authToken, contentType, body, mediaType, accepts, signal } = request;
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      accept: mediaType,
      'content-type': contentType,
      ...(authToken === undefined ? {} : { authorization: `Bearer ${authToken}` }),
    },
    body,
    signal,
  });
  const { status } = response;
  const type = response.headers.get('content-type') ?? 'nothing';
  if (status === 200 && accepts.test(type)) return response;
  const reason =
    status >= 300 && status < 400
      ? `it answered with a redirect (${status}), which is not followed`
      : status === 200
        ? `it answered with ${type.slice(0, 100)} instead of ${mediaType}`
        : `it answered ${status}${excerpt(await beginOf(response))}`;
  await response.body?.cancel();
  throw new Unusable(reason);
}

async function beginOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (reader !== undefined && bytes < EXCERPT_BYTES_MAX) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.byteLength;
  }
  reader?.releaseLock();
  return Buffer.concat(chunks).toString();
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? '' : `: ${line.slice(0, EXCERPT_CHARACTERS)}`;
}

/** The text of an answer as it comes; `narrower`: what to do about one that is too large. */
export async function* textOf({ body }: Response, narrower: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new Unusable('its answer is no UTF-8');
    }
  };
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) {
      throw new Unusable(`its answer is larger than ${ANSWER_BYTES_MAX / 2 ** 20} MB; ${narrower}`);
    }
    yield decode(chunk);
  }
  yield decode();
}

/** Why a request has failed; `inTime`: within what time an answer was wanted, in words. */
export function reasonOf(error: unknown, inTime: string): string {
  if (error instanceof Unusable) return error.message;
  if (error instanceof MalformedResults) return `its answer can't be read: ${error.message}`;
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no whole answer within ${inTime}`;
  const { cause } = error;
  const deeper = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : '';
  return `no answer (${deeper || error.message})`;
}
