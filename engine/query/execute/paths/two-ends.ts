/**
 * Whether a path leads from one node to another: searches from both ends, the one with the smaller frontier
 * first, until they meet in a node and a state of the path, or one of them is at its end (bidirectional
 * search; Pohl, Machine Intelligence 6, 1971). Where each node has many neighbours, two searches of half
 * the depth read far less than one.
 */

import type { StorageSnapshot } from '../../../storage/seam/scan.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import type { OperatorStatistics } from '../../runtime/operator.js';
import { reversed } from './automaton.js';
import { EdgeSource } from './edge-source.js';
import type { ClosureSpec, WalkStep } from './spec.js';
import { Walker } from './walker.js';
import type { Task } from './work.js';

export class TwoEnds {
  private readonly forward: Walker;
  private readonly backward: Walker;
  private readonly backwardSource: EdgeSource;

  /** `source` holds the edges of the searches from the start, and numbers the nodes of both. */
  constructor(
    snapshot: StorageSnapshot,
    spec: ClosureSpec,
    source: EdgeSource,
    budget: MemoryBudget,
    statistics: OperatorStatistics,
  ) {
    const { states } = spec;
    const finals = states.flatMap(({ final }, state) => (final ? [state] : []));
    const back: ClosureSpec = { ...spec, steps: spec.steps.map(turned), states: reversed(states) };
    this.backwardSource = new EdgeSource(snapshot, back, budget, statistics, source.nodes);
    this.forward = new Walker(states, source, budget);
    this.backward = new Walker(back.states, this.backwardSource, budget, finals);
  }

  /** True when the path leads from the start to the end in at least one step. */
  *meet(start: number, end: number): Task<boolean> {
    const { forward, backward } = this;
    forward.begin(start, backward);
    backward.begin(end, forward);
    while (forward.frontier > 0 && backward.frontier > 0) {
      const nearer = forward.frontier <= backward.frontier ? forward : backward;
      yield* nearer.step();
      if (nearer.met) return true;
    }
    return false;
  }

  close(): void {
    this.forward.close();
    this.backward.close();
    this.backwardSource.close();
  }
}

function turned(step: WalkStep): WalkStep {
  return step.kind === 'never' ? step : { ...step, backward: !step.backward };
}
