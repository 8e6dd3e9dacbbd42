/**
 * The tools of agents, made from the operations: name, description, schemas and hints. Nothing here knows a single
 * operation; what an operation does not say of itself no tool says.
 */

import { SvcError } from '../../engine/base/errors.js';
import { nearestNames } from '../../engine/base/nearest.js';
import type { FeatureName } from '../../engine/service/configuration/features.js';
import type { Body, Operation, ToolProjection } from '../../engine/service/operations/definition/operation.js';
import { inputSchemaOf, type JsonObject } from './tool-schema.js';

const PREFIX = 'svc_';
/** Of a name, to look for those near to it. */
const SHOWN_MAX = 100;

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

function descriptionOf({ description, example }: ToolProjection<Body>): string {
  return `${description.join('\n')}\nExample: ${JSON.stringify(example)}`;
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

/** With the parameters that the registry of the specification does not have. */
function withFurther({ further, ...projection }: ToolProjection<Body>): ToolProjection<Body> {
  return { ...projection, parameters: { ...projection.parameters, ...further } };
}

export interface ToolChoice {
  /** Features that are on; absent = none. */
  readonly features?: readonly FeatureName[] | undefined;
  /** With those beyond the registry of the specification. */
  readonly extra: boolean;
  /** Only these; absent or none = all. Their prefix may be left out. */
  readonly only?: readonly string[] | undefined;
}

/** Why a tool is not offered though it is known, and what to do; null: it is offered. */
function withheld(
  { extra: isExtra, feature }: ToolProjection<Body>,
  { extra, features = [] }: ToolChoice,
): string | null {
  if (isExtra && !extra) return 'it needs mcp.extra_tools = true';
  if (feature !== undefined && !features.includes(feature)) return `it needs the feature '${feature}', which is off`;
  return null;
}

/** By name, in the order of the operations. */
export function toolsOf(operations: readonly Operation[], choice: ToolChoice): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  const others = new Map<string, string>();
  for (const operation of operations) {
    const projection = operation.projections.mcp;
    if (projection === undefined) continue;
    const why = withheld(projection, choice);
    if (why !== null) {
      others.set(PREFIX + projection.tool, why);
      continue;
    }
    const tool = toTool(operation, choice.extra ? withFurther(projection) : projection);
    tools.set(tool.definition.name, tool);
  }
  const { only = [] } = choice;
  return only.length === 0 ? tools : chosen(tools, others, only);
}

/**
 * What `mcp.tools` names. A name that is no tool here stops the start: an agent that lacks the tool which it was meant to
 * have would not say so.
 */
function chosen(
  tools: ReadonlyMap<string, Tool>,
  others: ReadonlyMap<string, string>,
  only: readonly string[],
): ReadonlyMap<string, Tool> {
  const wanted = new Set(only.map((name) => (name.startsWith(PREFIX) ? name : PREFIX + name)));
  const unknown = [...wanted].find((name) => !tools.has(name));
  if (unknown === undefined) return new Map([...tools].filter(([name]) => wanted.has(name)));
  const why = others.get(unknown);
  if (why !== undefined) throw new SvcError('configuration', `mcp.tools: '${unknown}' is not offered: ${why}`);
  const known = [...tools.keys()];
  const near = nearestNames(unknown.slice(0, SHOWN_MAX), known);
  throw new SvcError(
    'configuration',
    `mcp.tools: there is no tool '${unknown.slice(0, SHOWN_MAX)}'; there are ${known.join(', ')}`,
    near.length === 0 ? {} : { hint: `did you mean ${near.join(' or ')}?` },
  );
}
