/** From node to node by arrow keys: the neighbour that lies best in a direction of the screen. */
import type { GraphModel } from './graph-model.js';
import type { Visible } from './visible.js';

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The place of the neighbour of `from` in a direction; from nowhere, the best connected node. -1 when there is none.
 * A neighbour far aside counts less: its distance is weighed by how much it turns from the direction.
 */
export function nodeAt(
  model: GraphModel,
  visible: Visible,
  from: number,
  { x, y }: Point,
  screenOf: (place: number) => Point | null,
): number {
  const here = from < 0 ? null : screenOf(from);
  if (here === null) return bestConnected(model, visible);
  let best = -1;
  let bestWeight = Number.POSITIVE_INFINITY;
  for (const edge of visible.edges) {
    const [source, target] = [model.source[edge]!, model.target[edge]!];
    if (source === target || (source !== from && target !== from)) continue;
    const other = source === from ? target : source;
    const there = screenOf(other);
    if (there === null) continue;
    const along = (there.x - here.x) * x + (there.y - here.y) * y;
    if (along <= 0) continue;
    const distance = Math.hypot(there.x - here.x, there.y - here.y);
    const weight = distance * (distance / along);
    if (weight < bestWeight) {
      best = other;
      bestWeight = weight;
    }
  }
  return best;
}

function bestConnected(model: GraphModel, { nodes }: Visible): number {
  let best = -1;
  for (const place of nodes) if (best < 0 || model.degree[place]! > model.degree[best]!) best = place;
  return best;
}
