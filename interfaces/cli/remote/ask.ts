/**
 * An operation of a command, asked of a running server over its own HTTP route: the same request, checked by the same
 * schema before it leaves, and an answer that is printed as one of this machine is.
 */

import type { Control } from '../../../engine/base/control.js';
import { invariant, SvcError } from '../../../engine/base/errors.js';
import { checkFormat, type ResultFormat, type ResultKind } from '../../../engine/query/results/formats.js';
import { XSD } from '../../../engine/rdf/terms.js';
import type {
  Answer,
  Body,
  CommandOperation,
  HttpRoute,
} from '../../../engine/service/operations/definition/operation.js';
import { checkRequest } from '../../../engine/service/requests/check-schema.js';
import { JSON_MEDIA_TYPE } from '../../../engine/service/requests/operation-answer.js';
import type { LoadSource } from '../../../engine/storage/seam/engine.js';
import { sentDocument } from './document.js';
import { parseExactJson } from './exact-json.js';
import { bytesOf, type RemoteRequest, type RemoteServer, send, textOf } from './server.js';
import { turtleOf } from './turtle.js';

export interface RemoteAsk {
  readonly operation: CommandOperation;
  readonly request: Body;
  readonly documents: readonly LoadSource[];
  /** As `OperationContext` has it. */
  readonly representation: string;
  readonly acceptable: readonly string[] | undefined;
  /** Whether the body is printed as it is. */
  readonly asJson: boolean;
  readonly nameOf: (field: string) => string;
  readonly control: Control;
  readonly remoteContexts: ((url: string) => Promise<unknown>) | undefined;
}

/** The route of an operation; of several one with a body. */
function routeOf({ name, projections }: CommandOperation): HttpRoute {
  const routes = projections.http ?? [];
  const route = routes.find(({ method }) => method === 'POST') ?? routes[0];
  invariant(route !== undefined, `${name} has a route`);
  return route;
}

export async function askServer(server: RemoteServer, ask: RemoteAsk): Promise<Answer<Body>> {
  const { operation, documents, nameOf, control } = ask;
  const { signal } = control;
  const { payload } = operation;
  const provided = payload !== undefined && documents.length > 0 ? [payload] : [];
  checkRequest(operation.request, ask.request, { provided, nameOf });
  const [document] = documents;
  const route = routeOf(operation);
  const request =
    payload === undefined || provided.length === 0
      ? toHttp(ask, route, ask.request)
      : ((ask.remoteContexts === undefined ? withDocument(ask, route) : null) ??
        toHttp(ask, route, {
          ...ask.request,
          [payload]: await turtleOf(documents, { signal, remoteContexts: ask.remoteContexts }),
        }));
  const response = await send(server, request, {
    control,
    source:
      document === undefined || document.kind === 'quads' ? operation.projections.cli.argument?.field : document.name,
  });
  const mediaType = (response.headers.get('content-type') ?? '').split(';', 1)[0] as string;
  if (route.representation !== undefined) return documentAnswer(response, server, ask, mediaType);
  if (mediaType !== JSON_MEDIA_TYPE) {
    if (ask.representation === 'body' || ask.asJson) throw strange(server, mediaType);
    return { kind: 'document', mediaType, chunks: bytesOf(response, server, signal) };
  }
  if (ask.representation !== 'body') throw await misfit(response, server, ask);
  if (ask.asJson) return { kind: 'document', mediaType, chunks: bytesOf(response, server, signal) };
  const text = await textOf(response, server, signal);
  try {
    return { kind: 'body', body: parseExactJson(text) as Body };
  } catch {
    throw strange(server, 'something that is not JSON');
  }
}

function strange({ base }: RemoteServer, what: string): SvcError {
  return new SvcError('service_failed', `${base} answers with ${what || 'something without a type'}, as svc does not`, {
    hint: 'look at --url: it must be the address of a svc server',
  });
}

/** The answer of a route that gives a document; its body is what the tool of the same name gives. */
async function documentAnswer(
  response: Response,
  server: RemoteServer,
  { request, asJson, control: { signal } }: RemoteAsk,
  mediaType: string,
): Promise<Answer<Body>> {
  const triples = Number(response.headers.get('x-svc-triples') ?? Number.NaN);
  const notes = Number.isInteger(triples) ? { entries: triples } : {};
  if (!asJson) return { kind: 'document', mediaType, chunks: bytesOf(response, server, signal), notes };
  if (notes.entries === undefined) throw strange(server, 'a document without its count');
  const { format, graph = null } = request;
  return { kind: 'body', body: { rdf: await textOf(response, server, signal), format, graph, triples }, notes };
}

/** A server gives the JSON body where the form that is wanted can't hold the answer; here that is an error. */
async function misfit(response: Response, server: RemoteServer, { representation, control: { signal } }: RemoteAsk) {
  let begin = '';
  for await (const chunk of bytesOf(response, server, signal)) {
    begin += Buffer.from(chunk).toString('latin1');
    if (begin.length > 16) break;
  }
  const kind: ResultKind = begin.startsWith('{"result"')
    ? 'boolean'
    : begin.startsWith('{"triples"')
      ? 'graph'
      : 'rows';
  checkFormat(representation as ResultFormat, kind);
  return strange(server, JSON_MEDIA_TYPE);
}

function parametersOf(request: Body, without?: string): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(request)) {
    if (name === without || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** Of the address of a request. */
const TARGET_CHARACTERS_MAX = 32 * 1024;

/** The document as the body, the fields in the address; null where they are too long for one. */
function withDocument({ documents, request }: RemoteAsk, { method, path }: HttpRoute): RemoteRequest | null {
  const document = sentDocument(documents);
  const { baseIri: base } = document;
  const target = path + parametersOf({ ...request, ...(base === undefined ? {} : { base }) });
  if (target.length > TARGET_CHARACTERS_MAX) return null;
  return { method, target, headers: { Accept: JSON_MEDIA_TYPE }, document };
}

function toHttp(
  ask: RemoteAsk,
  { method, path, request: how, representation }: HttpRoute,
  request: Body,
): RemoteRequest {
  const names = ask.acceptable ?? [ask.representation];
  const wanted = ask.operation.representations.filter(({ name }) => names.includes(name)).map((one) => one.mediaType);
  const Accept = representation !== undefined ? '*/*' : wanted.length > 0 ? wanted.join(', ') : JSON_MEDIA_TYPE;
  if (how === 'parameters') {
    const [, before = path, variable] = /^(.*)\{(\w+)\}$/.exec(path) ?? [];
    const last = variable === undefined ? '' : encodeURIComponent(String(request[variable]));
    return { method, target: before + last + parametersOf(request, variable), headers: { Accept } };
  }
  if (ask.operation.name === 'update') {
    // The protocol has the text as the body, and everything else in the address.
    const headers = { Accept, 'Content-Type': 'application/sparql-update' };
    return { method, target: path + parametersOf(request, 'update'), headers, body: String(request.update) };
  }
  const body = JSON.stringify(request, (_, value: unknown) => (isBigInteger(value) ? integer(value.int) : value));
  return { method, target: path, headers: { Accept, 'Content-Type': JSON_MEDIA_TYPE }, body };
}

function isBigInteger(value: unknown): value is { readonly int: bigint } {
  return typeof value === 'object' && value !== null && typeof (value as { int?: unknown }).int === 'bigint';
}

/** JSON numbers are doubles to most who read them, so an integer that is none goes as a literal. */
function integer(int: bigint): unknown {
  const small = Number(int);
  return Number.isSafeInteger(small) ? { int: small } : { value: String(int), datatype: `${XSD}integer` };
}
