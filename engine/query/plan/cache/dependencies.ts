/**
 * What a planner sees of a store, written down as it looks: which ids the constants have, how many rows
 * patterns have, which graphs there are. A plan stays right for another snapshot of the same store in
 * which these answers are the same, and good while the estimates are close; so a plan that is kept can be
 * checked with a few looks at storage instead of being made again.
 *
 * Statistics of predicates, and rows that a planner samples, are not written down: no answer depends on them.
 */

import { getOrInsert } from '../../../base/maps.js';
import type { Term } from '../../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../../storage/ids/layout.js';
import { DelegatingSnapshot } from '../../../storage/seam/delegating-snapshot.js';
import type { CountRequest, Estimate, GraphSet, IdRange, StorageSnapshot } from '../../../storage/seam/scan.js';
import { graphsIn, sameGraphs } from '../../../storage/seam/source.js';
import type { Expression } from '../../algebra/expression.js';
import { isSlot, plainTerm, type SlotTerm } from '../../algebra/slot.js';
import type { QueryScope } from '../../terms/query-scope.js';
import type { QueryTerms } from '../../terms/terms.js';
import { type TextBound, textBoundOf, textRanges } from '../access/text-ranges.js';
import { type Bound, boundOf, type ObjectRanges, objectRanges } from '../access/value-ranges.js';
import { type Binding, bindParameters, settledGraphs } from './bind-parameters.js';

interface SeenTerm {
  readonly term: Term;
  /** Null = the store did not know it. */
  readonly id: TermId | null;
}

interface SeenEstimate {
  readonly request: CountRequest;
  readonly estimate: Estimate;
}

/** What comparisons of a pattern's object with constants narrow it to. */
interface SeenRanges {
  /** Without the object, and about how many rows it has. */
  readonly request: CountRequest;
  readonly rows: number;
  readonly conditions: readonly Expression[];
  readonly found: ObjectRanges;
}

/** How many times more parts of the store a pattern's rows may lie in than when the plan was made. */
const PARTS_RATIO_MAX = 2;

/** Something to be asked of the registry of graphs, or of the list of them, in any snapshot. */
export type RegistryQuestion = (snapshot: StorageSnapshot) => readonly TermId[];
/** The same about a set of graphs that names stand for. */
export type GraphsQuestion = (snapshot: StorageSnapshot) => GraphSet | null;

/** How far estimates may be apart: by ratio, and, of few rows, by so many whatever their ratio. */
interface Closeness {
  readonly ratioMax: number;
  readonly rowsApartMax: number;
}

/** Of the same pattern at another time, and of one with another constant, which is more often another pattern's size. */
const SAME: Closeness = { ratioMax: 2, rowsApartMax: 32 };
const OTHER: Closeness = { ratioMax: 4, rowsApartMax: 200 };

export class PlanDependencies {
  readonly terms: SeenTerm[] = [];
  readonly estimates: SeenEstimate[] = [];
  readonly narrowed: SeenRanges[] = [];
  /** What the registry said, and which graphs there are. */
  readonly registry = new Map<RegistryQuestion, readonly TermId[]>();
  /** Which graphs names stood for. */
  readonly graphs = new Map<GraphsQuestion, GraphSet | null>();

  /** How many answers were written down. */
  get size(): number {
    const listed = [...this.registry.values()].reduce((sum, { length }) => sum + length, 0);
    return this.terms.length + this.estimates.length + this.narrowed.length + listed + this.graphs.size;
  }

  /** The ranges that can be made for other constants. */
  get ranges(): ReadonlySet<readonly IdRange[]> {
    return new Set(this.narrowed.map(({ found }) => found.ranges));
  }

  /**
   * What stands for the constants of a query: their slots with the ids that were found. Null where an id is
   * also something else's, so that the two can't be told apart in a plan.
   */
  slotIds(others: Iterable<TermId>): ReadonlyMap<SlotTerm, TermId | null> | null {
    const taken = new Set<TermId>([ROOT_ID, ...[...this.registry.values()].flat(), ...others]);
    for (const graphs of this.graphs.values()) for (const id of graphs === null ? [] : graphsIn(graphs)) taken.add(id);
    for (const { term, id } of this.terms) if (id !== null && !isSlot(term)) taken.add(id);
    const slots = new Map<SlotTerm, TermId | null>();
    for (const { term, id } of this.terms) {
      if (!isSlot(term)) continue;
      if (id !== null && taken.has(id)) return null;
      if (id !== null) taken.add(id);
      slots.set(term, id);
    }
    return slots;
  }

  /**
   * The same dependencies about other constants, when they hold in the snapshot; null when they don't.
   * `settled`: without the constants they are known to hold.
   */
  boundTo(to: Binding, snapshot: StorageSnapshot, settled: boolean): PlanDependencies | null {
    const bound = new PlanDependencies();
    for (const [question, ids] of this.registry) {
      if (!settled && !sameIds(ids, question(snapshot))) return null;
      bound.registry.set(question, ids);
    }
    for (const [question, graphs] of this.graphs) {
      if (!settled && !sameGraphs(graphs, question(snapshot))) return null;
      bound.graphs.set(question, graphs);
    }
    for (const { term, id } of this.terms) {
      const now = to.terms.get(term);
      if (now === undefined && !settled && snapshot.encode(plainTerm(term)) !== id) return null;
      bound.terms.push({ term: now ?? term, id: now === undefined || id === null ? id : (to.ids.get(id) ?? id) });
    }
    for (const { request, estimate } of this.estimates) {
      const now = bindParameters(request, to);
      const found = now === request && settled ? estimate : snapshot.estimate(now);
      if (!isClose(estimate, found, now === request ? SAME : OTHER)) return null;
      bound.estimates.push({ request: now, estimate: found });
    }
    return this.narrowed.every((seen) => bound.narrowAnew(seen, to, snapshot, settled)) ? bound : null;
  }

  private narrowAnew(seen: SeenRanges, to: Binding, snapshot: StorageSnapshot, settled: boolean): boolean {
    const request = bindParameters(seen.request, to);
    const conditions = bindParameters(seen.conditions, to);
    const same = request === seen.request && conditions === seen.conditions;
    if (settled && same) {
      this.narrowed.push(seen);
      return true;
    }
    const bounds = conditions.flatMap((condition) => boundOf(condition) ?? textBoundOf(condition) ?? []);
    if (bounds.length < conditions.length) return false;
    const found = rangesIn(snapshot, request, bounds, seen.rows);
    if (found === null) return false;
    const before = seen.found;
    // The plan has left the comparisons out where the ranges say it all.
    if (found.exact !== before.exact || (found.ranges.length === 0) !== (before.ranges.length === 0)) return false;
    if (!isClose(rowsOf(before), rowsOf(found), same ? SAME : OTHER)) return false;
    const ranges = sameRanges(found.ranges, before.ranges) ? before.ranges : found.ranges;
    if (ranges !== before.ranges) to.ranges.set(before.ranges, ranges);
    this.narrowed.push({ request, rows: seen.rows, conditions, found: { ...found, ranges } });
    return true;
  }

  /** True when a plan that was made of these dependencies is right as it is, and still good, for the snapshot. */
  holdIn(snapshot: StorageSnapshot): boolean {
    const asIs = { ids: new Map(), terms: new Map(), ranges: new Map() };
    return this.boundTo(asIs, snapshot, false) !== null && asIs.ranges.size === 0;
  }
}

/** Ranges that are not exact say nothing of the answer by themselves; that there are none is noted apart. */
function rowsOf({ rows }: ObjectRanges): Estimate {
  return { rows, exact: false };
}

/** Null where nothing is narrowed. Where a text is sought, that is what narrows. */
function rangesIn(
  snapshot: StorageSnapshot,
  request: CountRequest,
  bounds: readonly (Bound | TextBound)[],
  rows: number,
): ObjectRanges | null {
  const texts = bounds.filter((bound): bound is TextBound => 'text' in bound);
  const found = texts.length === 0 ? null : textRanges(snapshot, request, rows, texts);
  if (found !== null) return found;
  const values = bounds.filter((bound): bound is Bound => !('text' in bound));
  if (values.length === 0) return null;
  const within = objectRanges(values, (range) =>
    snapshot.estimate({ ...request, pattern: { ...request.pattern, o: { kind: 'ranges', ranges: [range] } } }),
  );
  return texts.length === 0 ? within : { ...within, exact: false };
}

function sameRanges(a: readonly IdRange[], b: readonly IdRange[]): boolean {
  return a.length === b.length && a.every(({ from, to }, at) => from === b[at]?.from && to === b[at]?.to);
}

export function sameIds(a: readonly TermId[], b: readonly TermId[]): boolean {
  return a === b || (a.length === b.length && a.every((id, at) => id === b[at]));
}

/** What surely matched nothing may have been left out of the plan, so it has to match nothing still. */
function isClose(before: Estimate, now: Estimate, { ratioMax, rowsApartMax }: Closeness): boolean {
  if (before.rows === 0) return now.rows === 0 && (now.exact || !before.exact);
  // Rows that lie in more or fewer parts of the store than they did are better looked up, or read, in another way.
  const [fewer, more] = [before.parts ?? 1, now.parts ?? 1].sort((a, b) => a - b) as [number, number];
  if (more > PARTS_RATIO_MAX * fewer) return false;
  const least = Math.min(before.rows, now.rows);
  return Math.max(before.rows, now.rows) <= ratioMax * least + rowsApartMax;
}

/** A snapshot for a planner; it belongs to whoever made the one behind it. */
export class TrackedSnapshot extends DelegatingSnapshot {
  readonly dependencies = new PlanDependencies();
  private readonly ids = new Map<Term, TermId | null>();

  constructor(private readonly inner: StorageSnapshot) {
    super();
  }

  protected use<Result>(ask: (snapshot: StorageSnapshot) => Result): Result {
    return ask(this.inner);
  }

  /** For what only estimates rest on. */
  get untracked(): StorageSnapshot {
    return this.inner;
  }

  override encode(term: Term): TermId | null {
    return getOrInsert(this.ids, term, () => {
      const id = this.inner.encode(plainTerm(term));
      this.dependencies.terms.push({ term, id });
      return id;
    });
  }

  override estimate(request: CountRequest): Estimate {
    const estimate = this.inner.estimate(request);
    this.dependencies.estimates.push({ request, estimate });
    return estimate;
  }

  /** The ranges of ids that the object of a pattern of so many rows may be in; the request has no object. Null: any. */
  objectRanges(request: CountRequest, bounds: readonly (Bound | TextBound)[], rows: number): ObjectRanges | null {
    const found = rangesIn(this.inner, request, bounds, rows);
    if (found !== null) {
      this.dependencies.narrowed.push({ request, rows, conditions: bounds.map(({ condition }) => condition), found });
    }
    return found;
  }

  override graphs(): readonly TermId[] {
    return this.registry(allGraphs);
  }

  /** What the registry of graphs says, asked once and noted. */
  registry(question: RegistryQuestion): readonly TermId[] {
    return getOrInsert(this.dependencies.registry, question, () => question(this.inner));
  }

  /** The set of graphs that names stand for, asked once and noted. */
  graphSet(question: GraphsQuestion): GraphSet | null {
    const graphs = question(this.inner);
    if (graphs !== null) settledGraphs.add(graphs);
    this.dependencies.graphs.set(question, graphs);
    return graphs;
  }

  override close(): void {
    // The owner of the snapshot behind it does.
  }
}

function allGraphs(snapshot: StorageSnapshot): readonly TermId[] {
  return snapshot.graphs();
}

/** The terms of a query as its planner uses them. */
export class PlanTerms {
  /** The plan holds ids that only this run of the query knows. */
  local = false;

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly terms: QueryTerms,
  ) {}

  get scope(): QueryScope {
    return this.terms.scope;
  }

  /** The id of a constant of a pattern; null = the store does not know it and nothing matches. */
  encodeStored(term: Term): TermId | null {
    return this.snapshot.encode(term);
  }

  /** The id of any term. A plan with an id that is not stored can't be kept; rows are encoded when it runs. */
  encode(term: Term): TermId {
    const plain = plainTerm(term);
    const id = this.snapshot.encode(term);
    if (id !== null && !this.terms.matched.storedNumbers.isAbsent(plain)) return id;
    this.local = true;
    return this.terms.encode(plain);
  }

  termOf(id: TermId): Term {
    return this.terms.termOf(id);
  }
}
