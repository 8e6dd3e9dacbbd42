/**
 * The tools of agents, made from the operations: name, description, schemas and hints. Nothing here knows a single
 * operation; what an operation does not say of itself no tool says.
 */

import { ERROR_SCHEMA } from '../../engine/service/error-schema.js';
import type { Body, Operation, ToolParameter, ToolProjection } from '../../engine/service/operations/operation.js';
import type { SchemaNode } from '../../engine/service/schema.js';

const PREFIX = 'svc_';

type JsonObject = Readonly<Record<string, unknown>>;

/** As `tools/list` gives it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
  readonly outputSchema: JsonObject & { readonly type: 'object' };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
}

export interface Tool {
  readonly definition: ToolDefinition;
  readonly operation: Operation;
  readonly projection: ToolProjection<Body>;
}

/** Before what a parameter will mean: a model reads it before it would try. */
const REFUSED = 'not available yet: refused';

function parameterSchema(field: SchemaNode, parameter: ToolParameter, later: boolean): JsonObject {
  const { description, schema = field, only, default: absent } = parameter;
  const meaning = description ?? schema.description ?? field.description;
  const said = later ? `${REFUSED}. ${meaning}` : meaning;
  return {
    ...schema,
    ...(only === undefined ? {} : { enum: only }),
    ...(absent === undefined ? {} : { default: absent }),
    ...(said === undefined ? {} : { description: said }),
  };
}

const ANY_KEY = '^.*$';
/** A term in an answer is never a list; a schema that says nothing at all is taken for a mistake. */
const ANY_VALUE = {
  not: { type: 'array' },
  description:
    'an IRI or text (string), a number, true or false, or {"value": "...", "datatype" or "lang": "..."} of another literal',
};

function publishedEach(nodes: Readonly<Record<string, SchemaNode>>): JsonObject {
  return Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, published(node)]));
}

/** A schema as clients like it: keys of any name by the usual keyword, and nothing left open by silence. */
function published(node: SchemaNode): JsonObject {
  const { properties, patternProperties, items, anyOf, ...rest } = node;
  if (Object.keys(node).every((key) => key === 'description')) return { ...ANY_VALUE, ...node };
  const any = patternProperties?.[ANY_KEY];
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: publishedEach(properties) }),
    ...(any === undefined ? {} : { additionalProperties: published(any) }),
    ...(items === undefined ? {} : { items: published(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(published) }),
  };
}

/** Undeclared arguments are reported, never refused. */
function inputSchemaOf({ request }: Operation, projection: ToolProjection<Body>): ToolDefinition['inputSchema'] {
  const { properties = {}, required = [] } = request;
  const { later = {} } = projection;
  const parameters = Object.entries(projection.parameters) as [string, ToolParameter][];
  const needed = parameters.flatMap(([field, one]) => (one.required || required.includes(field) ? [field] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(([field, one]) => [field, parameterSchema(properties[field] ?? {}, one, field in later)]),
    ),
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(projection.anyOf === undefined ? {} : { anyOf: projection.anyOf.map((field) => ({ required: [field] })) }),
    additionalProperties: true,
  };
}

/** Codes may be added, and a list of them in every tool would be most of what a model reads. */
const FAILURE = {
  ...ERROR_SCHEMA,
  properties: { ...ERROR_SCHEMA.properties, code: { type: 'string', description: 'what is wrong; stable' } },
};

/** Clients check what comes back by this, failures as well. */
function outputSchemaOf({ response }: Operation): ToolDefinition['outputSchema'] {
  return { type: 'object', anyOf: [published(response), FAILURE] };
}

function descriptionOf({ description, example }: ToolProjection<Body>): string {
  return `${description.join('\n')}\nExample arguments: ${JSON.stringify(example)}`;
}

function toTool(operation: Operation, projection: ToolProjection<Body>): Tool {
  const readOnly = operation.access === 'read';
  const { destructive = true, idempotent = false } = projection;
  const definition = {
    name: `${PREFIX}${projection.tool}`,
    description: descriptionOf(projection),
    inputSchema: inputSchemaOf(operation, projection),
    outputSchema: outputSchemaOf(operation),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: !readOnly && destructive,
      idempotentHint: readOnly || idempotent,
    },
  };
  return { definition, operation, projection };
}

/** By name, in the order of the operations; `extra`: with those beyond the registry of the specification. */
export function toolsOf(operations: readonly Operation[], extra: boolean): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const operation of operations) {
    const projection = operation.projections.mcp;
    if (projection === undefined || (projection.extra && !extra)) continue;
    const tool = toTool(operation, projection);
    tools.set(tool.definition.name, tool);
  }
  return tools;
}
