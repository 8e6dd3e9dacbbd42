/** Whether records that judge something say who acted, on whose behalf, and by which tool. */

import type { Findings } from './findings.js';
import type { TraceRecord } from './trace-file.js';
import type { TracePass } from './trace-pass.js';

export class AttributionPass implements TracePass {
  constructor(private readonly findings: Findings) {}

  see({ constraints, chain, planner, executor, tool, attributionConflict }: TraceRecord, record: number): void {
    if (constraints.length === 0) return;
    if (attributionConflict) {
      this.findings.violation('attribution', 'those who are named contradict each other', { record });
    }
    const named = { principal_chain: chain.length > 0, planner, executor, tool };
    const missing = Object.entries(named).flatMap(([name, value]) => (value ? [] : [name]));
    if (missing.length > 0) this.findings.incomplete('attribution', `without ${missing.join(', ')}`, { record });
  }
}
