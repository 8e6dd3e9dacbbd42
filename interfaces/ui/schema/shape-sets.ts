/** The stored sets of shapes, read and taken apart. One that can't be is there with the reason. */

import type { Server } from '../wire/server.js';
import { readShapes, type Shape } from './read-shapes.js';

const SETS_AT_ONCE = 1000;
/** A larger set is not taken apart on the page. */
const CHARACTERS_MAX = 4_000_000;

export interface ShapeSet {
  readonly name: string;
  readonly loadedAt: string;
  readonly turtle: string;
  readonly shapes: readonly Shape[];
  /** Why its shapes are not there; null = they are. */
  readonly failure: unknown;
}

export async function shapeSets({ client }: Server, signal: AbortSignal): Promise<ShapeSet[]> {
  const sets: ShapeSet[] = [];
  for (let offset = 0; ; ) {
    const page = await client.call('shape_list', { limit: SETS_AT_ONCE, offset }, { signal });
    for (const { name, loaded_at: loadedAt } of page.shapes) {
      const { turtle } = await client.call('shape_set', { name }, { signal });
      sets.push({ name, loadedAt, turtle, ...taken(name, turtle) });
    }
    offset += page.count;
    if (!page.truncated || page.count === 0) return sets;
  }
}

function taken(name: string, turtle: string): Pick<ShapeSet, 'shapes' | 'failure'> {
  if (turtle.length > CHARACTERS_MAX) {
    const failure = new Error(
      `The set has ${turtle.length} characters, more than the ${CHARACTERS_MAX} that are drawn as forms.`,
    );
    return { shapes: [], failure };
  }
  try {
    return { shapes: readShapes(name, turtle), failure: null };
  } catch (failure) {
    return { shapes: [], failure };
  }
}
