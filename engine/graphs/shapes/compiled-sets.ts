/**
 * Stored sets of shapes, compiled together as one graph: the last that were asked for are kept, so that sets that were
 * checked before they are stored judge the next write without being read again.
 */

import type { Control } from '../../base/control.js';
import type { Shapes } from '../../validate/shapes/shapes.js';
import type { ShapeSet } from './stored-shapes.js';

interface Compiled {
  readonly turtles: readonly string[];
  readonly shapes: Shapes;
}

export class CompiledSets {
  #last: Compiled | null = null;
  /** How often sets were compiled. */
  compilations = 0;

  /** In the order of their names. */
  async of(sets: readonly Pick<ShapeSet, 'name' | 'turtle'>[], control: Control): Promise<Shapes> {
    const known = this.#last;
    if (
      known !== null &&
      known.turtles.length === sets.length &&
      sets.every(({ turtle }, at) => turtle === known.turtles[at])
    ) {
      return known.shapes;
    }
    // Loaded when needed: most stores have no shapes.
    const { readShapeSets } = await import('./read-shapes.js');
    const { compileInTurns } = await import('../../validate/shapes/compile-shapes.js');
    const shapes = await compileInTurns(await readShapeSets(sets, control.signal), control);
    this.compilations++;
    this.remember(
      sets.map(({ turtle }) => turtle),
      shapes,
    );
    return shapes;
  }

  /** Of sets that somebody has compiled, with the scopes that `readShapeSets` gives. */
  remember(turtles: readonly string[], shapes: Shapes): void {
    this.#last = { turtles, shapes };
  }
}
