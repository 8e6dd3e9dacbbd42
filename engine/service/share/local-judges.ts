/** What judges a share: the loaded shapes of this store, and the vocabulary that they speak of (semantics text 6.8 F, G). */

import type { Control } from '../../base/control.js';
import type { CompiledSets } from '../../graphs/shapes/compiled-sets.js';
import { STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import { CONFORMS, type Conformance } from '../../share/conformance.js';
import type { Vocabulary } from '../../share/local-vocabulary.js';
import type { Stage } from '../../storage/seam/engine.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { Shapes } from '../../validate/shapes/shapes.js';

export class LocalJudges {
  private constructor(
    private readonly shapes: Shapes | null,
    /** Null = no shapes are loaded, and every term is welcome. */
    readonly vocabulary: Vocabulary | null,
  ) {}

  static async of(snapshot: StorageSnapshot, compiled: CompiledSets, control: Control): Promise<LocalJudges> {
    const sets = STORED_SHAPES.all(snapshot);
    const shapes = sets.length === 0 ? null : await compiled.of(sets, control);
    // Documents of rules alone are stored among the shapes and have none.
    if (shapes === null || shapes.shapes.length === 0) return new LocalJudges(null, null);
    const [{ readShapeSets }, { localVocabulary }] = await Promise.all([
      import('../../graphs/shapes/read-shapes.js'),
      import('../../share/local-vocabulary.js'),
    ]);
    const named = shapes.shapes.map(({ node }) => node).filter(({ termType }) => termType === 'NamedNode');
    const quads = await readShapeSets(sets, control.signal);
    return new LocalJudges(shapes, localVocabulary(quads, new Set(named.map(({ value }) => value))));
  }

  /** Judges what a graph of a stage has been filled with. */
  async judge(stage: Stage, graph: string, listedMax: number, control: Control): Promise<Conformance> {
    if (this.shapes === null) return CONFORMS;
    const { judgeShare } = await import('../../share/conformance.js');
    return judgeShare(stage, graph, this.shapes, listedMax, control);
  }
}
