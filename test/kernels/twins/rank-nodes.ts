/** Twin of `as/rank-nodes.ts`: edges as pairs of nodes, by target. */

export type Edge = readonly [source: number, target: number];

export function shareRanks(nodes: number, edges: readonly Edge[], ranks: readonly number[]) {
  const degrees = Array.from({ length: nodes }, (_, node) => edges.filter(([source]) => source === node).length);
  const shares = ranks.map((rank, node) => (degrees[node] === 0 ? 0 : rank / (degrees[node] as number)));
  const dangling = ranks.filter((_, node) => degrees[node] === 0).reduce((sum, rank) => sum + rank, 0);
  return { shares, dangling };
}

interface Step {
  readonly ranks: readonly number[];
  readonly shares: readonly number[];
  readonly restart: readonly number[];
  readonly restarted: number;
  readonly damping: number;
}

export function pullRanks(edges: readonly Edge[], { ranks, shares, restart, restarted, damping }: Step) {
  const next = ranks.map((_, node) => {
    const got = edges.filter(([, target]) => target === node).map(([source]) => shares[source] as number);
    return restarted * (restart[node] as number) + damping * got.reduce((sum, share) => sum + share, 0);
  });
  const change = next.reduce((sum, rank, node) => sum + Math.abs(rank - (ranks[node] as number)), 0);
  return { next, change };
}
