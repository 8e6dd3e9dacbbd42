/**
 * The tools of agents, made from the operations: name, description, schemas and hints. Nothing here knows a single
 * operation; what an operation does not say of itself no tool says.
 */

import { SvcError } from '../../engine/base/errors.js';
import type { FeatureName } from '../../engine/service/configuration/features.js';
import type {
  Body,
  Operation,
  ToolParameter,
  ToolProjection,
} from '../../engine/service/operations/definition/operation.js';
import type { SchemaNode } from '../../engine/service/requests/schema.js';

const PREFIX = 'svc_';

type JsonObject = Readonly<Record<string, unknown>>;

/** As `tools/list` gives it. What comes back stands in the description: schemas of it would be most of what a model reads. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
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

/** Entries of a list where the call does not say how many. */
export const ROWS_DEFAULT = 50;

/** Before what a parameter will mean: a model reads it before it would try. */
const REFUSED = 'not available yet: refused';

const LIMIT: ToolParameter = {
  description: `most entries; default ${ROWS_DEFAULT}, whatever fits into the answer`,
  default: ROWS_DEFAULT,
};

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

/** Undeclared arguments are reported, never refused. */
function inputSchemaOf({ request }: Operation, projection: ToolProjection<Body>): ToolDefinition['inputSchema'] {
  const { properties = {}, required = [] } = request;
  const { later = {} } = projection;
  const parameters = Object.entries(projection.parameters) as [string, ToolParameter][];
  const needed = parameters.flatMap(([field, one]) => (one.required || required.includes(field) ? [field] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(([field, one]) => [
        field,
        parameterSchema(properties[field] ?? {}, field === 'limit' ? LIMIT : one, field in later),
      ]),
    ),
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(projection.anyOf === undefined ? {} : { anyOf: projection.anyOf.map((field) => ({ required: [field] })) }),
    additionalProperties: true,
  };
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
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: !readOnly && destructive,
      idempotentHint: readOnly || idempotent,
    },
  };
  return { definition, operation, projection };
}

export interface ToolChoice {
  /** Features that are on; absent = none. */
  readonly features?: readonly FeatureName[] | undefined;
  /** With those beyond the registry of the specification. */
  readonly extra: boolean;
  /** Only these; absent or none = all. Their prefix may be left out. */
  readonly only?: readonly string[] | undefined;
}

/** By name, in the order of the operations. */
export function toolsOf(
  operations: readonly Operation[],
  { extra, only, features = [] }: ToolChoice,
): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const operation of operations) {
    const projection = operation.projections.mcp;
    if (projection === undefined || (projection.extra && !extra)) continue;
    if (projection.feature !== undefined && !features.includes(projection.feature)) continue;
    const tool = toTool(operation, projection);
    tools.set(tool.definition.name, tool);
  }
  if (only === undefined || only.length === 0) return tools;
  const wanted = new Set(only.map((name) => (name.startsWith(PREFIX) ? name : PREFIX + name)));
  const unknown = [...wanted].find((name) => !tools.has(name));
  if (unknown !== undefined) {
    throw new SvcError(
      'configuration',
      `mcp.tools: there is no tool '${unknown}'; there are ${[...tools.keys()].join(', ')}`,
    );
  }
  return new Map([...tools].filter(([name]) => wanted.has(name)));
}
