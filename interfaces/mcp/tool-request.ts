/**
 * From the arguments of a call to the request of its operation. A tool takes the fields that it declares and no others:
 * what it does not declare never reaches the operation and is reported. Credentials are no arguments.
 */

import { SvcError, showValue } from '../../engine/base/errors.js';
import { nearestNames } from '../../engine/base/nearest.js';
import type { Operation, ToolParameter } from '../../engine/service/operations/definition/operation.js';
import { ROWS_DEFAULT } from './tool-schema.js';
import type { Tool } from './tools.js';

/** Of the name of an argument, in a message. */
const SHOWN_MAX = 100;

export type Arguments = Readonly<Record<string, unknown>>;

export interface ToolRequest {
  readonly request: Record<string, unknown>;
  /** Undeclared arguments, sorted. */
  readonly ignored: readonly string[];
}

const CREDENTIAL_KEYS: readonly string[] = ['token', 'auth_token', 'authorization'];

function refuseCredentials(given: Arguments): void {
  const key = Object.keys(given).find((name) => CREDENTIAL_KEYS.includes(name.toLowerCase()));
  if (key === undefined) return;
  // The value is not repeated anywhere.
  throw new SvcError('invalid_request', `'${key}' is refused: credentials are never arguments of a tool`, {
    hint: 'over HTTP send Authorization: Bearer <token>; over stdio start the server with a token file',
  });
}

/** What is null counts as absent. */
export function toToolRequest({ operation, projection }: Tool, given: Arguments): ToolRequest {
  refuseCredentials(given);
  const parameters = projection.parameters as Readonly<Record<string, ToolParameter>>;
  const request: Record<string, unknown> = { ...projection.always };
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    if (!Object.hasOwn(parameters, operation.aliases[name] ?? name)) {
      ignored.push(name);
      continue;
    }
    const only = parameters[name]?.only;
    if (only !== undefined && !only.includes(value as string)) {
      throw new SvcError(
        'invalid_request',
        `field '${name}' is ${showValue(value)}; expected one of ${only.join(', ')}`,
      );
    }
    request[name] = value;
  }
  if (request.limit === undefined && Object.hasOwn(parameters, 'limit') && !saysLimit(request.query)) {
    request.limit = ROWS_DEFAULT;
  }
  const answering = operationOf({ operation, projection }, given);
  return {
    request: answering === operation ? request : readRequest(answering, given, request),
    ignored: ignored.sort(),
  };
}

/** What answers a call: the operation of the tool, or for an action that only reads the read of its own. */
export function operationOf(
  { operation, projection }: Pick<Tool, 'operation' | 'projection'>,
  given: Arguments,
): Operation {
  const { reads = {}, parameters } = projection;
  const action = given.action ?? (parameters.action as ToolParameter | undefined)?.default;
  return typeof action === 'string' && Object.hasOwn(reads, action) ? (reads[action] as Operation) : operation;
}

/** A read of its own knows fewer fields; one that shows a single thing needs its name. */
function readRequest({ request: { properties = {} } }: Operation, given: Arguments, request: Record<string, unknown>) {
  const { action, name } = given;
  if (action === 'get' && (typeof name !== 'string' || name === '')) {
    throw new SvcError('invalid_request', "missing 'name' parameter");
  }
  return Object.fromEntries(
    Object.entries(request).filter(
      ([field]) => Object.hasOwn(properties, field) && (action === 'get' || field !== 'name'),
    ),
  );
}

/** What may hold the word without meaning it: texts, IRIs, comments. */
const NO_WORDS = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|<[^<>"{}|^`\\\s]*>|#[^\n]*/g;

/** Whether a query says itself how much it wants. */
function saysLimit(query: unknown): boolean {
  return typeof query === 'string' && /\bLIMIT\s+\d/i.test(query.replace(NO_WORDS, ' '));
}

/** The body of an answer with what was ignored; its numbers keep all their digits. */
export function withIgnored(text: string, ignored: readonly string[]): string {
  if (ignored.length === 0) return text;
  const body = text.trimEnd().slice(0, -1);
  return `${body}${body.trim() === '{' ? '' : ','}"ignored_fields":${JSON.stringify(ignored)}}`;
}

/** Of a write that passed over an argument: it did something else than what was meant, which a model reads as a sentence. */
export function sentencesOn(tool: Tool, given: Arguments, ignored: readonly string[]): string[] {
  if (operationOf(tool, given).access === 'read') return [];
  const { definition } = tool;
  const known = Object.keys(definition.inputSchema.properties as object);
  return ignored.map((name) => {
    const [near] = nearestNames(name.slice(0, SHOWN_MAX), known);
    const meant = near === undefined ? `it takes ${known.join(', ')}` : `did you mean ${near}?`;
    return `The write went on without '${name.slice(0, SHOWN_MAX)}', which ${definition.name} does not know; ${meant}`;
  });
}
