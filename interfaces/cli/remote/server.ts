/**
 * The running server that `--url` names: where it is, what a request to it carries, and what its failures are here.
 * A failure has the code, the text and so the exit code that it would have on a store of this machine. The token goes
 * to this address alone, and into no message.
 */

import { type Control, throwIfAborted } from '../../../engine/base/control.js';
import { ERRORS, type ErrorCode, type InputPosition, SvcError } from '../../../engine/base/errors.js';
import { type CliOptions, textOption } from '../line/streams.js';
import { readToken } from '../serve/mcp-command.js';
import type { SentDocument } from './document.js';

export interface RemoteServer {
  /** Without a slash at its end. */
  readonly base: string;
  readonly token: string | null;
  /** The transaction that it has to have; null = whatever it has. */
  readonly minTx: number | null;
}

/** A request as HTTP has it. */
export interface RemoteRequest {
  readonly method: string;
  /** Path and parameters. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In place of a body. */
  readonly document?: SentDocument;
}

/** What stands between a Bearer and the end of its header. */
const TOKEN = /^[\x21-\x7e]+$/;

function baseOf(url: string): string {
  const expected = 'expected an address such as http://127.0.0.1:3030';
  // What is written there may hold a password, so no message repeats it.
  if (!URL.canParse(url)) throw new SvcError('invalid_request', `--url is no address of a server; ${expected}`);
  const { protocol, origin, pathname, username, password, search, hash } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new SvcError('invalid_request', `--url has the scheme ${protocol} ${expected}`);
  }
  if (username !== '' || password !== '') {
    throw new SvcError('invalid_request', '--url holds a name or a password; give a token by --token-file');
  }
  if (search !== '' || hash !== '') throw new SvcError('invalid_request', `--url has more than a path; ${expected}`);
  return origin + pathname.replace(/\/+$/, '');
}

/** The server of a command line; null where it works on a store of this machine. */
export async function remoteServer(options: CliOptions): Promise<RemoteServer | null> {
  const [url, token, file, least] = ['url', 'token', 'tokenFile', 'minTx'].map((name) => textOption(options, name));
  if (url === undefined) {
    const given = [
      [token, '--token'],
      [file, '--token-file'],
      [least, '--min-tx'],
    ].find(([said]) => said !== undefined);
    if (given === undefined) return null;
    throw new SvcError('usage', `${given[1]} is for --url <base>`);
  }
  for (const [name, what] of [
    ['db', 'its own store'],
    ['config', 'its own configuration'],
    ['features', 'its own features'],
  ] as const) {
    if (options[name] === undefined) continue;
    throw new SvcError('usage', `give --url or --${name}, not both: the server has ${what}`);
  }
  if (token !== undefined && file !== undefined) throw new SvcError('usage', 'give --token or --token-file, not both');
  if (token !== undefined && !TOKEN.test(token)) {
    throw new SvcError(
      'invalid_request',
      '--token is no bearer token: expected visible ASCII characters without spaces',
    );
  }
  const minTx = least === undefined ? null : Number(least);
  if (least !== undefined && !(/^\d+$/.test(least) && Number.isSafeInteger(minTx))) {
    throw new SvcError('usage', `--min-tx is ${JSON.stringify(least)}; expected the number of a transaction`);
  }
  return { base: baseOf(url), token: token ?? (await readToken(file)), minTx };
}

/** Commands that need the machine of the store say so. */
export function refuseServer(options: CliOptions, command: string, instead: string): void {
  const { url, token, tokenFile, minTx } = options;
  if ([url, token, tokenFile, minTx].every((one) => one === undefined)) return;
  throw new SvcError('unsupported', `svc ${command} does not work against a running server (--url)`, { hint: instead });
}

/** Each byte of UTF-8 as a character, as headers carry it. */
function headerText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Settles when the answer begins; a refusal is thrown. `source`: what a position in a refusal is a place of. */
export async function send(
  server: RemoteServer,
  { method, target, headers, body, document }: RemoteRequest,
  { control, source }: { readonly control: Control; readonly source?: string | undefined },
): Promise<Response> {
  const { signal, principalChain } = control;
  const authorization: Record<string, string> =
    server.token === null ? {} : { Authorization: `Bearer ${server.token}` };
  const chain: Record<string, string> =
    principalChain === undefined ? {} : { 'X-Svc-Principal-Chain': headerText(principalChain.join(',')) };
  const least: Record<string, string> = server.minTx === null ? {} : { 'X-Svc-Min-Tx': String(server.minTx) };
  const all = { ...headers, ...authorization, ...chain, ...least };
  const asking =
    document !== undefined
      ? (await import('./document.js')).sendDocument(server.base + target, document, { method, headers: all }, control)
      : fetch(server.base + target, {
          method,
          headers: all,
          // Whoever is named by a redirect was not named by the person.
          redirect: 'manual',
          ...(body === undefined ? {} : { body }),
          ...(signal === undefined ? {} : { signal }),
        });
  const response = await asking.catch((error: unknown) => {
    throw error instanceof SvcError ? error : unanswered(error, server, signal);
  });
  if (response.ok) return response;
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new SvcError('service_failed', `${server.base} answers with a redirect (${response.status})`, {
      hint: 'name the server itself by --url',
    });
  }
  throw await refusalOf(response, server, source, signal);
}

/** The bytes of an answer as they come. Whoever leaves them ends the request. */
export async function* bytesOf(
  response: Response,
  server: RemoteServer,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const chunks = response.body[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        ended = true;
        throw unanswered(error, server, signal);
      });
      ended = next.done === true;
      if (next.done) return;
      yield next.value as Uint8Array;
    }
  } finally {
    if (!ended) await chunks.return?.();
  }
}

export async function textOf(
  response: Response,
  server: RemoteServer,
  signal: AbortSignal | undefined,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytesOf(response, server, signal)) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

/** What failures before an answer mean. */
const SILENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused, nobody listens there',
  ECONNRESET: 'the connection was closed before an answer',
  EHOSTUNREACH: 'this host can not be reached',
  ENETUNREACH: 'this host can not be reached',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of the host can not be looked up now',
  UND_ERR_CONNECT_TIMEOUT: 'nobody answered in time',
};

/** The code of a failure; of several addresses of one name the code of the first. */
function codeOfFailure(error: unknown): string | undefined {
  const cause = (error as Error).cause ?? error;
  const { code, errors } = cause as NodeJS.ErrnoException & { readonly errors?: readonly NodeJS.ErrnoException[] };
  return code ?? errors?.[0]?.code;
}

/** Why there is no whole answer. */
function unanswered(error: unknown, { base }: RemoteServer, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) {
    try {
      throwIfAborted(signal, 'the request');
    } catch (aborted) {
      return aborted;
    }
  }
  const code = codeOfFailure(error);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new SvcError(
      'service_failed',
      `${base} was silent for too long; what it was asked may be done all the same`,
      {
        cause: error,
      },
    );
  }
  const silent = code === undefined ? undefined : SILENT[code];
  if (silent !== undefined) {
    return new SvcError('unavailable', `${base}: ${silent} (${code})`, {
      cause: error,
      hint: 'is svc serve running, and is --url its address?',
    });
  }
  const { message } = ((error as Error).cause ?? error) as Error;
  return new SvcError('service_failed', `there was no whole answer from ${base} (${code ?? message})`, {
    cause: error,
  });
}

interface Told {
  readonly severity: string;
  readonly message: string;
  readonly focus_node?: string;
}

interface ErrorBody {
  readonly error?: unknown;
  readonly code?: unknown;
  readonly hint?: unknown;
  readonly position?: InputPosition;
  /** Of a refusal by SHACL. */
  readonly violations?: unknown;
  readonly warnings?: Told[];
  readonly infos?: Told[];
}

async function refusalOf(
  response: Response,
  server: RemoteServer,
  source: string | undefined,
  signal: AbortSignal | undefined,
): Promise<SvcError> {
  const text = await textOf(response, server, signal);
  let body: ErrorBody = {};
  try {
    body = (JSON.parse(text) ?? {}) as ErrorBody;
  } catch {
    // Somebody in between speaks otherwise; the status says what there is to say.
  }
  if (typeof body.error !== 'string') {
    return new SvcError('service_failed', `${server.base} answers ${response.status} ${response.statusText}`.trimEnd());
  }
  const { line, column, excerpt } = body.position ?? {};
  const lead = line === undefined ? '' : column === undefined ? `line ${line}: ` : `line ${line}, column ${column}: `;
  const message = body.error.startsWith(lead) ? body.error.slice(lead.length) : body.error;
  const place = { source, line, column, excerpt };
  const position = Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
  const isUnnamed = body.code === 'unauthorized' && server.token === null;
  const hint = isUnnamed ? 'give the token by --token-file or --token' : body.hint;
  const error = new SvcError(codeOf(body.code), message, {
    ...(line === undefined ? {} : { position }),
    ...(typeof hint === 'string' ? { hint } : {}),
  });
  const { violations, warnings = [], infos = [] } = body;
  if (error.code !== 'refused_shacl' || !Array.isArray(violations)) return error;
  const findings = [...violations, ...warnings, ...infos].map(({ focus_node: focusNode, ...one }) => ({
    ...one,
    focusNode,
  }));
  return Object.assign(error, { findings });
}

/** A server that is newer than this program may have codes that it does not know. */
function codeOf(code: unknown): ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'service_failed';
}
