/**
 * Makes the orders of a partition again. All orders hold the same rows, so those that are damaged are
 * written anew from one that is sound; where none is, from what can be gathered (`gather.ts`).
 */

import type { ReadTransaction } from '../lmdb/file.js';
import type { PartitionRecord, RunRecord } from '../runs/manifest.js';
import { OWN_ORDERS, SHARED_ORDERS } from '../runs/orders.js';
import { decodeRunStatistics } from '../runs/run-statistics.js';
import { Findings, unlessDamaged } from '../seam/findings.js';
import type { Order } from '../seam/scan.js';
import { type RowSums, sumsOf } from '../verify/row-sums.js';
import { verifyDead } from '../verify/verify-deletion-vectors.js';
import { verifyRun } from '../verify/verify-run.js';
import { gatherRows } from './gather.js';
import type { Rebuilding } from './rebuilding.js';
import { recountStatistics, rowsOfRuns, writeOrder, writeSet } from './write-order.js';

type Runs = Partial<Record<Order, readonly RunRecord[]>>;

export async function rebuildOrders(rebuilding: Rebuilding): Promise<void> {
  for (const { graph } of rebuilding.manifest.partitions) await rebuildPartition(rebuilding, graph);
}

export const nameOf = (graph: string | null): string =>
  graph === null ? 'the shared partition' : `the partition of graph ${graph}`;

async function rebuildPartition(rebuilding: Rebuilding, graph: string | null): Promise<void> {
  await rebuildStatistics(rebuilding, graph);
  const partition = partitionOf(rebuilding, graph);
  const orders = graph === null ? SHARED_ORDERS : OWN_ORDERS;
  const sound = new Set<Order>();
  await rebuilding.reading(async (transaction) => {
    for (const order of orders) if (await isSound(rebuilding, partition, order, transaction)) sound.add(order);
  });
  const wanted = agreed(partition, orders);
  const right = (order: Order): boolean => keyOf(sumsOf(partition.runs[order] ?? [])) === keyOf(wanted);
  const donor = orders.find((order) => sound.has(order) && right(order)) ?? orders.find((order) => sound.has(order));
  if (donor === undefined) {
    await regather(rebuilding, partition, orders, wanted);
    return;
  }
  const key = keyOf(sumsOf(partition.runs[donor] ?? []));
  const bad = orders.filter((order) => !sound.has(order) || keyOf(sumsOf(partition.runs[order] ?? [])) !== key);
  for (const order of bad) {
    const runs = await rebuilding.reading((transaction) =>
      (['current', 'history'] as const).flatMap((kind) => {
        const from = (partition.runs[donor] ?? []).filter((run) => run.kind === kind);
        return writeOrder(rebuilding, graph, order, kind, rowsOfRuns(rebuilding, donor, from, transaction));
      }),
    );
    await replace(rebuilding, graph, { [order]: runs });
    rebuilding.rebuilt.push(`${order} of ${nameOf(graph)}`);
  }
}

function partitionOf({ manifest }: Rebuilding, graph: string | null): PartitionRecord {
  return manifest.partitions.find((partition) => partition.graph === graph) as PartitionRecord;
}

const keyOf = ({ rows, living, history }: RowSums): string => `${rows} ${living} ${history}`;

/** What most orders say that the partition holds. */
function agreed(partition: PartitionRecord, orders: readonly Order[]): RowSums {
  const said = orders.map((order) => sumsOf(partition.runs[order] ?? []));
  const votes = (one: RowSums): number => said.filter((other) => keyOf(other) === keyOf(one)).length;
  return said.reduce((best, one) => (votes(one) > votes(best) ? one : best));
}

async function isSound(
  rebuilding: Rebuilding,
  partition: PartitionRecord,
  order: Order,
  transaction: ReadTransaction,
): Promise<boolean> {
  const { context, manifest, control } = rebuilding;
  const findings = new Findings(control);
  const runs = partition.runs[order] ?? [];
  for (const run of runs) {
    await findings.check(order, () =>
      verifyRun({
        context,
        manifest,
        transaction,
        order,
        run,
        isShared: partition.graph === null,
        where: order,
        findings,
      }),
    );
    await findings.check(order, () => verifyDead(context, transaction, order, run, runs, order, findings));
    if (findings.problems.length > 0) return false;
  }
  return true;
}

/** Statistics that can't be read are counted again, where the run can be read. */
async function rebuildStatistics(rebuilding: Rebuilding, graph: string | null): Promise<void> {
  const { file } = rebuilding;
  await rebuilding.reading((transaction) => {
    for (const run of partitionOf(rebuilding, graph).runs.SPOG ?? []) {
      const read = () => decodeRunStatistics(file.readCopy('statistics', run.id, transaction), run.id);
      if (unlessDamaged(read) !== null) continue;
      const counted = unlessDamaged(() => {
        recountStatistics(rebuilding, run, transaction);
        return true;
      });
      if (counted) rebuilding.rebuilt.push(`the statistics of SPOG run ${run.id}`);
    }
  });
  rebuilding.sink.flush();
}

/** Puts new runs in the place of those of some orders. */
async function replace(rebuilding: Rebuilding, graph: string | null, made: Runs): Promise<void> {
  const old = partitionOf(rebuilding, graph);
  const gone = (Object.keys(made) as Order[]).flatMap((order) => old.runs[order] ?? []);
  const partitions = rebuilding.manifest.partitions.map((partition) =>
    partition.graph === graph ? { graph, runs: { ...partition.runs, ...made } } : partition,
  );
  rebuilding.save({ ...rebuilding.manifest, partitions }, gone);
  await rebuilding.reading((transaction) => {
    for (const run of made.SPOG ?? []) recountStatistics(rebuilding, run, transaction);
  });
  rebuilding.sink.flush();
}

/** No order is sound: writes all of them from the rows that can be found. */
async function regather(
  rebuilding: Rebuilding,
  partition: PartitionRecord,
  orders: readonly Order[],
  wanted: RowSums,
): Promise<void> {
  const { graph } = partition;
  const gathered = await rebuilding.reading((transaction) => gatherRows(rebuilding, partition, orders, transaction));
  if (gathered === null) {
    rebuilding.lost.push({
      what: `${nameOf(graph)}: no order is sound, and it is too large to be gathered`,
      transactions: [],
    });
    return;
  }
  const { living, history } = gathered;
  const made: Runs = {};
  for (const order of orders) {
    const runs: RunRecord[] = [];
    if (living.count > 0) runs.push(writeSet(rebuilding, living, order, 'current'));
    if (history.count > 0) runs.push(writeSet(rebuilding, history, order, 'history'));
    made[order] = runs;
  }
  living.release();
  history.release();
  const found = sumsOf(made.SPOG ?? []);
  await replace(rebuilding, graph, made);
  rebuilding.rebuilt.push(`all orders of ${nameOf(graph)}, from sound blocks and the log`);
  if (keyOf(found) === keyOf(wanted)) return;
  rebuilding.lost.push({
    what: `${nameOf(graph)}: it had ${wanted.rows} rows, ${found.rows} were found`,
    transactions: [],
  });
}
