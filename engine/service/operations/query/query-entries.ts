/** Entries of the catalog of queries, as `/queries` and `/ask` list them. */

import type { BuiltInQuery } from '../../../graphs/queries/built-in.js';
import type { QueryDefinition } from '../../../graphs/queries/query-definition.js';
import { oneOf, type Static, Type, textOrNull } from '../../requests/schema.js';

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

export function storedEntry({ name, description, dataset, params }: QueryDefinition): QueryEntry {
  return { name, description, source: 'stored', dataset, params };
}

export function builtInEntry({ name, description, params }: BuiltInQuery): QueryEntry {
  return { name, description, source: 'builtin', params };
}
