/** Finds the path between two nodes: among what is shown, whichever way edges go; else in the store, along them. */
import { count } from '../parts/text.js';
import type { Exploration } from './exploration.js';
import type { GraphModel } from './model/graph-model.js';
import { shortestPath } from './model/neighbours.js';
import type { Visible } from './model/visible.js';

export interface FoundPath {
  /** From one end to the other; empty when there is no path. */
  readonly iris: readonly string[];
  readonly note: string;
}

/** Null when what is shown has none. */
export function shownPath(model: GraphModel, visible: Visible, from: string, to: string): FoundPath | null {
  let place = model.placeOf(from);
  const edges = shortestPath(model, visible, place, model.placeOf(to));
  if (edges === null) return null;
  const iris = [from];
  for (const edge of edges) {
    place = model.source[edge] === place ? model.target[edge]! : model.source[edge]!;
    iris.push(model.iris[place]!);
  }
  return { iris, note: `A path of ${count(edges.length)} edges, whichever way they go, among what is shown` };
}

export async function storedPath(exploration: Exploration, from: string, to: string): Promise<FoundPath> {
  const iris = (await exploration.path(from, to)) ?? [];
  if (iris.length === 0) return { iris, note: 'The store has no path along its edges between the two' };
  return { iris, note: `A path of ${count(iris.length - 1)} edges; what it needs was fetched` };
}

/** Places of the edges between neighbours of a path. */
export function edgesOfPath(model: GraphModel, { edges }: Visible, iris: readonly string[]): Set<number> {
  const places = iris.map((iri) => model.placeOf(iri));
  const turns = new Map(places.map((place, turn) => [place, turn]));
  const found = new Set<number>();
  if (iris.length < 2) return found;
  for (const edge of edges) {
    const [from, to] = [turns.get(model.source[edge]!), turns.get(model.target[edge]!)];
    if (from !== undefined && to !== undefined && Math.abs(from - to) === 1) found.add(edge);
  }
  return found;
}
