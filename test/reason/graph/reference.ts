/** Graph algorithms as their definitions say them, over plain lists: what the ones of the engine are compared with. */

/** Nodes are numbers from 0; parallel edges and loops may stand in the list. */
export interface PlainGraph {
  readonly nodes: number;
  readonly edges: readonly (readonly [from: number, to: number])[];
}

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

export function inDegrees({ nodes, edges }: PlainGraph): number[] {
  return range(nodes).map((node) => edges.filter(([, to]) => to === node).length);
}

export function pageRank(
  { nodes, edges }: PlainGraph,
  { seeds = [], damping = 0.85, iterations = 100, tolerance = 1e-6 }: PageRankOptions = {},
): number[] {
  const degree = range(nodes).map((node) => edges.filter(([from]) => from === node).length);
  const restart = range(nodes).map((node) =>
    seeds.length === 0 ? 1 / nodes : seeds.includes(node) ? 1 / new Set(seeds).size : 0,
  );
  let ranks = [...restart];
  for (let step = 0; step < iterations; step++) {
    const dangling = sum(range(nodes).map((node) => (degree[node] === 0 ? (ranks[node] as number) : 0)));
    const next = restart.map((share) => (1 - damping) * share + damping * dangling * share);
    for (const [from, to] of edges) {
      next[to] = (next[to] as number) + (damping * (ranks[from] as number)) / (degree[from] as number);
    }
    const change = sum(range(nodes).map((node) => Math.abs((next[node] as number) - (ranks[node] as number))));
    ranks = next;
    if (change < tolerance) break;
  }
  const all = sum(ranks);
  return ranks.map((rank) => rank / all);
}

interface PageRankOptions {
  readonly seeds?: readonly number[];
  readonly damping?: number;
  readonly iterations?: number;
  readonly tolerance?: number;
}

/** Members of each component, ascending: by size, then by the first member. */
export function components({ nodes, edges }: PlainGraph): number[][] {
  const label = range(nodes);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [a, b] of edges) {
      const least = Math.min(label[a] as number, label[b] as number);
      if (label[a] === least && label[b] === least) continue;
      label[a] = least;
      label[b] = least;
      changed = true;
    }
  }
  return groupsOf(label).sort((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number));
}

/** By their first members. */
function groupsOf(label: readonly number[]): number[][] {
  const groups = new Map<number, number[]>();
  for (const [node, one] of label.entries()) groups.set(one, [...(groups.get(one) ?? []), node]);
  return [...groups.values()];
}

/** The text of the semantics of reasoning, 10.2, sentence by sentence. */
export function louvain({ nodes, edges }: PlainGraph): { readonly groups: number[][]; readonly modularity: number } {
  const weight = range(nodes).map(() => new Map<number, number>());
  const add = (a: number, b: number): void => {
    const map = weight[a] as Map<number, number>;
    map.set(b, (map.get(b) ?? 0) + 1);
  };
  const kept = edges.filter(([a, b]) => a !== b);
  for (const [a, b] of kept) {
    add(a, b);
    add(b, a);
  }
  const k = weight.map((map) => sum([...map.values()]));
  const twoM = sum(k);
  const label = range(nodes);
  let fresh = nodes;
  for (let pass = 0; pass < 100 && twoM > 0; pass++) {
    let moved = false;
    for (let node = 0; node < nodes; node++) {
      const old = label[node] as number;
      label[node] = -1;
      const toward = new Map<number, number>();
      for (const [other, w] of weight[node] as Map<number, number>) {
        const c = label[other] as number;
        toward.set(c, (toward.get(c) ?? 0) + w);
      }
      let [best, bestGain]: [number | null, number] = [null, 0];
      for (const c of [...toward.keys()].sort((a, b) => a - b)) {
        const S = sum(range(nodes).map((other) => (label[other] === c ? (k[other] as number) : 0)));
        const gain = (toward.get(c) as number) - ((k[node] as number) * S) / twoM;
        if (gain > 1e-12 && (best === null || gain > bestGain + 1e-12)) [best, bestGain] = [c, gain];
      }
      const wasAlone = !label.includes(old);
      const now = best ?? (wasAlone ? old : fresh++);
      label[node] = now;
      if (now !== old) moved = true;
    }
    if (!moved) break;
  }
  const groups = groupsOf(label);
  return { groups, modularity: modularityOf(groups, kept) };
}

export function modularityOf(groups: readonly (readonly number[])[], edges: PlainGraph['edges']): number {
  const m = edges.length;
  if (m === 0) return 0;
  return sum(
    groups.map((group) => {
      const members = new Set(group);
      const inside = edges.filter(([a, b]) => members.has(a) && members.has(b)).length;
      const ends = sum(edges.map(([a, b]) => Number(members.has(a)) + Number(members.has(b))));
      return inside / m - (ends / (2 * m)) ** 2;
    }),
  );
}

/** The least of the shortest paths, by their nodes; all of them are made and compared. */
export function shortestPath({ edges }: PlainGraph, from: number, to: number): number[] | null {
  let paths = [[from]];
  const seen = new Set([from]);
  while (paths.length > 0) {
    const found = paths.filter((path) => path.at(-1) === to);
    if (found.length > 0) return found.sort(comparePaths)[0] as number[];
    const longer = paths.flatMap((path) =>
      edges.flatMap(([a, b]) => (a === path.at(-1) && !seen.has(b) ? [[...path, b]] : [])),
    );
    // Of the paths to one node the least is enough: what follows is the same.
    const least = new Map<number, number[]>();
    for (const path of longer.sort(comparePaths)) {
      const end = path.at(-1) as number;
      if (!least.has(end)) least.set(end, path);
    }
    paths = [...least.values()];
    for (const end of least.keys()) seen.add(end);
  }
  return null;
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((node, place) => node !== b[place]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}

/** Shortest paths of every pair are counted, and of each node in between those that pass it. */
export function betweenness({ nodes, edges }: PlainGraph): number[] {
  const next = range(nodes).map((node) => [
    ...new Set(edges.flatMap(([a, b]) => (a === node && b !== node ? [b] : []))),
  ]);
  const from = range(nodes).map((source) => {
    const distance = new Map([[source, 0]]);
    const paths = new Map([[source, 1]]);
    for (const queue = [source]; queue.length > 0; ) {
      const node = queue.shift() as number;
      for (const other of next[node] as number[]) {
        const far = (distance.get(node) as number) + 1;
        if (!distance.has(other)) {
          distance.set(other, far);
          queue.push(other);
        }
        if (distance.get(other) === far) paths.set(other, (paths.get(other) ?? 0) + (paths.get(node) as number));
      }
    }
    return { distance, paths };
  });
  return range(nodes).map((middle) => {
    let share = 0;
    for (const s of range(nodes)) {
      for (const t of range(nodes)) {
        if (s === t || s === middle || t === middle) continue;
        const [whole, first, second] = [
          from[s]?.distance.get(t),
          from[s]?.distance.get(middle),
          from[middle]?.distance.get(t),
        ];
        if (whole === undefined || first === undefined || second === undefined || first + second !== whole) continue;
        const through = (from[s]?.paths.get(middle) as number) * (from[middle]?.paths.get(t) as number);
        share += through / (from[s]?.paths.get(t) as number);
      }
    }
    return share;
  });
}

function neighbours({ nodes, edges }: PlainGraph): Set<number>[] {
  const sets = range(nodes).map(() => new Set<number>());
  for (const [a, b] of edges) {
    if (a === b) continue;
    sets[a]?.add(b);
    sets[b]?.add(a);
  }
  return sets;
}

/** For each k, nodes with fewer than k neighbours among those that are left are taken away until there are none. */
export function coreNumbers(graph: PlainGraph): number[] {
  const near = neighbours(graph);
  const cores = range(graph.nodes).map(() => 0);
  for (let k = 1; ; k++) {
    const left = new Set(range(graph.nodes));
    for (let changed = true; changed; ) {
      const weak = [...left].filter(
        (node) => [...(near[node] as Set<number>)].filter((one) => left.has(one)).length < k,
      );
      for (const node of weak) left.delete(node);
      changed = weak.length > 0;
    }
    if (left.size === 0) return cores;
    for (const node of left) cores[node] = k;
  }
}

export function triangles(graph: PlainGraph): number[] {
  const near = neighbours(graph);
  return range(graph.nodes).map((node) => {
    const around = [...(near[node] as Set<number>)];
    let count = 0;
    for (const a of around) for (const b of around) if (a < b && near[a]?.has(b)) count++;
    return count;
  });
}
