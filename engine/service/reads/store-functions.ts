/** The functions that queries of a store may call. What runs them is loaded with the first call. */

import type { TableFunctions } from '../../query/functions/table-function.js';
import type { Projections } from '../../reason/graph/projections.js';
import { graphFunctions } from './graph-functions.js';
import { searchFunctions } from './search-functions.js';

export function storeFunctions(projections: () => Promise<Projections>): TableFunctions {
  const algorithms = graphFunctions(async (call, options, filters) => {
    const { runGraphFunction } = await import('./run-graph-function.js');
    return runGraphFunction(await projections(), call, options, filters);
  });
  const searches = searchFunctions(async (call, search) => {
    const { runSearch } = await import('./run-search.js');
    return runSearch(call, search);
  });
  return {
    names: [...algorithms.names, ...searches.names],
    find: (iri) => algorithms.find(iri) ?? searches.find(iri),
  };
}
