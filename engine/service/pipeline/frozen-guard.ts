/**
 * Refuses what would write a frozen graph: its rows are not in the store, so to retract one would do nothing, and to
 * assert one would make a second copy. Which graphs are frozen is looked up when rows of the registry have changed, and a
 * stage is guarded only where there are any; so a store without a frozen graph pays nothing.
 */

import { frozenConflict } from '../../query/registry/frozen.js';
import { frozenIds } from '../../query/registry/graph-rows.js';
import type { Quad, Term } from '../../rdf/terms.js';
import { lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { LoadOptions, QuadColumns, Stage, StorageEngine } from '../../storage/seam/engine.js';
import { decodeIds, lookInto } from '../../storage/seam/rows.js';
import { checkedWrites, stageWith } from './stage-with.js';

/** The graphs that are frozen, by id. */
type Frozen = ReadonlyMap<TermId, string>;

const NONE: Frozen = new Map();

export class FrozenGuard {
  readonly #engine: Pick<StorageEngine, 'snapshot'>;
  #state: number | null = null;
  #frozen: Frozen = NONE;
  #names: ReadonlySet<string> = new Set();

  constructor(engine: Pick<StorageEngine, 'snapshot'>) {
    this.#engine = engine;
  }

  /** `registryState` is another number when rows of the registry may have changed. */
  stage(stage: Stage, registryState: number): Stage {
    this.#look(registryState);
    return this.#frozen.size === 0 ? stage : guarded(stage, this.#frozen, this.#names);
  }

  /** The options of a load, which refuse documents that name a frozen graph. */
  load(options: LoadOptions, registryState: number): LoadOptions {
    this.#look(registryState);
    if (this.#frozen.size === 0) return options;
    const refuse = (iri: string): void => {
      if (this.#names.has(iri)) throw frozenConflict(iri);
    };
    if (options.graph !== undefined) refuse(options.graph);
    const graphFault = (iri: string): string | null => {
      refuse(iri);
      return options.graphFault?.(iri) ?? null;
    };
    return { ...options, graphFault };
  }

  #look(registryState: number): void {
    if (this.#state === registryState) return;
    this.#frozen = lookInto(this.#engine.snapshot(), (snapshot) => {
      const ids = frozenIds(snapshot);
      const names = decodeIds(snapshot, ids);
      return new Map(ids.map((id, at) => [id, (names[at] as Term).value]));
    });
    this.#names = new Set(this.#frozen.values());
    this.#state = registryState;
  }
}

/** The stage, but for the methods that take quads. */
function guarded(stage: Stage, frozen: Frozen, names: ReadonlySet<string>): Stage {
  const lows = new Set([...frozen.keys()].map(lowOf));
  const checkIds = ({ g, rows }: QuadColumns): void => {
    for (let row = 0; row < rows; row++) {
      const low = g[2 * row] as number;
      if (!lows.has(low)) continue;
      const iri = frozen.get((BigInt(g[2 * row + 1] as number) << 32n) | BigInt(low));
      if (iri !== undefined) throw frozenConflict(iri);
    }
  };
  const checkQuad = ({ graph }: Quad): void => {
    if (names.has(graph.value)) throw frozenConflict(graph.value);
  };
  return stageWith(stage, checkedWrites(stage, { quad: checkQuad, ids: checkIds }));
}
