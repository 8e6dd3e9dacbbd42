/** Counts the current rows of each graph anew from the SPOG runs, and writes the table where it says otherwise. */

import { addGraphRows, encodeGraphCounts, readGraphCounts } from '../runs/graph-counts.js';
import { unlessDamaged } from '../seam/findings.js';
import type { Rebuilding } from './rebuilding.js';
import { rowsOfRuns } from './write-order.js';

export async function rebuildCounts(rebuilding: Rebuilding): Promise<void> {
  const { file, manifest, context } = rebuilding;
  const counted = await rebuilding.reading((transaction) =>
    unlessDamaged(() => {
      const counts = new Map<bigint, number>();
      for (const { runs } of manifest.partitions) {
        const current = (runs.SPOG ?? []).filter((run) => run.kind === 'current');
        const source = rowsOfRuns(rebuilding, 'SPOG', current, transaction);
        for (let batch = source.next(); batch !== null; batch = source.next()) {
          addGraphRows(context.memory.words, batch.columns[3] as number, [0, batch.rows], 1, counts);
        }
        source.close();
      }
      return counts;
    }),
  );
  if (counted === null) return;
  const stated = unlessDamaged(() => readGraphCounts(file, undefined));
  if (stated !== null && stated.size === counted.size && [...counted].every(([g, rows]) => stated.get(g) === rows))
    return;
  file.write(() => file.put('meta', 'graphs', encodeGraphCounts(counted)));
  rebuilding.save(rebuilding.manifest);
  rebuilding.rebuilt.push('the table of graphs');
}
