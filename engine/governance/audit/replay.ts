/** What would have come of a trace, had the policies of the store stood at the gate: figures of each constraint that it cites. */

import type { Control } from '../../base/control.js';
import { addTo, getOrInsert } from '../../base/maps.js';
import { DENY, ESCALATING } from '../policies.js';
import type { SpecEntry, SpecSet } from './spec-set.js';
import type { TraceCounts, TraceRecord, TraceSource } from './trace-file.js';
import { Remembered, runPasses, type TracePass } from './trace-pass.js';

export interface ReplayedRule {
  readonly id: string;
  /** A policy of the store has this id. */
  readonly inSpec: boolean;
  readonly evaluated: number;
  readonly satisfied: number;
  readonly unsatisfied: number;
  /** Of the unsatisfied ones. */
  readonly blocked: number;
  readonly advisory: number;
  readonly wouldBlock: number;
  readonly newBlocks: number;
  /** Distinct paths on which it was unsatisfied. */
  readonly targets: number;
  /** Paths on which it blocked, and something was not denied later. */
  readonly recovered: number;
  /** Why the trace does not show that the rule can be enforced; null = nothing speaks against it. */
  readonly blocker: string | null;
}

export interface Replay extends TraceCounts {
  /** In the order of their ids. */
  readonly rules: readonly ReplayedRule[];
  /** Constraints that were cited without an id. */
  readonly nameless: number;
}

export async function replayTrace(source: TraceSource, spec: SpecSet, control: Control): Promise<Replay> {
  const pass = new ReplayPass(spec);
  const counts = await runPasses(source, [pass], control);
  return { ...counts, rules: pass.rules(), nameless: pass.nameless };
}

/** What is counted of a constraint. */
interface Tally {
  evaluated: number;
  satisfied: number;
  unsatisfied: number;
  blocked: number;
  readonly targets: Set<string>;
  recovered: number;
}

class ReplayPass implements TracePass {
  nameless = 0;
  readonly #tallies = new Map<string, Tally>();
  /** Those that blocked on a path on which nothing was let through since. */
  readonly #blockedOn = new Map<string, Tally[]>();
  /** Each pair of a constraint and a path on which it recovered counts once. */
  readonly #recovered = new Map<string, Set<Tally>>();
  readonly #remembered = new Remembered('paths of constraints');

  constructor(private readonly spec: SpecSet) {}

  see({ constraints, path, result }: TraceRecord): void {
    if (path !== null && result !== 'deny') this.#recover(path);
    for (const { id, outcome, response } of constraints) {
      if (id === null) {
        this.nameless++;
        continue;
      }
      const tally = this.#tallyOf(id);
      tally.evaluated++;
      if (outcome === 'satisfied') tally.satisfied++;
      if (outcome !== 'unsatisfied') continue;
      tally.unsatisfied++;
      if (response === 'blocked') tally.blocked++;
      if (path !== null) this.#fired(tally, path, response === 'blocked');
    }
  }

  rules(): ReplayedRule[] {
    const ids = [...this.#tallies.keys()].sort();
    return ids.map((id) => ruleOf(id, this.#tallies.get(id) as Tally, this.spec.get(id)));
  }

  #tallyOf(id: string): Tally {
    return getOrInsert(this.#tallies, id, () => {
      this.#remembered.add();
      return { evaluated: 0, satisfied: 0, unsatisfied: 0, blocked: 0, targets: new Set<string>(), recovered: 0 };
    });
  }

  #fired(tally: Tally, path: string, isBlocked: boolean): void {
    if (!tally.targets.has(path)) {
      this.#remembered.add();
      tally.targets.add(path);
    }
    if (!isBlocked || this.#recovered.get(path)?.has(tally) || this.#blockedOn.get(path)?.includes(tally)) return;
    this.#remembered.add();
    addTo(this.#blockedOn, path, tally);
  }

  #recover(path: string): void {
    const blocked = this.#blockedOn.get(path);
    if (blocked === undefined) return;
    const recovered = getOrInsert(this.#recovered, path, () => new Set());
    for (const tally of blocked) {
      tally.recovered++;
      recovered.add(tally);
    }
    this.#blockedOn.delete(path);
  }
}

function ruleOf(id: string, tally: Tally, declared: SpecEntry | undefined): ReplayedRule {
  const { evaluated, satisfied, unsatisfied, blocked, targets, recovered } = tally;
  const blocks = declared !== undefined && declared.class !== 'soft' && isBlocking(declared.effect);
  const wouldBlock = blocks ? unsatisfied : 0;
  return {
    id,
    inSpec: declared !== undefined,
    evaluated,
    satisfied,
    unsatisfied,
    blocked,
    advisory: unsatisfied - blocked,
    wouldBlock,
    newBlocks: Math.max(0, wouldBlock - blocked),
    targets: targets.size,
    recovered,
    blocker: blockerOf(tally, declared),
  };
}

const isBlocking = (effect: string): boolean => effect === DENY || ESCALATING.includes(effect);

function blockerOf({ satisfied, unsatisfied, blocked, recovered }: Tally, declared: SpecEntry | undefined) {
  if (declared === undefined) return 'no policy of the store has this id';
  if (unsatisfied === 0) return 'one-sided: it was never unsatisfied, so that nothing shows that it can fire';
  if (satisfied === 0) return 'one-sided: it was never satisfied, so that nothing shows that it can be met';
  if (blocked > 0 && recovered === 0) return 'nothing that it blocked went on later';
  return null;
}
