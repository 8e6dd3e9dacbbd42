/**
 * The schema of a tool's arguments as `tools/list` gives it. A model reads every schema before it asks anything, so what
 * only the check of a request needs is left out here, and what stands in many tools is said shortly. The operation
 * checks by its own schema, and what it refuses it says in its own words.
 */

import type { Operation, ToolParameter, ToolProjection } from '../../engine/service/operations/definition/operation.js';
import type { SchemaNode } from '../../engine/service/requests/schema.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Entries of a list where the call does not say how many. */
export const ROWS_DEFAULT = 50;

/** Fields of many tools that mean the same in each; a tool by which one means more says so in its projection. */
const COMMON: Readonly<Record<string, string>> = {
  valid_at: 'what held then (RFC 3339, or a date)',
  tx: 'what was known after it',
  verbose: 'no short names of IRIs',
  embedding: 'vector to search by',
  group_ids: 'only what these groups of episodes wrote',
};

/** Names that say all, in every tool that has them. */
const SELF_EVIDENT: ReadonlySet<string> = new Set(['limit', 'offset', 'actor', 'timestamp']);

/** Every tool with a limit has the same, whatever its route has. */
const LIMIT: ToolParameter = { default: ROWS_DEFAULT };
/** The first entry is where everybody begins who does not say otherwise. */
const OFFSET: ToolParameter = {};

/** A description without the default that its schema has. */
const SAID_DEFAULT = /[;,] default [^;,]*$/;

/** Whether a description only lists the words that the schema lists, or says which of them is the default. */
function saysNoMore(description: string, words: readonly string[]): boolean {
  const rest = description.split(/[^\w]+/).filter((word) => !words.includes(word));
  return rest.every((word) => ['', 'or', 'default'].includes(word));
}

/** Without bounds that only refuse, without other names of fields, and without null, which counts as absent everywhere. */
function plain(node: SchemaNode, aliases: readonly string[] = []): SchemaNode {
  const { minLength: _shortest, minimum, properties, items, anyOf, ...rest } = node;
  const kept = anyOf?.filter(({ type }) => type !== 'null').map((one) => plain(one));
  const [only] = kept ?? [];
  if (kept?.length === 1 && only !== undefined) return { ...only, ...rest };
  return {
    ...rest,
    ...(minimum === undefined || minimum === 0 || minimum === 1 ? {} : { minimum }),
    ...(items === undefined ? {} : { items: plain(items, aliases) }),
    ...(kept === undefined ? {} : { anyOf: kept }),
    ...(properties === undefined ? {} : { properties: plainAll(properties, aliases) }),
  };
}

function plainAll(
  properties: Readonly<Record<string, SchemaNode>>,
  aliases: readonly string[],
): Readonly<Record<string, SchemaNode>> {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !aliases.includes(name))
      .map(([name, one]) => [name, plain(one)]),
  );
}

function parameterSchema(name: string, field: SchemaNode, parameter: ToolParameter): JsonObject {
  const { description, schema = field, only, default: absent, aliases } = parameter;
  const meaning =
    description ?? COMMON[name] ?? (SELF_EVIDENT.has(name) ? undefined : (schema.description ?? field.description));
  const words = only ?? schema.enum;
  const repeats = meaning !== undefined && words !== undefined && saysNoMore(meaning, words);
  const said = repeats ? undefined : absent === undefined ? meaning : meaning?.replace(SAID_DEFAULT, '');
  const { description: _told, ...bare } = plain(schema, aliases);
  return {
    ...bare,
    ...(only === undefined ? {} : { enum: only }),
    ...(absent === undefined ? {} : { default: absent }),
    ...(said === undefined ? {} : { description: said }),
  };
}

function pageParameter(name: string, parameter: ToolParameter): ToolParameter {
  if (name === 'limit') return { ...LIMIT, ...(parameter.description && { description: parameter.description }) };
  return name === 'offset'
    ? { ...OFFSET, ...(parameter.description && { description: parameter.description }) }
    : parameter;
}

/** Undeclared arguments are reported, never refused. */
export function inputSchemaOf(
  { request }: Operation,
  { parameters: all, anyOf }: Pick<ToolProjection<JsonObject>, 'parameters' | 'anyOf'>,
): JsonObject & { readonly type: 'object' } {
  const { properties = {}, required = [] } = request;
  const parameters = Object.entries(all) as [string, ToolParameter][];
  const isNeeded = ([field, { required: always }]: (typeof parameters)[number]) => always || required.includes(field);
  const needed = parameters.filter(isNeeded).map(([field]) => field);
  // What every call has to give stands first.
  parameters.sort((one, other) => Number(isNeeded(other) ?? false) - Number(isNeeded(one) ?? false));
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(([field, one]) => [
        field,
        parameterSchema(field, properties[field] ?? {}, pageParameter(field, one)),
      ]),
    ),
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((field) => ({ required: [field] })) }),
    additionalProperties: true,
  };
}
