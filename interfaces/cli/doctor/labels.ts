/** `svc doctor labels`: whether what the registry keeps of labels is what the facts of the meta graph say. */

import type { DriftReport, DriftSide } from '../../../engine/graphs/labels/label-drift.js';
import { loadConfiguration } from '../../../engine/service/configuration/configuration.js';

export async function examineLabels({ db, config }: { db: string | undefined; config: string | undefined }) {
  const path = db ?? (await loadConfiguration({ path: config })).configuration.store_path;
  const { openStore } = await import('../../../engine/service/host/open-store.js');
  const store = await openStore(path, { readOnly: true, create: false });
  try {
    const { graphs, drift } = await store.labelDrift();
    return { ok: drift.length === 0, graphs, drift };
  } finally {
    await store.close();
  }
}

export function driftText({ graphs, drift }: DriftReport): string {
  const lines = drift.map(
    ({ graph, axis, facts, cache }) => `${graph}  ${axis}: facts ${sideText(facts)}, cache ${sideText(cache)}\n`,
  );
  const sum =
    drift.length === 0
      ? `labels of ${graphs} graph(s): the cache is what the facts say\n`
      : `${drift.length} difference(s) in the labels of ${graphs} graph(s); declare those labels again\n`;
  return `${lines.join('')}${sum}`;
}

function sideText(side: DriftSide | null): string {
  if (side === null) return 'undeclared';
  const until = side.valid_to === null ? '' : ` until ${side.valid_to}`;
  return `${JSON.stringify(side.value)}${until}`;
}
