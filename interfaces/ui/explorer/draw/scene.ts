/**
 * What is drawn, as the arrays that the renderer uploads. Nodes and edges name nodes by their turn among the visible, so that
 * a frame in which only positions change uploads positions only.
 *
 * An edge is 5 numbers of 32 bits: source, target, colour, style, radius of the target (float). A node is 4: node, radius
 * (float), colour, style. Loops are drawn as circles beside their node and stand before the nodes in their array.
 */
import { ADDED, type GraphModel, REMOVED } from '../model/graph-model.js';
import type { Visible } from '../model/visible.js';
import { type Colour, groupColour, mixed, packed, type Theme } from './theme.js';

export const EDGE_NUMBERS = 5;
export const NODE_NUMBERS = 4;

/** Bits of a style. Those of edges above bit 8 are the lane between two nodes that several edges join. */
export const STYLE = { added: 1, removed: 2, picked: 4, path: 8, loop: 16, faint: 32 } as const;
export const LANE_SHIFT = 8;

export interface Scene {
  readonly nodeCount: number;
  /** Radius of each node in CSS pixels when the whole graph is in view, by turn. */
  readonly radii: Float32Array;
  readonly radiusMax: number;
  readonly edges: Uint32Array;
  readonly edgeCount: number;
  /** Edges that stand out: of the path, added, removed. */
  readonly strong: Uint32Array;
  readonly strongCount: number;
  readonly nodes: Uint32Array;
  /** Nodes and loops. */
  readonly instanceCount: number;
}

export type ColourBy = 'community' | 'type';

export interface Emphasis {
  readonly colourBy: ColourBy;
  /** Places of nodes. */
  readonly picked: ReadonlySet<number>;
  /** Places of nodes and edges of the path that is shown. */
  readonly pathNodes: ReadonlySet<number>;
  readonly pathEdges: ReadonlySet<number>;
}

const LANES_MAX = 15;

export function sceneOf(model: GraphModel, visible: Visible, emphasis: Emphasis, theme: Theme): Scene {
  const { nodes: shown, edges: shownEdges } = visible;
  const radii = radiiOf(model, visible);
  const groups = groupsOf(model, visible, emphasis.colourBy);
  const isFaint = emphasis.pathNodes.size > 0;
  const edges = edgesOf(model, visible, emphasis, radii, edgeColours(theme, groups, shownEdges.length, isFaint));
  const strong = strongOf(model, visible, emphasis, radii, theme);
  const loops = shownEdges.filter((edge) => model.source[edge] === model.target[edge]);
  const nodes = new Uint32Array((shown.length + loops.length) * NODE_NUMBERS);
  const floats = new Float32Array(nodes.buffer);
  let at = 0;
  const put = (turn: number, radius: number, colour: Colour, style: number): void => {
    nodes[at] = turn;
    floats[at + 1] = radius;
    nodes[at + 2] = packed(colour);
    nodes[at + 3] = style;
    at += NODE_NUMBERS;
  };
  for (const edge of loops) {
    const turn = visible.turnOf[model.source[edge]!]!;
    put(
      turn,
      radii[turn]!,
      colourOfChange(model.edgeChange[edge]!, theme) ?? groupColour(theme, groups[turn]!),
      STYLE.loop,
    );
  }
  for (let turn = 0; turn < shown.length; turn++) {
    const place = shown[turn]!;
    const colour = groupColour(theme, groups[turn]!);
    const isAside = isFaint && !emphasis.pathNodes.has(place);
    put(turn, radii[turn]!, isAside ? mixed(colour, theme.background, 0.35) : colour, styleOf(model, place, emphasis));
  }
  return {
    nodeCount: shown.length,
    radii,
    radiusMax: radii.reduce((most, radius) => Math.max(most, radius), 0),
    edges,
    edgeCount: shownEdges.length,
    strong: strong.data,
    strongCount: strong.count,
    nodes,
    instanceCount: shown.length + loops.length,
  };
}

/** The more nodes, the smaller they are: 1.4 + 0.8 sqrt(degree) at 2,000 nodes, 0.9 + 0.42 sqrt(degree) at 10,000. */
function radiiOf(model: GraphModel, { nodes }: Visible): Float32Array {
  const share = Math.min(1, Math.max(0, Math.log(nodes.length / 100) / Math.log(100)));
  const base = 3.4 - 2.5 * share;
  const factor = 1.5 - 1.08 * share;
  const radiusMax = 26 - 12 * share;
  return Float32Array.from(nodes, (place) => Math.min(radiusMax, base + factor * Math.sqrt(model.degree[place]!)));
}

function groupsOf(model: GraphModel, { nodes }: Visible, by: ColourBy): Int32Array {
  if (by === 'community') return Int32Array.from(nodes, (place) => model.community[place]!);
  const counts = new Uint32Array(model.types.length);
  for (let place = 0; place < model.nodeCount; place++) if (model.typeOf[place]! >= 0) counts[model.typeOf[place]!]!++;
  const order = typeColours(model);
  return Int32Array.from(nodes, (place) => order[model.typeOf[place]!] ?? -1);
}

/** By place of a type, its colour: the most frequent type has the first. */
export function typeColours(model: GraphModel): Int32Array {
  const counts = new Uint32Array(model.types.length);
  for (let place = 0; place < model.nodeCount; place++) if (model.typeOf[place]! >= 0) counts[model.typeOf[place]!]!++;
  const colours = new Int32Array(model.types.length);
  const order = Array.from(counts.keys()).sort((a, b) => counts[b]! - counts[a]! || a - b);
  for (const [at, type] of order.entries()) colours[type] = at;
  return colours;
}

function styleOf(model: GraphModel, place: number, { picked }: Emphasis): number {
  const change = model.change[place]!;
  return (
    (change === ADDED ? STYLE.added : 0) |
    (change === REMOVED ? STYLE.removed : 0) |
    (picked.has(place) ? STYLE.picked : 0)
  );
}

function colourOfChange(change: number, theme: Theme): Colour | null {
  if (change === ADDED) return theme.added;
  return change === REMOVED ? theme.removed : null;
}

/** Says the colour of an edge between two nodes, by their turns. 40 and 20 of a hundred parts at 8,000 edges, 26 and 13 at 40,000. */
function edgeColours(
  theme: Theme,
  groups: Int32Array,
  count: number,
  isFaint: boolean,
): (from: number, to: number) => number {
  const share = Math.min(1, Math.max(0, Math.log(Math.max(count, 1) / 200) / Math.log(200)));
  const strength = isFaint ? 0.4 : 1;
  const inside = (0.62 - 0.36 * share) * strength;
  const between = packed(mixed(theme.rest, theme.background, (0.46 - 0.33 * share) * strength));
  const colours = [...theme.palette, theme.rest].map((colour) => packed(mixed(colour, theme.background, inside)));
  const last = colours.length - 1;
  return (from, to) => {
    if (groups[from] !== groups[to]) return between;
    const group = groups[from]!;
    return colours[group < 0 || group > last ? last : group]!;
  };
}

function edgesOf(
  model: GraphModel,
  { edges, turnOf }: Visible,
  { pathEdges }: Emphasis,
  radii: Float32Array,
  colourOf: (from: number, to: number) => number,
): Uint32Array {
  const data = new Uint32Array(edges.length * EDGE_NUMBERS);
  const floats = new Float32Array(data.buffer);
  const lanes = new Map<number, number>();
  let at = 0;
  for (const edge of edges) {
    const from = turnOf[model.source[edge]!]!;
    const to = turnOf[model.target[edge]!]!;
    const pair = Math.min(from, to) * radii.length + Math.max(from, to);
    const lane = Math.min(LANES_MAX, lanes.get(pair) ?? 0);
    lanes.set(pair, lane + 1);
    // What is drawn as a strong edge is left out here, in its place: it goes from a node to itself.
    const isStrong = model.edgeChange[edge] !== 0 || pathEdges.has(edge);
    data[at] = from;
    data[at + 1] = isStrong ? from : to;
    data[at + 2] = colourOf(from, to);
    data[at + 3] = lane << LANE_SHIFT;
    floats[at + 4] = radii[to]!;
    at += EDGE_NUMBERS;
  }
  return data;
}

function strongOf(
  model: GraphModel,
  { edges, turnOf }: Visible,
  { pathEdges }: Emphasis,
  radii: Float32Array,
  theme: Theme,
): { readonly data: Uint32Array; readonly count: number } {
  const strong = edges.filter((edge) => model.edgeChange[edge] !== 0 || pathEdges.has(edge));
  const data = new Uint32Array(strong.length * EDGE_NUMBERS);
  const floats = new Float32Array(data.buffer);
  for (const [turn, edge] of strong.entries()) {
    const at = turn * EDGE_NUMBERS;
    const to = turnOf[model.target[edge]!]!;
    const change = model.edgeChange[edge]!;
    data[at] = turnOf[model.source[edge]!]!;
    data[at + 1] = to;
    data[at + 2] = packed(colourOfChange(change, theme) ?? theme.accent);
    data[at + 3] = (change === REMOVED ? STYLE.removed : 0) | (pathEdges.has(edge) ? STYLE.path : 0);
    floats[at + 4] = radii[to]!;
  }
  return { data, count: strong.length };
}
