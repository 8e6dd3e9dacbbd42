/**
 * The sequence of a join by what a lake knows of its predicates. Engines that read Parquet know how many rows a file has, and
 * guess how many a condition leaves and how many values a column has.
 */

import type { Solutions } from './solutions.js';

/** How many rows a relation has about, and how many values of each variable. */
export interface Estimate {
  readonly rows: number;
  readonly values: ReadonlyMap<string, number>;
}

export interface Estimated {
  readonly solutions: Solutions;
  readonly estimate: Estimate;
}

/** Beginning with the smallest, always the part that leaves the fewest rows; parts that share nothing come last. */
export function inOrder(parts: readonly Estimated[]): readonly Solutions[] {
  const left = [...parts];
  const first = leastBy(left, ({ estimate }) => estimate.rows);
  const ordered = [first.solutions];
  left.splice(left.indexOf(first), 1);
  let whole = first.estimate;
  while (left.length > 0) {
    const connected = left.filter(({ estimate }) => [...estimate.values.keys()].some((name) => whole.values.has(name)));
    const from = whole;
    const next = leastBy(connected.length > 0 ? connected : left, ({ estimate }) => joinOf(from, estimate).rows);
    whole = joinOf(whole, next.estimate);
    ordered.push(next.solutions);
    left.splice(left.indexOf(next), 1);
  }
  return ordered;
}

function leastBy<Item>(items: readonly Item[], of: (item: Item) => number): Item {
  return items.reduce((least, item) => (of(item) < of(least) ? item : least));
}

/** As if the values of the side with fewer of them were all among those of the other. */
export function joinOf(a: Estimate, b: Estimate): Estimate {
  let rows = a.rows * b.rows;
  for (const [name, values] of a.values) {
    const others = b.values.get(name);
    if (others !== undefined) rows /= Math.max(values, others, 1);
  }
  const values = new Map([...a.values].map(([name, count]) => [name, Math.min(count, rows)]));
  for (const [name, count] of b.values) values.set(name, Math.min(values.get(name) ?? count, count, rows));
  return { rows, values };
}
