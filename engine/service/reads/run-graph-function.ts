/** A graph algorithm that a query calls, over what the query reads. */

import type { FunctionCall, FunctionRows } from '../../query/functions/table-function.js';
import { buildProjection, type EdgeFilters } from '../../reason/graph/build.js';
import { functionRows } from '../../reason/graph/function-rows.js';
import { type GraphLimits, MemoryBound } from '../../reason/graph/memory-bound.js';
import { Pace } from '../../reason/graph/pace.js';
import type { Projection } from '../../reason/graph/projection.js';
import { checkFilters, type Projections } from '../../reason/graph/projections.js';
import type { AlgorithmOptions } from '../../reason/graph/request.js';
import { ROOT_ONLY } from '../../storage/seam/rows.js';
import { sameGraphs } from '../../storage/seam/source.js';

const NO_GRAPHS = { kind: 'some', graphs: [], merged: true } as const;

export async function runGraphFunction(
  kept: Projections,
  call: FunctionCall,
  options: AlgorithmOptions,
  filters: EdgeFilters,
): Promise<FunctionRows> {
  const { snapshot, control, memoryBytes } = call;
  checkFilters(filters);
  const pace = new Pace(control, 'the query');
  await pace.turn();
  const limits = { pace, memory: new MemoryBound(memoryBytes) };
  return functionRows(snapshot, await projected(kept, call, filters, limits), options, limits);
}

/** That of ROOT as it is now is kept for the next question. */
function projected(
  kept: Projections,
  { snapshot, graphs, time }: FunctionCall,
  filters: EdgeFilters,
  limits: GraphLimits,
): Promise<Projection> {
  if (time.kind === 'current' && sameGraphs(graphs, ROOT_ONLY)) {
    return kept.of(snapshot, filters, limits);
  }
  const read = graphs === null ? NO_GRAPHS : ({ kind: 'timed', graphs, time } as const);
  return buildProjection(snapshot, read, filters, limits);
}
