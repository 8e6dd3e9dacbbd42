/** Twin of `as/dead-rows.ts`. */

export function countDead(dead: readonly number[], below: number): number {
  return dead.filter((row) => row < below).length;
}

export function selectAlive(dead: readonly number[], from: number, to: number): number[] {
  const range = Array.from({ length: to - from }, (_, i) => i);
  return range.filter((i) => !dead.includes(from + i));
}
