/**
 * The SPARQL 1.1 Graph Store HTTP Protocol at /rdf-graph-store, and Memento for its reads: `?graph=<absolute IRI>` or
 * `?default` names the graph, Turtle and N-Triples go in and out, `Accept-Datetime` asks for the state at an instant.
 */

import type { IncomingMessage } from 'node:http';
import { SvcError } from '../../../engine/base/errors.js';
import type { OperationAnswer } from '../../../engine/service/requests/operation-answer.js';
import { chooseType } from '../answers/negotiation.js';
import { mediaTypeOf, refuseType } from '../request/body.js';
import { actorOf } from './actor.js';
import { mementoHeaders, mementoInstant } from './memento.js';
import { type AnswerShape, formsOf, type Translator, takeDocument } from './translator.js';

const BODY_FORMATS: Readonly<Record<string, 'turtle' | 'ntriples'>> = {
  'text/turtle': 'turtle',
  'application/n-triples': 'ntriples',
};

function targetOf(parameters: URLSearchParams): { readonly graph: string } | { readonly default: true } {
  const graphs = parameters.getAll('graph');
  const isDefault = parameters.has('default');
  if (graphs.length + (isDefault ? 1 : 0) !== 1) {
    throw new SvcError('invalid_request', "name the graph by exactly one of 'graph' and 'default'");
  }
  return isDefault ? { default: true } : { graph: graphs[0] as string };
}

export const translateGraphRead: Translator = async (incoming) => {
  const { message, parameters, operation } = incoming;
  const forms = formsOf(operation);
  const accepted = chooseType(message.headers, [...forms.keys()]);
  const instant = mementoInstant(message.headers);
  return {
    request: { ...targetOf(parameters), ...(instant && { valid_at: instant.iso }) },
    representation: forms.get(accepted) as string,
    shape: () => ({ headers: { Vary: 'Accept, Accept-Datetime', ...mementoHeaders(incoming, instant) } }),
  };
};

/** 201 for a graph that was not there, otherwise nothing to say. */
function written({ notes }: OperationAnswer): AnswerShape {
  return { status: notes.created ? 201 : 204, empty: true };
}

/** What a write may hang on (RFC 9110, 13.1). A client that says so would lose what it wants to protect if nobody looked. */
const CONDITIONS = ['If-Match', 'If-None-Match', 'If-Unmodified-Since'];

function refuseConditions({ headers }: IncomingMessage): void {
  const given = CONDITIONS.find((name) => headers[name.toLowerCase()] !== undefined);
  if (given === undefined) return;
  throw new SvcError('unsupported', `${given} is not looked at here, and nothing was written`, {
    hint: 'write without a condition, or put it into the WHERE of an update',
  });
}

export const translateGraphWrite: Translator = async (incoming) => {
  const { message, parameters } = incoming;
  refuseConditions(message);
  const target = targetOf(parameters);
  const scope = parameters.get('blank_node_scope');
  const request = {
    ...target,
    ...(scope === null ? {} : { blank_node_scope: scope }),
    ...actorOf(message),
  };
  if (message.method === 'DELETE') return { request, representation: 'body', shape: written };
  const type = mediaTypeOf(message);
  const format = BODY_FORMATS[type];
  if (format === undefined) throw refuseType(type, Object.keys(BODY_FORMATS));
  const { bytes, release } = await takeDocument(incoming);
  return {
    request,
    representation: 'body',
    documents: [{ kind: 'bytes', bytes, name: 'body', format }],
    release,
    shape: written,
  };
};
