/**
 * The shapes that a write is judged by, compiled: all stored sets together, in the order of their names, and those that
 * come with the write. What is compiled is kept for as long as the registry stays as it is.
 */

import type { Control } from '../../base/control.js';
import type { CompiledSets } from '../../graphs/shapes/compiled-sets.js';
import { type ShapeSet, STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import type { Shapes } from '../../validate/shapes/shapes.js';
import type { StagedWrite } from '../gates/gates.js';
import { naming } from '../requests/naming.js';

/** Where the messages say that a document of a request is wrong. */
const INLINE = 'shapes';

export class LoadedShapes {
  /** The state of the registry that `#sets` are of. */
  #state = -1;
  #sets: readonly ShapeSet[] = [];
  /** The last document that came with a write, together with the sets. */
  #inline: { readonly turtle: string; readonly sets: readonly ShapeSet[]; readonly shapes: Shapes } | null = null;

  constructor(private readonly compiled: CompiledSets) {}

  /** Null = there are none. With `withStored` false only what comes with the write counts. */
  of(write: StagedWrite, withStored: boolean, control: Control): Promise<Shapes> | null {
    const sets = withStored ? this.#current(write) : [];
    if (write.shapes !== undefined) return this.#withInline(sets, write.shapes, control);
    return sets.length === 0 ? null : this.compiled.of(sets, control);
  }

  /** The sets before the write; read again only when rows of the registry may have changed. */
  #current(write: StagedWrite): readonly ShapeSet[] {
    if (write.registryState === this.#state) return this.#sets;
    const sets = STORED_SHAPES.all(write.law);
    const isSame =
      sets.length === this.#sets.length && sets.every(({ turtle }, at) => turtle === this.#sets[at]?.turtle);
    if (!isSame) this.#sets = sets;
    this.#state = write.registryState;
    return this.#sets;
  }

  async #withInline(sets: readonly ShapeSet[], turtle: string, control: Control): Promise<Shapes> {
    const known = this.#inline;
    if (known !== null && known.turtle === turtle && known.sets === sets) return known.shapes;
    const { readShapeSets, readShapes } = await import('../../graphs/shapes/read-shapes.js');
    const { compileInTurns, refuseEmpty } = await import('../../validate/shapes/compile-shapes.js');
    const { quads } = await naming(readShapes(turtle, INLINE, 'i', control.signal));
    refuseEmpty(await compileInTurns(quads, control), "the document 'shapes'");
    const stored = await readShapeSets(sets, control.signal);
    const shapes = await compileInTurns([...stored, ...quads], control);
    this.#inline = { turtle, sets, shapes };
    return shapes;
  }
}
