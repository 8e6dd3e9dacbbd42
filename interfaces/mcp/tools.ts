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

function parameterSchema(field: SchemaNode, parameter: ToolParameter): JsonObject {
  const { description, schema = field, only, default: absent } = parameter;
  const said = description ?? schema.description ?? field.description;
  return {
    ...schema,
    ...(only === undefined ? {} : { enum: only }),
    ...(absent === undefined ? {} : { default: absent }),
    ...(said === undefined ? {} : { description: said }),
  };
}

/** Undeclared arguments are reported, never refused. */
function inputSchemaOf({ request }: Operation, projection: ToolProjection<Body>): ToolDefinition['inputSchema'] {
  const { properties = {}, required = [] } = request;
  const parameters = Object.entries(projection.parameters) as [string, ToolParameter][];
  const needed = required.filter((field) => field in projection.parameters);
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(([field, one]) => [field, parameterSchema(properties[field] ?? {}, one)]),
    ),
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(projection.anyOf === undefined ? {} : { anyOf: projection.anyOf.map((field) => ({ required: [field] })) }),
    additionalProperties: true,
  };
}

/** Clients check what comes back by this, failures as well. */
function outputSchemaOf({ response }: Operation): ToolDefinition['outputSchema'] {
  return { type: 'object', anyOf: [response, ERROR_SCHEMA] };
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
