/**
 * The shapes that a write is judged by, compiled: all stored sets together, in the order of their names, and those that
 * come with the write. What is compiled is kept for as long as the registry stays as it is.
 */

import { type ShapeSet, STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import type { Quad } from '../../rdf/terms.js';
import type { Shapes } from '../../validate/shapes.js';
import { naming } from '../naming.js';
import type { StagedWrite } from './gates.js';

/** Where the messages say that a document of a request is wrong. */
const INLINE = 'shapes';

export class LoadedShapes {
  /** The state of the registry that `#sets` are of. */
  #state = -1;
  #sets: readonly ShapeSet[] = [];
  #quads: readonly Quad[] | null = null;
  #stored: Shapes | null = null;
  /** The last document that came with a write, together with the sets. */
  #inline: { readonly turtle: string; readonly sets: readonly ShapeSet[]; readonly shapes: Shapes } | null = null;

  /** Null = there are none. With `withStored` false only what comes with the write counts. */
  async of(write: StagedWrite, withStored: boolean): Promise<Shapes | null> {
    const sets = withStored ? this.#current(write) : [];
    if (write.shapes !== undefined) return this.#withInline(sets, write.shapes);
    if (sets.length === 0) return null;
    if (this.#stored === null) this.#stored = await compiled(await this.#quadsOf(sets));
    return this.#stored;
  }

  /** The sets before the write; read again only when rows of the registry may have changed. */
  #current(write: StagedWrite): readonly ShapeSet[] {
    if (write.registryState === this.#state) return this.#sets;
    const sets = STORED_SHAPES.all(write.before);
    const isSame =
      sets.length === this.#sets.length && sets.every(({ turtle }, at) => turtle === this.#sets[at]?.turtle);
    if (!isSame) {
      this.#sets = sets;
      this.#quads = null;
      this.#stored = null;
    }
    this.#state = write.registryState;
    return this.#sets;
  }

  async #withInline(sets: readonly ShapeSet[], turtle: string): Promise<Shapes> {
    const known = this.#inline;
    if (known !== null && known.turtle === turtle && known.sets === sets) return known.shapes;
    const { readShapes } = await import('../../graphs/shapes/read-shapes.js');
    const { quads } = await naming(readShapes(turtle, INLINE, 'i'));
    const { refuseEmpty } = await import('../../validate/compile-shapes.js');
    refuseEmpty(await compiled(quads), "the document 'shapes'");
    const stored = sets.length === 0 ? [] : await this.#quadsOf(sets);
    const shapes = await compiled([...stored, ...quads]);
    this.#inline = { turtle, sets, shapes };
    return shapes;
  }

  async #quadsOf(sets: readonly ShapeSet[]): Promise<readonly Quad[]> {
    if (this.#quads === null) {
      const { readShapeSets } = await import('../../graphs/shapes/read-shapes.js');
      this.#quads = await readShapeSets(sets);
    }
    return this.#quads;
  }
}

async function compiled(quads: readonly Quad[]): Promise<Shapes> {
  const { compileShapes } = await import('../../validate/compile-shapes.js');
  return compileShapes(quads);
}
