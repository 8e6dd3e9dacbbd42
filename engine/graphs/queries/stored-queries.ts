/** Stored queries as rows of the registry graph: `<urn:svc:query:NAME> svc:storedQuery "JSON"`. */

import { NamedRows } from '../../query/registry/named-rows.js';
import type { QueryDefinition } from './query-definition.js';

export const STORED_QUERIES = new NamedRows<QueryDefinition>('query', 'storedQuery', (json) => {
  const { name, description, template, dataset, params } = json as QueryDefinition;
  const whole = typeof name === 'string' && typeof template === 'string' && Array.isArray(params);
  return whole ? { name, description, template, dataset, params } : null;
});
