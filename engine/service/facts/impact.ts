/**
 * What depends on an entity (semantics of reasoning, 10.5): what a walk from it over the facts of ROOT reaches, or would reach
 * if all facts about it were gone, and what is lost by that.
 */

import type { InterruptLimits } from '../../base/interrupt.js';
import { compareCodePoints } from '../../base/text.js';
import type { BlankNode, NamedNode } from '../../rdf/terms.js';
import { MemoryBound } from '../../reason/graph/memory-bound.js';
import { Pace } from '../../reason/graph/pace.js';
import type { TermId } from '../../storage/ids/layout.js';
import { ROOT_ID } from '../../storage/ids/layout.js';
import type { Stage } from '../../storage/seam/engine.js';
import { decodeIds, exactly, lookInto, ROOT_ONLY, retractMatching } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { Time } from '../options/store-options.js';
import { type EntityInput, entityText, knownEntity, type PredicateInput, toEntity, toPredicate } from './entity.js';
import { type Reached, type Walk, type WalkLimits, walkFrom } from './entity-walk.js';
import { checkCount, type PageOptions, windowOf } from './paging.js';
import { rankFrom } from './rank-from.js';

export interface ImpactOptions extends PageOptions, InterruptLimits {
  /** Default 5. */
  readonly hops?: number | undefined;
  /** Facts of other predicates are not followed; absent or empty = all are. */
  readonly predicates?: readonly PredicateInput[] | undefined;
  /** True: as if all current facts about the entity were retracted, with what follows from that. */
  readonly remove?: boolean | undefined;
  /** True: what is reached is ordered by PageRank that restarts at the entity, and says it. */
  readonly rankByPpr?: boolean | undefined;
  /** With `remove`: when the facts end; absent = now. */
  readonly timestamp?: Time | undefined;
  /** query.memory_budget_mb in bytes. */
  readonly memoryBytes?: number | undefined;
}

export interface ReachedEntity {
  /** IRI; of the root, which may be a blank node, `_:label` then. */
  readonly iri: string;
  readonly depth: number;
  /** How it was reached first: by a fact of this predicate and subject; null for the root. */
  readonly viaPredicate: string | null;
  readonly viaSubject: string | null;
  /** Present with `rankByPpr`. */
  readonly ppr?: number;
}

export interface Impact {
  readonly root: string;
  readonly hops: number;
  /** Facts between entities that were looked at. */
  readonly edges: number;
  /** Of the whole walk, without the root. */
  readonly reachedCount: number;
  readonly counterfactual: boolean;
  readonly rankedByPpr: boolean;
  /** The page that was asked for, the root first of all unless ranks say otherwise. */
  readonly reached: readonly ReachedEntity[];
  /** True when there are more behind the page. */
  readonly truncated: boolean;
  /** With `remove`: what only the walk without it reaches, by IRI: the first 1,000. */
  readonly lost?: readonly string[];
  readonly lostCount?: number;
}

const HOPS = 5;
const OF_WALKS = { what: 'the walk', instead: 'name predicates, ask for fewer hops' };
/** A list of what is lost is shown up to here. */
const LOST_MAX = 1000;
/** Ranks that differ by less are equal, so that the order does not depend on the order of a sum. */
const RANK_STEPS = 1e12;

/** A question about an entity, checked. */
export class ImpactQuestion {
  readonly #root: NamedNode | BlankNode;
  readonly #options: ImpactOptions;
  readonly #hops: number;
  readonly #predicates: readonly NamedNode[];
  readonly #limits: Pick<WalkLimits, 'pace' | 'memory'>;

  constructor(entity: EntityInput, options: ImpactOptions) {
    const { hops = HOPS, predicates = [], memoryBytes } = options;
    this.#root = toEntity(entity);
    checkCount(hops, 'hops');
    windowOf(options);
    this.#options = options;
    this.#hops = hops;
    this.#predicates = predicates.map((one) => toPredicate(one));
    this.#limits = { pace: new Pace(options, 'the walk'), memory: new MemoryBound(memoryBytes, OF_WALKS) };
  }

  /** What is reached in the store as it is. */
  async answer(snapshot: StorageSnapshot): Promise<Impact> {
    const root = knownEntity(snapshot, this.#root, ROOT_ID);
    return this.#shown(snapshot, root, await this.#walk(snapshot, root));
  }

  /** Puts the removal on a stage. */
  remove(stage: Stage): void {
    lookInto(stage.snapshot(), (snapshot) => {
      const root = knownEntity(snapshot, this.#root, ROOT_ID);
      retractMatching(stage, snapshot, { graphs: ROOT_ONLY, pattern: { s: exactly(root) } });
    });
  }

  /** The same in the store as the removal would leave it, and what is lost beside the store as it is. */
  async answerWithout(supposed: StorageSnapshot, before: StorageSnapshot): Promise<Impact> {
    const root = knownEntity(before, this.#root, ROOT_ID);
    const whole = await this.#walk(before, root);
    const left = await this.#walk(supposed, root);
    const kept = new Set(left.reached.map(({ iri }) => iri));
    const lost = whole.reached.map(({ iri }) => iri).filter((iri) => !kept.has(iri));
    const impact = await this.#shown(supposed, root, left);
    const shown = lost.sort(compareCodePoints).slice(0, LOST_MAX);
    return { ...impact, counterfactual: true, lost: shown, lostCount: lost.length };
  }

  #walk(snapshot: StorageSnapshot, root: TermId): Promise<Walk> {
    const predicates = this.#predicatesIn(snapshot);
    return walkFrom(
      snapshot,
      { id: root, iri: entityText(this.#root) },
      { hops: this.#hops, predicates, ...this.#limits },
    );
  }

  /** Those that the store knows: of one that it does not know there are no facts. */
  #predicatesIn(snapshot: StorageSnapshot): readonly TermId[] | undefined {
    if (this.#predicates.length === 0) return undefined;
    const ids = this.#predicates.map((predicate) => snapshot.encode(predicate)).filter((id) => id !== null);
    return [...new Set(ids)];
  }

  async #shown(snapshot: StorageSnapshot, root: TermId, { reached, edges }: Walk): Promise<Impact> {
    const { rankByPpr = false } = this.#options;
    const ranks = rankByPpr ? await this.#ranks(snapshot, root) : null;
    const ordered = ranks === null ? reached : byRank(reached, ranks);
    const { from, to } = windowOf(this.#options);
    const page = ordered.slice(from, to);
    const predicates = decodeIds(
      snapshot,
      page.map(({ via }) => via?.predicate ?? root),
    );
    return {
      root: entityText(this.#root),
      hops: this.#hops,
      edges,
      reachedCount: reached.length - 1,
      counterfactual: false,
      rankedByPpr: rankByPpr,
      reached: page.map(({ id, iri, depth, via }, at) => ({
        iri,
        depth,
        viaPredicate: via === null ? null : (predicates[at]?.value ?? null),
        viaSubject: via?.subject.iri ?? null,
        ...(ranks === null ? {} : { ppr: ranks.get(id) ?? 0 }),
      })),
      truncated: to < ordered.length,
    };
  }

  /** A root without an edge is no node, and has no rank. */
  async #ranks(snapshot: StorageSnapshot, root: TermId): Promise<ReadonlyMap<TermId, number>> {
    const predicates = this.#predicatesIn(snapshot);
    const ranks = await rankFrom(snapshot, root, { predicates, ...this.#limits });
    if (ranks.size > 1) return ranks;
    const patterns = predicates === undefined ? [{}] : predicates.map((p) => ({ p: exactly(p) }));
    const isValue = patterns.some((pattern) => {
      const request = { graphs: ROOT_ONLY, pattern: { ...pattern, o: exactly(root) }, time: CURRENT };
      return snapshot.count(request) > 0;
    });
    return isValue ? ranks : new Map();
  }
}

/** The greatest rank first, then by IRI. */
function byRank(reached: readonly Reached[], ranks: ReadonlyMap<TermId, number>): Reached[] {
  const stepOf = ({ id }: Reached): number => Math.round((ranks.get(id) ?? 0) * RANK_STEPS);
  const keyed = reached.map((one) => ({ one, step: stepOf(one) }));
  return keyed.sort((a, b) => b.step - a.step || compareCodePoints(a.one.iri, b.one.iri)).map(({ one }) => one);
}
