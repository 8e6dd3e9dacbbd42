/** Requests of a follower to its primary. The token goes in a header and nowhere else; no redirect is followed. */

import { ERRORS, type ErrorCode, SvcError } from '../base/errors.js';
import { FRAME, type Frame, FrameReader, type Hello, jsonOf, LOG_TYPE, LOG_VERSION } from './frames.js';

export interface Primary {
  /** The address of its server. */
  readonly url: string;
  readonly token: string;
}

/** A message of the primary is not longer in ours. */
const EXCERPT_CHARACTERS = 300;
const REFUSAL_BYTES_MAX = 65_536;

/** Where a path of the primary is, whether or not its address ends with a slash. */
function addressOf({ url }: Primary, path: string): string {
  return `${url.replace(/\/+$/, '')}${path}`;
}

/** The body of an answer that is one; what the primary refuses is thrown with its code and in its words. */
export async function askPrimary(
  primary: Primary,
  path: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(addressOf(primary, path), {
    redirect: 'manual',
    headers: { accept: LOG_TYPE, authorization: `Bearer ${primary.token}` },
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw new SvcError('aborted', 'the request to the primary was ended', { cause: error });
    throw unreachable(primary, error);
  });
  if (response.status !== 200 || response.body === null) throw await refusalOf(primary, response);
  const type = response.headers.get('content-type') ?? 'nothing';
  if (!type.startsWith(LOG_TYPE)) {
    await response.body.cancel();
    throw new SvcError('service_failed', `${primary.url} answered with ${type.slice(0, 100)}: is it a server of svc?`);
  }
  return response.body as AsyncIterable<Uint8Array>;
}

function unreachable({ url }: Primary, error: unknown): SvcError {
  const { cause } = error as Error;
  const why = cause instanceof Error ? cause.message : (error as Error).message;
  return new SvcError('unavailable', `the primary ${url} does not answer: ${why}`, { cause: error });
}

/** The beginning of an answer; who sends more is not listened to. */
async function excerptOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= REFUSAL_BYTES_MAX) break;
    }
  } catch {
    // What came tells enough.
  }
  return Buffer.concat(pieces).subarray(0, REFUSAL_BYTES_MAX).toString('utf8');
}

async function refusalOf({ url }: Primary, response: Response): Promise<SvcError> {
  const text = await excerptOf(response);
  let told: { readonly error?: unknown; readonly code?: unknown; readonly hint?: unknown } = {};
  try {
    told = JSON.parse(text) as typeof told;
  } catch {
    // It is no server of ours, or one behind a proxy: its status says enough.
  }
  const message = typeof told.error === 'string' ? told.error.slice(0, EXCERPT_CHARACTERS) : 'no reason was told';
  const known = typeof told.code === 'string' && Object.hasOwn(ERRORS, told.code);
  const code: ErrorCode = known && response.status !== 500 ? (told.code as ErrorCode) : 'service_failed';
  const hint =
    typeof told.hint === 'string'
      ? { hint: told.hint.slice(0, EXCERPT_CHARACTERS) }
      : response.status === 404
        ? { hint: 'a primary tells its log where follow.token is set, and it knows no such path' }
        : {};
  return new SvcError(code, `the primary ${url} answered ${response.status}: ${message}`, hint);
}

/** The frames of an answer, the hello apart. */
export async function* framesOf(
  body: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Frame, void, undefined> {
  const reader = new FrameReader();
  for await (const chunk of body) {
    onBytes(chunk.length);
    yield* reader.push(chunk);
  }
  if (reader.waiting > 0) throw new SvcError('service_failed', 'the connection to the primary ended within a frame');
}

/** The first frame of an answer; refuses other versions by name. */
export function helloFrom(frame: Frame | undefined, { url }: Primary): Hello {
  if (frame?.kind !== FRAME.hello) {
    throw new SvcError('service_failed', `${url} did not say which store it is`);
  }
  const hello = jsonOf<Hello>(frame);
  if (hello.version === LOG_VERSION) return hello;
  throw new SvcError(
    'unsupported',
    `${url} tells its log in version ${hello.version}, and ${LOG_VERSION} is read here`,
    {
      hint: 'run the same version of svc at both ends',
    },
  );
}
