/**
 * Plans of texts that were asked before, for one store. A text with the same options goes straight to
 * operators:
 *
 *  1. The key is the text with every option that shapes a plan.
 *  2. At the transaction that a plan was last found right for, it is right.
 *  3. At another one, what the planner saw (`observed.ts`) is looked at again, the classes below the
 *     classes that the text names included. Where that moved, the query is planned anew.
 *
 * Views of a stage are planned by themselves: their ids are not settled. What was used least recently goes
 * first when there are too many plans or too many bytes of them.
 */

import type { Term } from '../../rdf/terms.js';
import type { TxId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/scan.js';
import type { KnownClass } from '../inference/hierarchy.js';
import type { InferenceReport, NamedClass } from '../inference/infer-classes.js';
import type { Plan } from './plan.js';
import type { Planned } from './planned.js';

/** Plans that are kept: the questions of an application, and some more. */
const PLANS_MAX = 1000;
const PLANS_BYTES_MAX = 64 * 2 ** 20;
/** A node of a plan with its facts, and what the planner noted for it: measured, roughly. */
const NODE_BYTES = 2500;
const OBSERVATION_BYTES = 300;

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
  /** Queries that were planned. */
  misses: number;
  /** Of the misses: a plan was there, and the store had moved. */
  outdated: number;
}

interface Entry {
  readonly kept: KeptPlan;
  readonly bytes: number;
  /** The transaction at which it was last found right. */
  tx: TxId;
}

export class PlanCache {
  readonly counters: PlanCounters = { hits: 0, misses: 0, outdated: 0 };
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  constructor(
    private readonly plansMax = PLANS_MAX,
    private readonly bytesMax = PLANS_BYTES_MAX,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get sizeBytes(): number {
    return this.bytes;
  }

  /** Null when the text has to be planned. */
  async find(key: string, snapshot: StorageSnapshot, below: ClassLookup): Promise<KeptPlan | null> {
    const entry = this.entries.get(key);
    if (entry === undefined) {
      this.counters.misses++;
      return null;
    }
    if (entry.tx !== snapshot.tx && !(await this.holds(entry.kept, snapshot, below))) {
      this.counters.misses++;
      this.counters.outdated++;
      this.forget(key);
      return null;
    }
    entry.tx = snapshot.tx;
    // Behind all others, as the one that was used last.
    if (this.entries.delete(key)) this.entries.set(key, entry);
    this.counters.hits++;
    return entry.kept;
  }

  keep(key: string, kept: KeptPlan, tx: TxId): void {
    const { plan, observations } = kept.planned;
    if (observations === null) return;
    this.forget(key);
    const bytes = 2 * key.length + NODE_BYTES * nodesOf(plan) + OBSERVATION_BYTES * observations.size;
    if (bytes > this.bytesMax) return;
    this.entries.set(key, { kept, bytes, tx });
    this.bytes += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.plansMax && this.bytes <= this.bytesMax) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.bytes -= entry.bytes;
  }

  private async holds({ planned, classes }: KeptPlan, snapshot: StorageSnapshot, below: ClassLookup): Promise<boolean> {
    return planned.observations?.holdIn(snapshot) === true && (await sameClasses(classes, below));
  }
}

async function sameClasses(classes: readonly NamedClass[], belowNow: ClassLookup): Promise<boolean> {
  for (const { type, below } of classes) {
    const now = await belowNow(type);
    if (now === below) continue;
    if (now === null || below === null || now.ids.length !== below.ids.length) return false;
    if (!now.ids.every((id, at) => id === below.ids[at])) return false;
  }
  return true;
}

function nodesOf(plan: Plan): number {
  let nodes = 1;
  for (const input of plan.inputs) nodes += nodesOf(input);
  return plan.action.kind === 'apply' ? nodes + nodesOf(plan.action.inner) : nodes;
}
