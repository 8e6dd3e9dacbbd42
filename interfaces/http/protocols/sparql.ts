/**
 * The SPARQL 1.1 Protocol: queries by GET, by form and as a direct body, updates by form and as a direct body, and the
 * JSON extension. Parameters of a direct body stand in the URL. Which answer a client gets is its `Accept`; without one
 * it is the JSON extension (wire shapes, 4.2).
 */

import { SvcError } from '../../../engine/base/errors.js';
import { voidDescription } from '../../../engine/service/operations/graphs/void.js';
import { acceptedTypes, leavesChoice } from '../answers/negotiation.js';
import { Refusal } from '../answers/refusal.js';
import { mediaTypeOf, type Reading, readForm, readJson, readText, refuseType } from '../request/body.js';
import { requestOf } from '../request/parameters.js';
import { actorOf } from './actor.js';
import { translateVoid } from './linked-data.js';
import { type Asked, formsOf, type Incoming, type Translator } from './translator.js';

const FORM = 'application/x-www-form-urlencoded';
const QUERY = 'application/sparql-query';
const UPDATE = 'application/sparql-update';
const JSON_TYPE = 'application/json';

/** Of the target of a query by GET. */
const QUERY_TARGET_BYTES_MAX = 8 * 1024;
/** Of a query that is the body. */
const DIRECT_QUERY = { bytesMax: 1024 * 1024, setting: null };

/** Parameters that the protocol spells with hyphens, and the fields they fill. */
const QUERY_LISTS = { 'default-graph-uri': 'default_graph_uri', 'named-graph-uri': 'named_graph_uri' } as const;
const UPDATE_LISTS = {
  'using-graph-uri': 'using_graph_uri',
  'using-named-graph-uri': 'using_named_graph_uri',
} as const;

/** Exactly one text of a parameter. */
function single(parameters: URLSearchParams, name: string): string {
  const texts = parameters.getAll(name);
  if (texts.length === 1) return texts[0] as string;
  const what =
    texts.length === 0 ? `missing '${name}' parameter` : `'${name}' stands in the request ${texts.length} times`;
  throw new SvcError('invalid_request', what);
}

type Lists = Readonly<Record<string, string>>;

/** Names of parameters that are declared, and the fields they fill. */
function declaredNames({ operation }: Incoming, lists: Lists): ReadonlyMap<string, string> {
  const fields = Object.keys(operation.request.properties ?? {});
  return new Map([...fields.map((field) => [field, field] as const), ...Object.entries(lists)]);
}

/** The declared fields among the parameters. Others belong to whoever put them there. */
function fieldsOf(parameters: URLSearchParams, incoming: Incoming, lists: Lists): Record<string, unknown> {
  const names = declaredNames(incoming, lists);
  const declared = new URLSearchParams();
  for (const [name, text] of parameters) {
    const field = names.get(name);
    if (field !== undefined) declared.append(field, text);
  }
  return requestOf(declared, incoming.operation.request);
}

function readingOf({ bodyLimit, readers }: Incoming): Reading {
  return { limit: bodyLimit, readers };
}

function directReadingOf(incoming: Incoming): Reading {
  return { ...readingOf(incoming), limit: { ...incoming.bodyLimit, ...DIRECT_QUERY } };
}

function formOf(incoming: Incoming, lists: Lists): Promise<URLSearchParams> {
  return readForm(incoming.message, [...declaredNames(incoming, lists).keys()], readingOf(incoming));
}

async function queryFields(incoming: Incoming): Promise<Record<string, unknown>> {
  const { message, parameters } = incoming;
  const fields = (given: URLSearchParams) => fieldsOf(given, incoming, QUERY_LISTS);
  if (message.method === 'GET' || message.method === 'HEAD') {
    if ((message.url ?? '').length > QUERY_TARGET_BYTES_MAX) {
      const account = `the target of a query by GET is longer than ${QUERY_TARGET_BYTES_MAX} bytes; send the query by POST`;
      throw new Refusal('too_large', account, { status: 414 });
    }
    return { ...fields(parameters), query: single(parameters, 'query') };
  }
  switch (mediaTypeOf(message)) {
    case JSON_TYPE:
      return (
        await readJson(message, {
          ...readingOf(incoming),
          payload: undefined,
          declared: Object.keys(incoming.operation.request.properties ?? {}),
        })
      ).request;
    case QUERY:
      return { ...fields(parameters), query: await readText(message, directReadingOf(incoming)) };
    case FORM: {
      const form = await formOf(incoming, QUERY_LISTS);
      return { ...fields(form), query: single(form, 'query') };
    }
    default:
      throw refuseType(mediaTypeOf(message), [JSON_TYPE, QUERY, FORM]);
  }
}

/** Forms that the client takes, the best first; `body` is the JSON extension, which always does. */
export function answerForms({ message, operation }: Incoming): readonly string[] {
  if (leavesChoice(message.headers)) return ['body'];
  const forms = formsOf(operation);
  const accepted = acceptedTypes(message.headers, [JSON_TYPE, ...forms.keys()]);
  return [...accepted.map((type) => forms.get(type) ?? 'body'), 'body'];
}

/** The service defines the base of texts that bring none (SPARQL 1.1 Protocol, 2.1.7 and 2.2.5): its own address. */
function baseOf({ baseUrl }: Incoming): { readonly base: string } {
  return { base: `${baseUrl}/` };
}

const RDF_TYPE = /\b(?:text\/turtle|application\/(?:ld\+json|rdf\+xml|n-triples|n-quads|trig))\b/i;

/** A GET that asks nothing, and for RDF, wants to know what the service is (SPARQL 1.1 Service Description, 2). */
function wantsDescription({ message, parameters }: Incoming): boolean {
  const isRead = message.method === 'GET' || message.method === 'HEAD';
  return isRead && !parameters.has('query') && RDF_TYPE.test(message.headers.accept ?? '');
}

export const translateQuery: Translator = async (incoming) => {
  if (wantsDescription(incoming)) {
    return { operation: voidDescription, ...(await translateVoid({ ...incoming, operation: voidDescription })) };
  }
  const request: Record<string, unknown> = { ...baseOf(incoming), ...(await queryFields(incoming)) };
  if (request.query === undefined) throw new SvcError('invalid_request', "missing 'query' parameter");
  const acceptable = answerForms(incoming);
  return {
    request,
    representation: acceptable[0] as string,
    acceptable,
    shape: () => ({ headers: { Vary: 'Accept' } }),
  };
};

async function updateFields(incoming: Incoming): Promise<Record<string, unknown>> {
  const { message, parameters } = incoming;
  switch (mediaTypeOf(message)) {
    case UPDATE:
      return { ...fieldsOf(parameters, incoming, UPDATE_LISTS), update: await readText(message, readingOf(incoming)) };
    case FORM: {
      const form = await formOf(incoming, UPDATE_LISTS);
      return { ...fieldsOf(form, incoming, UPDATE_LISTS), update: single(form, 'update') };
    }
    default:
      throw refuseType(mediaTypeOf(message), [UPDATE, FORM]);
  }
}

/** Of the header and a field of the same meaning the field wins. */
export const translateUpdate: Translator = async (incoming): Promise<Asked> => ({
  request: { ...baseOf(incoming), ...actorOf(incoming.message), ...(await updateFields(incoming)) },
  representation: 'body',
});
