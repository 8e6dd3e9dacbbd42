/** Whether traces cite the policies that there are, and refusals have a reason. */

import type { Findings } from './findings.js';
import type { SpecSet } from './spec-set.js';
import type { TraceRecord } from './trace-file.js';
import type { TracePass } from './trace-pass.js';

export class CoveragePass implements TracePass {
  readonly #cited = new Set<string>();

  constructor(
    private readonly spec: SpecSet,
    private readonly findings: Findings,
  ) {}

  see({ result, constraints }: TraceRecord, record: number): void {
    for (const { id } of constraints) {
      if (id === null) this.findings.incomplete('coverage', 'a constraint without id', { record });
      else if (this.spec.has(id)) this.#cited.add(id);
      else {
        this.findings.violation('coverage', 'cited, and no policy of the store has this id', {
          record,
          constraint: id,
        });
      }
    }
    if (result === 'deny' && !constraints.some(({ outcome }) => outcome === 'unsatisfied')) {
      this.findings.violation('coverage', 'denied, and no constraint was unsatisfied', { record });
    }
  }

  end(): void {
    for (const constraint of this.spec.keys()) {
      if (!this.#cited.has(constraint)) this.findings.incomplete('coverage', 'never exercised', { constraint });
    }
  }
}
