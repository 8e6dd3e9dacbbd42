/**
 * The embedding half of what labels are compared by (semantics of reasoning, 8.1): labels of the left graph as vectors against
 * those that the store keeps of entities of the right one, by cosine. Where a provider fails, names are compared alone.
 */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { InterruptLimits } from '../../base/interrupt.js';
import type { TermId } from '../../storage/ids/layout.js';
import { VECTORS } from '../../storage/indexes/vectors/vectors.js';
import { columnOf } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';

/** Vectors of texts, to be compared with those of the store; null = there is nothing to compare with. */
export type VectorsOf = (texts: readonly string[], control: Control) => Promise<readonly Float32Array[] | null>;

/** Some of the nearest are decided already, or the entity itself. */
const SPARE = 3;
/** Texts of one call of the provider. */
const TEXTS_AT_ONCE = 32;

export interface NearLabel {
  readonly right: TermId;
  readonly rightLabel: TermId;
  /** To six decimals. */
  readonly score: number;
}

export interface NearOptions {
  readonly threshold: number;
  readonly topK: number;
}

export class NearLabels {
  readonly #snapshot: StorageSnapshot;
  readonly #vectorsOf: VectorsOf;
  readonly #onFailure: ((error: SvcError) => void) | undefined;
  readonly #limits: InterruptLimits;
  /** The first label of each entity of the right graph. */
  readonly #labels = new Map<TermId, TermId>();
  #candidates: IdColumn | null = null;
  #isLost = false;

  constructor(
    snapshot: StorageSnapshot,
    vectorsOf: VectorsOf,
    { onFailure, ...limits }: InterruptLimits & { readonly onFailure?: ((error: SvcError) => void) | undefined },
  ) {
    this.#snapshot = snapshot;
    this.#vectorsOf = vectorsOf;
    this.#onFailure = onFailure;
    this.#limits = limits;
  }

  /** A label of an entity of the right graph. */
  add(right: TermId, label: TermId): void {
    if (!this.#labels.has(right)) this.#labels.set(right, label);
  }

  /** For each text the nearest entities, the best first; nothing where there is nothing to compare with. */
  async of(texts: readonly string[], { threshold, topK }: NearOptions): Promise<readonly (readonly NearLabel[])[]> {
    if (this.#isLost || this.#labels.size === 0) return [];
    const { signal, flag } = this.#limits;
    try {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += TEXTS_AT_ONCE) {
        const some = await this.#vectorsOf(texts.slice(from, from + TEXTS_AT_ONCE), { signal, flag });
        if (some === null) return [];
        vectors.push(...some);
      }
      const reader = VECTORS.at(this.#snapshot.indexView());
      this.#candidates ??= columnOf([...this.#labels.keys()].sort((a, b) => (a < b ? -1 : 1)));
      const found: (readonly NearLabel[])[] = [];
      for (const query of vectors) {
        const request = { query, limit: SPARE * topK, candidates: this.#candidates, backend: 'brute' } as const;
        const near = await reader.nearest(request, { signal, flag });
        found.push(
          near
            .filter(({ score }) => score >= threshold)
            .map(({ entity, score }) => ({
              right: entity,
              rightLabel: this.#labels.get(entity) as TermId,
              score: Math.round(score * 1e6) / 1e6,
            })),
        );
      }
      return found;
    } catch (error) {
      const isOfWork = error instanceof SvcError && (error.code === 'aborted' || error.code === 'query_timeout');
      if (!(error instanceof SvcError) || isOfWork) throw error;
      this.#isLost = true;
      this.#onFailure?.(error);
      return [];
    }
  }
}
