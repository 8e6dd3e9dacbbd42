/** Entries of the catalog of queries, as `/queries` and `/ask` list them. */

import type { BuiltInQuery } from '../../../graphs/queries/built-in.js';
import type { ParameterSpec } from '../../../graphs/queries/parameters.js';
import type { QueryDefinition } from '../../../graphs/queries/query-definition.js';
import { oneOf, type Static, Type } from '../../requests/schema.js';

const textOrNull = Type.Union([Type.String(), Type.Null()]);

export const queryEntry = Type.Object({
  name: Type.String(),
  description: textOrNull,
  source: oneOf(['builtin', 'stored']),
  dataset: Type.Optional(textOrNull),
  params: Type.Array(
    Type.Object({
      name: Type.String(),
      type: oneOf(['iri', 'text', 'int']),
      required: Type.Boolean(),
      default: textOrNull,
      description: textOrNull,
    }),
  ),
});

type QueryEntry = Static<typeof queryEntry>;

function paramsOf(params: readonly ParameterSpec[]): QueryEntry['params'] {
  return params.map((spec) => ({ ...spec }));
}

export function storedEntry({ name, description, dataset, params }: QueryDefinition): QueryEntry {
  return { name, description, source: 'stored', dataset, params: paramsOf(params) };
}

export function builtInEntry({ name, description, params }: BuiltInQuery): QueryEntry {
  return { name, description, source: 'builtin', params: paramsOf(params) };
}
