/**
 * Numbers of communities that stay: when a graph has grown, a community is given the number of the one before that it
 * shares the most nodes with, so that colours do not change under the reader's eyes. New ones are numbered by size.
 */

/**
 * `found`: by turn, any number of a community. `before`: by turn, the number the node had, or -1.
 * Returns by turn the number to show; the largest communities that are new have the smallest free numbers.
 */
export function keptNumbers(found: Int32Array, before: Int32Array): Int32Array {
  const sizes = new Map<number, number>();
  const shared = new Map<number, Map<number, number>>();
  for (let turn = 0; turn < found.length; turn++) {
    const one = found[turn]!;
    sizes.set(one, (sizes.get(one) ?? 0) + 1);
    const old = before[turn]!;
    if (old < 0) continue;
    const olds = shared.get(one) ?? new Map<number, number>();
    olds.set(old, (olds.get(old) ?? 0) + 1);
    shared.set(one, olds);
  }
  const pairs = [...shared].flatMap(([one, olds]) => [...olds].map(([old, count]) => ({ one, old, count })));
  pairs.sort((a, b) => b.count - a.count || a.old - b.old || a.one - b.one);
  const numbers = new Map<number, number>();
  const taken = new Set<number>();
  for (const { one, old } of pairs) {
    if (numbers.has(one) || taken.has(old)) continue;
    numbers.set(one, old);
    taken.add(old);
  }
  let free = 0;
  for (const [one] of [...sizes].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
    if (numbers.has(one)) continue;
    while (taken.has(free)) free++;
    numbers.set(one, free);
    taken.add(free);
  }
  return found.map((one) => numbers.get(one)!);
}
