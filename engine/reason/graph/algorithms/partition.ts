/** Nodes in groups: what components and communities are. */

export interface Partition {
  /** Of each node its group, numbered by their first nodes. */
  readonly groupOf: Uint32Array;
  /** Nodes of each group. */
  readonly sizes: Uint32Array;
}

/** Numbers groups that have labels of any kind below the number of nodes. */
export function partitionOf(labels: ArrayLike<number>): Partition {
  const nodes = labels.length;
  const numbers = new Uint32Array(nodes);
  const groupOf = new Uint32Array(nodes);
  let groups = 0;
  for (let node = 0; node < nodes; node++) {
    const label = labels[node] as number;
    if (numbers[label] === 0) numbers[label] = ++groups;
    groupOf[node] = (numbers[label] as number) - 1;
  }
  const sizes = new Uint32Array(groups);
  for (const group of groupOf) sizes[group] = (sizes[group] as number) + 1;
  return { groupOf, sizes };
}

/** The first nodes of some groups, at most so many of each, ascending. */
export function membersOf(
  { groupOf }: Partition,
  groups: readonly number[],
  membersMax: number,
): ReadonlyMap<number, readonly number[]> {
  const members = new Map<number, number[]>(groups.map((group) => [group, []]));
  if (members.size === 0) return members;
  for (let node = 0; node < groupOf.length; node++) {
    const list = members.get(groupOf[node] as number);
    if (list !== undefined && list.length < membersMax) list.push(node);
  }
  return members;
}
