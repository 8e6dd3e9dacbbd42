/** The audit of a trace (semantics of reasoning, 5.10): what was done, against what the policies of the store ask for. */

import type { Control } from '../../base/control.js';
import { AttributionPass } from './attribution.js';
import { CoveragePass } from './coverage.js';
import { Findings } from './findings.js';
import { OutcomePass } from './outcome.js';
import { PlacementPass } from './placement-pass.js';
import type { SpecSet } from './spec-set.js';
import type { TraceCounts, TraceSource } from './trace-file.js';
import { runPasses } from './trace-pass.js';

export interface TraceAudit extends TraceCounts {
  readonly findings: Findings;
}

export async function auditTrace(source: TraceSource, spec: SpecSet, control: Control): Promise<TraceAudit> {
  const findings = new Findings();
  const passes = [
    new CoveragePass(spec, findings),
    new PlacementPass(spec, findings),
    new OutcomePass(spec, findings),
    new AttributionPass(findings),
  ];
  return { ...(await runPasses(source, passes, control)), findings };
}
