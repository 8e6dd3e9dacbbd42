/**
 * What a store knows around a text (semantics of reasoning, 9.4): entities with some of their facts.
 *
 *  1. Direct hits: entities that the text stands in, the best of them.
 *  2. Their links, as far as there is room.
 *  3. What vectors find besides.
 *  4. All of it ordered, cut, and shown with facts.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import { compareCodePoints } from '../../base/text.js';
import type { Term } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { NearestEntity } from '../../storage/indexes/vectors/vector-reader.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { holds, idSet } from '../match/entity-set.js';
import { DIRECT_KINDS, type Matches, type MatchKind, type TextMatch, type TextMatcher } from '../match/text-matcher.js';
import { type FactOrder, type Ranking, RELEVANCES, type Relevance } from './choices.js';
import { type EntityCard, readCards } from './entity-card.js';
import { type Link, linksOf } from './links.js';
import {
  convexScore,
  directionOf,
  type FoundScores,
  hubDamping,
  jaccard,
  marginalOrder,
  productOf,
  reciprocalScores,
} from './ranking.js';

export interface ContextRequest {
  readonly query: string;
  /** Of one page; at least 1. */
  readonly maxEntities: number;
  /** Entities of pages before. */
  readonly offset: number;
  /** Entities that all pages after the first can show. */
  readonly laterMax: number;
  readonly expandLinks: boolean;
  readonly pprRerank: boolean;
  readonly factsMax: number;
  readonly factOrder: FactOrder;
  readonly ranking: Ranking;
  readonly time: TimeSlice;
  readonly labels: readonly TermId[];
  /** Entities that may be found, ascending; null = all. */
  readonly scope: IdColumn | null;
}

/** An entity and its rank in a walk that restarts at seeds, and how many edges it has. */
export interface GraphRank {
  readonly rank: number;
  readonly edges: number;
}

/** What the pipeline asks others for. */
export interface ContextMeans {
  readonly matcher: TextMatcher;
  /** The entities nearest to the question; null = it has no vector, or there are none to compare it with. */
  readonly nearest: ((limit: number, candidates: IdColumn | undefined) => Promise<readonly NearestEntity[]>) | null;
  /** The vectors of those of some entities that have one. */
  readonly vectorsOf: (entities: readonly TermId[]) => Promise<ReadonlyMap<TermId, Float32Array>>;
  /** Personalised PageRank over ROOT; entities without an edge are not in it. */
  readonly ranks: (
    seeds: readonly { readonly entity: TermId; readonly weight: number }[],
    damping?: number,
  ) => Promise<GraphRanks>;
}

export interface GraphRanks {
  of(entity: TermId): GraphRank | null;
  /** The highest ranks, at most so many. */
  best(limit: number): readonly TermId[];
}

/** Where a text was found. */
export interface FoundText {
  readonly score: number;
  readonly kind: MatchKind;
  /** Of the fact in whose value it is; null where it is the entity's own IRI. */
  readonly predicate: string | null;
  readonly value: Term | null;
}

/** Where a score comes from. */
export interface ScoreParts {
  readonly text: FoundText | null;
  /** Cosine. */
  readonly vector: number | null;
  readonly link: { readonly from: string; readonly way: 'out' | 'in' } | null;
  /** Of personalised PageRank, where it was asked for. */
  readonly ppr: number | null;
}

export interface ContextEntity extends EntityCard {
  readonly relevance: Relevance;
  readonly score: number;
  readonly parts: ScoreParts;
}

export interface Context {
  readonly entities: readonly ContextEntity[];
  /** Before the cut. */
  readonly considered: number;
  /** There is another page. */
  readonly isCut: boolean;
}

interface Gathered {
  readonly entity: TermId;
  readonly iri: string;
  readonly relevance: Relevance;
  readonly score: number;
  readonly match: TextMatch | null;
  readonly cosine: number | null;
  readonly link: Link | null;
  readonly ppr: number | null;
}

/** `gathered`: what the links of those that are shown may come from. */
interface Page {
  readonly gathered: readonly Gathered[];
  readonly shown: readonly Gathered[];
  readonly considered: number;
  readonly isCut: boolean;
}

const LINKED_SCORE = 0.5;
/** Entities that text and vectors give each, at least, where both make the order: one that is far down in both may be first. */
const FUSED_LEAST = 50;
/** Of a ranking by a walk: it goes on half of the time, so that what was found stays before what hangs on it. */
const RANKING_DAMPING = 0.5;
/** Of a fused ranking: a link counts half of what it comes from. */
const LINK_PART = 0.5;
/** Ranks that differ by less are equal, so that the order does not depend on the order of a sum. */
const RANK_STEPS = 1e12;

export async function readContext(
  snapshot: StorageSnapshot,
  request: ContextRequest,
  means: ContextMeans,
  control: Control,
): Promise<Context> {
  const { gathered, shown, considered, isCut } = await pageOf(snapshot, request, means, control);
  const { time, labels, factsMax, factOrder: order } = request;
  const found = new Map(shown.flatMap(({ entity, match }) => (match === null ? [] : [[entity, match] as const])));
  const cards = readCards(
    snapshot,
    shown.map(({ entity }) => entity),
    { time, labels, factsMax, order, found },
    control,
  );
  const iris = new Map(gathered.map(({ entity, iri }) => [entity, iri]));
  const entities = shown.map(({ relevance, score, match, cosine, link, ppr }, at) => ({
    ...(cards[at] as EntityCard),
    relevance,
    score,
    parts: {
      text: match === null ? null : foundText(snapshot, match),
      vector: cosine,
      link: link === null ? null : { from: iris.get(link.from) as string, way: link.way },
      ppr,
    },
  }));
  return { entities, considered, isCut };
}

/**
 * What is gathered depends on how much is wanted: links fill what room there is, and rankings compare what they are given. So
 * that pages fit each other, all but the first are cut from one sequence, whatever the page: the first page, then what of a
 * larger gathering is not on it.
 */
async function pageOf(
  snapshot: StorageSnapshot,
  request: ContextRequest,
  means: ContextMeans,
  control: Control,
): Promise<Page> {
  const { maxEntities: size, offset, laterMax } = request;
  const first = await new Gathering(snapshot, request, means, control).all();
  if (offset === 0) {
    return { ...first, shown: first.gathered.slice(0, size), isCut: first.isMore };
  }
  const maxEntities = size + laterMax;
  const all = await new Gathering(snapshot, { ...request, maxEntities }, means, control).all();
  const before = first.gathered.slice(0, size);
  const known = new Set(before.map(({ entity }) => entity));
  const after = all.gathered.slice(0, maxEntities).filter(({ entity }) => !known.has(entity));
  const sequence = [...before, ...after];
  return {
    gathered: [...first.gathered, ...all.gathered],
    shown: sequence.slice(offset, offset + size),
    considered: all.considered,
    isCut: sequence.length > offset + size,
  };
}

export function foundText(snapshot: StorageSnapshot, { score, kind, predicate, value }: TextMatch): FoundText {
  if (predicate === null || value === null) return { score, kind, predicate: null, value: null };
  const [name, found] = decodeIds(snapshot, [predicate, value]) as [Term, Term];
  return { score, kind, predicate: name.value, value: found };
}

class Gathering {
  /** Whether a larger gathering would have more: one more than counts is asked for. */
  #isMore = false;

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly request: ContextRequest,
    private readonly means: ContextMeans,
    private readonly control: Control,
  ) {}

  async all() {
    const { scope, maxEntities, ranking } = this.request;
    const isDefault = ranking === 'default';
    const limit = isDefault ? maxEntities : Math.max(maxEntities, FUSED_LEAST);
    const { matches, found } = await this.#matches(limit, scope);
    const near = [...((await this.means.nearest?.(limit + 1, scope ?? undefined)) ?? [])];
    this.#isMore = found > maxEntities || near.splice(limit).length > 0;
    const gathered = isDefault ? this.#asTheyCome(matches, near) : await this.#fused(matches, near);
    const ordered = await this.#ordered(gathered);
    const counted = gathered.filter(({ match }) => match !== null).length;
    const considered = Math.max(gathered.length, ordered.length) + found - counted;
    return { gathered: ordered, considered, isMore: this.#isMore || considered > maxEntities };
  }

  #matches(limit: number, scope: IdColumn | null): Promise<Matches> {
    const { query, time, labels } = this.request;
    const asked = { query, time, labels, limit, scope, kinds: DIRECT_KINDS };
    return this.means.matcher.directHits(this.snapshot, asked, this.control);
  }

  /** Direct hits, their links, then what vectors find besides. */
  #asTheyCome(matches: readonly TextMatch[], near: readonly NearestEntity[]): Gathered[] {
    const cosines = new Map(near.map(({ entity, score }) => [entity, score]));
    const direct = this.#named(matches.map(({ entity }) => entity)).map(({ entity, iri }, at) => {
      const match = matches[at] as TextMatch;
      return { ...NOTHING, entity, iri, relevance: 'Direct' as const, score: match.score, match };
    });
    const links = this.#links(direct).map((link) => ({
      ...NOTHING,
      ...link,
      relevance: 'Linked' as const,
      score: LINKED_SCORE,
      link,
    }));
    const gathered = [...direct, ...links];
    const present = new Set(gathered.map(({ entity }) => entity));
    const others = this.#named(near.map(({ entity }) => entity).filter((entity) => !present.has(entity)));
    const semantic = others.map(({ entity, iri }) => ({
      ...NOTHING,
      entity,
      iri,
      relevance: 'Semantic' as const,
      score: Math.max(0, cosines.get(entity) as number),
    }));
    return [...gathered, ...semantic].map((one) => ({ ...one, cosine: cosines.get(one.entity) ?? null }));
  }

  /** By a score of text and vectors together; what was found by either alone is asked of the other. */
  async #fused(matches: readonly TextMatch[], near: readonly NearestEntity[]): Promise<Gathered[]> {
    const byEntity = new Map(matches.map((match) => [match.entity, match]));
    const ids = [...new Set([...byEntity.keys(), ...near.map(({ entity }) => entity)])];
    const candidates = idSet(ids);
    const all = ids.length === 0 ? [] : ((await this.means.nearest?.(ids.length, candidates)) ?? []);
    if (ids.length > matches.length && matches.length > 0) {
      // Scores are parts of the best of a search; what the first did not give can't be worth more than its last.
      const most = (matches.at(-1) as TextMatch).score;
      for (const match of (await this.#matches(ids.length, candidates)).matches) {
        if (!byEntity.has(match.entity)) byEntity.set(match.entity, { ...match, score: Math.min(match.score, most) });
      }
    }
    const cosines = new Map(all.map(({ entity, score }) => [entity, score]));
    const scores = ids.map(
      (id): FoundScores => ({
        text: byEntity.get(id)?.score ?? null,
        cosine: cosines.get(id) ?? null,
      }),
    );
    const fused = this.request.ranking === 'reciprocal' ? reciprocalScores(scores) : scores.map(convexScore);
    const found = this.#named(ids).map(({ entity, iri }, at) => ({
      ...NOTHING,
      entity,
      iri,
      relevance: byEntity.has(entity) ? ('Direct' as const) : ('Semantic' as const),
      score: fused[at] as number,
      match: byEntity.get(entity) ?? null,
      cosine: cosines.get(entity) ?? null,
    }));
    found.sort(byScore);
    const own = new Map(found.map(({ entity, score }) => [entity, score]));
    const links = this.#links(found.slice(0, this.request.maxEntities)).map((link) => ({
      ...NOTHING,
      ...link,
      relevance: 'Linked' as const,
      score: LINK_PART * (own.get(link.from) as number),
      link,
    }));
    return [...found, ...links];
  }

  #links(from: readonly Gathered[]): Link[] {
    const { expandLinks, maxEntities, time, scope } = this.request;
    if (!expandLinks) return [];
    const entities = from.map(({ entity }) => entity);
    const room = maxEntities - entities.length;
    const limit = this.#isMore ? room : room + 1;
    const links = linksOf(this.snapshot, entities, { time, seen: new Set(entities), scope, limit }, this.control);
    this.#isMore ||= links.length > room;
    return links.slice(0, Math.max(0, room));
  }

  async #ordered(gathered: readonly Gathered[]): Promise<Gathered[]> {
    const { pprRerank, ranking, maxEntities } = this.request;
    const sorted = [...gathered].sort(byScore);
    if (ranking === 'mmr') return this.#diverse(sorted.slice(0, 2 * maxEntities));
    if (ranking === 'ppr') return this.#walked(sorted);
    if (!pprRerank) return sorted;
    const seeds = gathered
      .filter(({ relevance }) => relevance === 'Direct')
      .map(({ entity }) => ({ entity, weight: 1 }));
    const ranks = await this.means.ranks(seeds);
    const ranked = sorted.map((one) => ({ ...one, ppr: ranks.of(one.entity)?.rank ?? 0 }));
    return ranked.sort((a, b) => steps(b.ppr) - steps(a.ppr) || b.score - a.score || compareCodePoints(a.iri, b.iri));
  }

  /** Entities are alike by their vectors; one without is like others as far as they share neighbours and values. */
  async #diverse(sorted: readonly Gathered[]): Promise<Gathered[]> {
    const { time, labels } = this.request;
    const request = { time, labels, factsMax: FACTS_COMPARED, order: 'predicate' as const };
    const entities = sorted.map(({ entity }) => entity);
    const cards = readCards(this.snapshot, entities, request, this.control);
    const features = cards.map(
      ({ facts }) => new Set(facts.map(({ predicate, value }) => `${predicate} ${value.value}`)),
    );
    const known = await this.means.vectorsOf(entities);
    const directions = entities.map((entity) => directionOf(known.get(entity)));
    const order = marginalOrder(
      sorted.map(({ score }) => score),
      (one, other) => {
        const [a, b] = [directions[one] ?? null, directions[other] ?? null];
        return a !== null && b !== null
          ? Math.max(0, productOf(a, b))
          : jaccard(features[one] as Set<string>, features[other] as Set<string>);
      },
      this.request.maxEntities,
      () => throwIfStopped(this.control, 'the search'),
    );
    return order.map((place) => sorted[place] as Gathered);
  }

  /** By a walk over ROOT that restarts at what was found; it may bring entities that neither text nor vectors found. */
  async #walked(sorted: readonly Gathered[]): Promise<Gathered[]> {
    const seeds = sorted.filter(({ relevance }) => relevance !== 'Linked').slice(0, 2 * this.request.maxEntities);
    const ranks = await this.means.ranks(
      seeds.map(({ entity, score: weight }) => ({ entity, weight })),
      RANKING_DAMPING,
    );
    const known = new Set(sorted.map(({ entity }) => entity));
    const { scope } = this.request;
    const isWanted = (id: TermId): boolean => !known.has(id) && (scope === null || holds(scope, id));
    const reached = this.#named(ranks.best(2 * this.request.maxEntities).filter(isWanted));
    const all = [...sorted, ...reached.map((one) => ({ ...NOTHING, ...one, relevance: 'Linked' as const, score: 0 }))];
    const damped = all.map(({ entity }) => {
      const rank = ranks.of(entity);
      return rank === null ? 0 : rank.rank * hubDamping(rank.edges);
    });
    const most = Math.max(...damped, 0);
    const walked = all.map((one, at) => {
      const ppr = damped[at] as number;
      return { ...one, ppr, score: most === 0 ? one.score : steps(ppr / most) / RANK_STEPS };
    });
    return walked.sort(byScore);
  }

  #named(entities: readonly TermId[]): { readonly entity: TermId; readonly iri: string }[] {
    return decodeIds(this.snapshot, entities).map(({ value }, at) => ({ entity: entities[at] as TermId, iri: value }));
  }
}

/** Of an entity of which nothing is known yet. */
const NOTHING = { match: null, cosine: null, link: null, ppr: null } as const;
/** Facts by which entities are compared with each other. */
const FACTS_COMPARED = 50;

function steps(rank: number): number {
  return Math.round(rank * RANK_STEPS);
}

function byScore(a: Gathered, b: Gathered): number {
  return (
    b.score - a.score ||
    RELEVANCES.indexOf(a.relevance) - RELEVANCES.indexOf(b.relevance) ||
    compareCodePoints(a.iri, b.iri)
  );
}
