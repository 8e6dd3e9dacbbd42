/**
 * Invariants by room: what a room asserts of its own, with `invariant(...)`. What hands over memory or ids asserts on both
 * sides. The floors only rise: `node dist/tools/tidy.js --invariants` prints what there is.
 */
import { roomOf } from './rooms.js';
import type { Problem, SourceFile } from './sources.js';

const FLOORS: Readonly<Record<string, number>> = {
  'engine/kernels': 6,
  'engine/query': 21,
  'engine/storage': 53,
};

export function countInvariants(files: readonly SourceFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path, code } of files) {
    if (!path.startsWith('engine/') || path === 'engine/base/errors.ts') continue;
    const found = code.match(/\binvariant\(/g)?.length ?? 0;
    if (found > 0) counts.set(roomOf(path), (counts.get(roomOf(path)) ?? 0) + found);
  }
  return counts;
}

export function checkInvariants(files: readonly SourceFile[], floors = FLOORS): Problem[] {
  const counts = countInvariants(files);
  return Object.entries(floors).flatMap(([room, floor]) => {
    const count = counts.get(room) ?? 0;
    if (count >= floor) return [];
    return [{ path: room, line: 1, message: `${count} invariants; there were ${floor}: do not take them away` }];
  });
}
