/** Which blocks of a run a scan needs, from its directory. */

import { firstBlockFrom, firstBlockNotBefore, type RunDirectory } from '../runs/directory.js';
import { keyHalves, type ScanPlan } from './scan-plan.js';

/** The blocks that hold the plan's keys, half-open. */
export function blocksOfKeys(directory: RunDirectory, plan: ScanPlan): { from: number; to: number } {
  const lower = keyHalves(plan.lower.values);
  const from = firstBlockNotBefore(directory, lower, lower.length / 2);
  if (plan.upper === null) return { from, to: directory.blocks };
  const upper = keyHalves(plan.upper.values);
  return { from, to: Math.max(from, firstBlockFrom(directory, upper, upper.length / 2)) };
}
