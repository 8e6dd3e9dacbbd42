/** Counts the current rows of each graph anew from the SPOG runs, and writes the table where it says otherwise. */

import { encodeGraphCounts, readGraphCounts } from '../runs/graph-counts.js';
import { unlessDamaged } from '../seam/findings.js';
import type { Rebuilding } from './rebuilding.js';
import { rowsOfRuns } from './write-order.js';

export async function rebuildCounts(rebuilding: Rebuilding): Promise<void> {
  const { file, manifest } = rebuilding;
  const counted = await rebuilding.reading((transaction) =>
    unlessDamaged(() => {
      const counts = new Map<bigint, number>();
      for (const { runs } of manifest.partitions) {
        const current = (runs.SPOG ?? []).filter((run) => run.kind === 'current');
        const source = rowsOfRuns(rebuilding, 'SPOG', current, transaction);
        for (let batch = source.next(); batch !== null; batch = source.next()) {
          addGraphs(rebuilding, batch.columns[3] as number, batch.rows, counts);
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

/** Neighbours are mostly of one graph. */
function addGraphs({ context }: Rebuilding, column: number, rows: number, counts: Map<bigint, number>): void {
  const { words } = context.memory;
  const at = column >>> 2;
  for (let i = 0; i < rows; ) {
    const [low, high] = [words[at + 2 * i] as number, words[at + 2 * i + 1] as number];
    let next = i + 1;
    while (next < rows && words[at + 2 * next] === low && words[at + 2 * next + 1] === high) next++;
    const graph = (BigInt(high) << 32n) | BigInt(low);
    counts.set(graph, (counts.get(graph) ?? 0) + next - i);
    i = next;
  }
}
