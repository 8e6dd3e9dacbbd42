/**
 * Plans of texts that were asked before, for one store. A text with the same options goes straight to
 * operators:
 *
 *  1. The key is the text with every option that shapes a plan.
 *  2. At the transaction that a plan was last found right for, it is right.
 *  3. At another one, what the planner saw (`dependencies.ts`) is looked at again, the classes below the
 *     classes that the text names included. Where that moved, the query is planned anew.
 *
 * A text that differs from another in constants only (`parse/templates/query-templates.ts`, parameters) takes that one's plan with
 * its own constants put in, when nobody looked at the other constants' values to make the plan, and the
 * patterns with the new ones are of about the same size. Otherwise it is planned, and the shape has one more plan.
 *
 * Views of a stage are planned by themselves: their ids are not settled. What was used least recently goes
 * first when there are too many plans or too many bytes of them.
 */

import { BoundedMap } from '../../../base/bounded-map.js';
import type { Term } from '../../../rdf/terms.js';
import type { TermId, TxId } from '../../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../../storage/seam/scan.js';
import type { SlotTerm, SlotValue } from '../../algebra/slot.js';
import type { KnownClass } from '../../inference/hierarchy.js';
import type { InferenceReport, NamedClass } from '../../inference/infer-classes.js';
import type { Plan } from '../../physical/plan.js';
import { bindParameters, bindPlan, isBindable } from './bind-parameters.js';
import { sameIds } from './dependencies.js';
import type { Planned } from './planned.js';

/** Plans that are kept: the questions of an application, and some more. */
const PLANS_MAX = 1000;
const PLANS_BYTES_MAX = 64 * 2 ** 20;
/** Plans of one shape for constants of different weight. */
const PLANS_PER_SHAPE_MAX = 4;
/** A node of a plan with its facts, and what the planner noted for it: measured, roughly. */
const NODE_BYTES = 2500;
const DEPENDENCY_BYTES = 300;

export interface KeptPlan {
  readonly planned: Planned;
  readonly classes: readonly NamedClass[];
  readonly inference: InferenceReport | null;
}

/** The classes below a class, in the store of the moment. */
export type ClassLookup = (type: Term) => Promise<KnownClass | null>;

export interface PlanCounters {
  /** Queries that ran a plan that was kept. */
  hits: number;
  /** Of the hits: with a plan that was made for other constants. */
  rebound: number;
  /** Queries that were planned. */
  misses: number;
  /** Plans that were dropped since the store had moved. */
  outdated: number;
}

/** When a plan was last found right. */
interface Moment {
  tx: TxId;
  layout: number | undefined;
}

interface Entry extends Moment {
  readonly kept: KeptPlan;
}

/** A plan that serves other constants, too. */
interface ShapedPlan extends Entry {
  /** The constants that it was made with, and their ids. */
  readonly slots: readonly SlotTerm[];
  readonly ids: ReadonlyMap<SlotTerm, TermId | null>;
}

export class PlanCache {
  readonly counters: PlanCounters = { hits: 0, rebound: 0, misses: 0, outdated: 0 };
  private readonly texts: BoundedMap<Entry>;
  private readonly shaped: BoundedMap<readonly ShapedPlan[]>;
  /** By shape, which of its constants a plan was made for. */
  private readonly inspected: BoundedMap<readonly number[]>;

  constructor(plansMax = PLANS_MAX, bytesMax = PLANS_BYTES_MAX) {
    this.texts = new BoundedMap(plansMax, bytesMax);
    this.shaped = new BoundedMap(plansMax, bytesMax);
    this.inspected = new BoundedMap(plansMax);
  }

  get size(): number {
    return this.texts.size;
  }

  get sizeBytes(): number {
    return this.texts.sizeBytes;
  }

  /** The plan of a text; null when there is none that is right. */
  async find(key: string, snapshot: StorageSnapshot, below: ClassLookup): Promise<KeptPlan | null> {
    const entry = this.texts.use(key);
    if (entry === undefined) return null;
    if (!isSettled(entry, snapshot) && !(await holds(entry.kept, snapshot, below))) {
      this.counters.outdated++;
      this.texts.delete(key);
      return null;
    }
    entry.tx = snapshot.tx;
    entry.layout = snapshot.layout;
    this.counters.hits++;
    return entry.kept;
  }

  keep(key: string, kept: KeptPlan, { tx, layout }: StorageSnapshot): void {
    if (kept.planned.dependencies !== null) this.texts.set(key, { kept, tx, layout }, 2 * key.length + bytesOf(kept));
  }

  /** A plan of the shape with the values for its constants; null when none fits. */
  async findShaped(
    shape: string,
    values: readonly SlotValue[],
    snapshot: StorageSnapshot,
    below: ClassLookup,
  ): Promise<KeptPlan | null> {
    const inspected = this.inspected.use(shape);
    if (inspected === undefined) return null;
    const plans = this.shaped.use(shapedKey(shape, inspected, values));
    for (const shaped of plans ?? []) {
      const settled = isSettled(shaped, snapshot);
      if (!settled && !(await sameClasses(shaped.kept.classes, below))) continue;
      const kept = bindKept(shaped, values, snapshot, settled);
      if (kept === null) continue;
      this.counters.rebound++;
      this.counters.hits++;
      return kept;
    }
    return null;
  }

  keepShaped(shape: string, slots: readonly SlotTerm[], kept: KeptPlan, snapshot: StorageSnapshot): void {
    const { tx, layout } = snapshot;
    const { plan, dependencies } = kept.planned;
    if (dependencies === null || !isBindable(plan, dependencies.ranges)) return;
    const ids = dependencies.slotIds(kept.classes.flatMap(({ below }) => below?.ids ?? []));
    if (ids === null) return;
    const before = this.inspected.use(shape) ?? [];
    const inspected = slots.flatMap((slot, at) => (slot.inspected || before.includes(at) ? [at] : []));
    this.inspected.set(shape, inspected);
    const key = shapedKey(
      shape,
      inspected,
      slots.map(({ plain }) => plain),
    );
    const plans = [{ kept, slots, ids, tx, layout }, ...(this.shaped.use(key) ?? [])].slice(0, PLANS_PER_SHAPE_MAX);
    const bytes = plans.reduce((sum, one) => sum + bytesOf(one.kept), 2 * key.length);
    this.shaped.set(key, plans, bytes);
  }
}

/** True when estimates need not be made again. */
function isSettled({ tx, layout }: Moment, snapshot: StorageSnapshot): boolean {
  return tx === snapshot.tx && layout === snapshot.layout;
}

async function holds({ planned, classes }: KeptPlan, snapshot: StorageSnapshot, below: ClassLookup): Promise<boolean> {
  return planned.dependencies?.holdIn(snapshot) === true && (await sameClasses(classes, below));
}

function shapedKey(shape: string, inspected: readonly number[], values: readonly SlotValue[]): string {
  let key = shape;
  for (const at of inspected) key += `\n${at} ${JSON.stringify(values[at]?.value)}`;
  return key;
}

function bindKept(
  { kept, slots, ids }: ShapedPlan,
  values: readonly SlotValue[],
  snapshot: StorageSnapshot,
  settled: boolean,
): KeptPlan | null {
  const newTerms = new Map<Term, Term>();
  const newIds = new Map<TermId, TermId>();
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] as SlotTerm;
    const value = values[at] as SlotValue;
    newTerms.set(slot, value);
    const before = ids.get(slot);
    if (before === undefined) continue;
    const now = snapshot.encode(value);
    // What the store does not know, the plan has left out.
    if ((now === null) !== (before === null)) return null;
    if (before !== null && now !== null) newIds.set(before, now);
  }
  const to = { ids: newIds, terms: newTerms, ranges: new Map() };
  const dependencies = kept.planned.dependencies?.boundTo(to, snapshot, settled) ?? null;
  if (dependencies === null) return null;
  const { plan, reads, touched } = kept.planned;
  const bound = {
    plan: bindPlan(plan, to),
    reads: bindParameters(reads, to),
    touched: bindParameters(touched, to),
  };
  return { ...kept, planned: { ...kept.planned, ...bound, dependencies } };
}

function bytesOf({ planned: { plan, dependencies } }: KeptPlan): number {
  return NODE_BYTES * nodesOf(plan) + DEPENDENCY_BYTES * (dependencies?.size ?? 0);
}

async function sameClasses(classes: readonly NamedClass[], belowNow: ClassLookup): Promise<boolean> {
  for (const { type, below } of classes) {
    const now = await belowNow(type);
    if (now === below) continue;
    if (now === null || below === null || !sameIds(now.ids, below.ids)) return false;
  }
  return true;
}

function nodesOf(plan: Plan): number {
  return plan.inputs.reduce((nodes, input) => nodes + nodesOf(input), 1);
}
