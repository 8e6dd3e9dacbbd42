/** What stands out in a picture: picked nodes, the path, the colours. */
import type { ColourBy, Emphasis } from './draw/scene.js';
import type { GraphModel } from './model/graph-model.js';
import type { Visible } from './model/visible.js';
import { edgesOfPath } from './path-finder.js';

export interface Chosen {
  readonly colourBy: ColourBy;
  readonly picked: readonly string[];
  /** From one end of the path to the other; empty when none is shown. */
  readonly path: readonly string[];
}

export function emphasisOf(model: GraphModel, visible: Visible, { colourBy, picked, path }: Chosen): Emphasis {
  const placesOf = (iris: readonly string[]): number[] => iris.map((iri) => model.placeOf(iri)).filter((at) => at >= 0);
  return {
    colourBy,
    picked: new Set(placesOf(picked)),
    pathNodes: new Set(placesOf(path)),
    pathEdges: edgesOfPath(model, visible, path),
  };
}

export function sameEmphasis(one: Emphasis, other: Emphasis | null): boolean {
  const same = (a: ReadonlySet<number>, b: ReadonlySet<number>): boolean =>
    a.size === b.size && [...a].every((at) => b.has(at));
  if (other === null || one.colourBy !== other.colourBy) return false;
  return same(one.picked, other.picked) && same(one.pathNodes, other.pathNodes) && same(one.pathEdges, other.pathEdges);
}
