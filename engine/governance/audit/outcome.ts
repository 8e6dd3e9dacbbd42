/** Whether what was done about a constraint is what its outcome, its class and its effect ask for. */

import { DENY, ESCALATING } from '../policies.js';
import type { Findings } from './findings.js';
import type { SpecEntry, SpecSet } from './spec-set.js';
import type { TraceConstraint, TraceRecord } from './trace-file.js';
import type { TracePass } from './trace-pass.js';

const OUTCOMES = ['satisfied', 'unsatisfied', 'unknown'];
const RESPONSES = ['blocked', 'warned', 'logged', 'escalated', 'no-action'];

export class OutcomePass implements TracePass {
  constructor(
    private readonly spec: SpecSet,
    private readonly findings: Findings,
  ) {}

  see({ constraints, mode }: TraceRecord, record: number): void {
    for (const constraint of constraints) {
      const place = { record, constraint: constraint.id };
      const declared = constraint.id === null ? undefined : this.spec.get(constraint.id);
      for (const detail of wronglyBlocked(constraint, declared, mode)) {
        this.findings.violation('outcome', detail, place);
      }
      const detail = mode === 'enforce' ? notEnforced(constraint, declared) : null;
      if (detail !== null) this.findings.violation('outcome', detail, place);
      for (const gap of gapsOf(constraint)) this.findings.incomplete('outcome', gap, place);
    }
  }
}

function* wronglyBlocked(
  { outcome, response, class: of }: TraceConstraint,
  declared: SpecEntry | undefined,
  mode: string | null,
): Generator<string> {
  if (response !== 'blocked') return;
  if (outcome === 'satisfied') yield 'satisfied, and blocked';
  if ((of ?? declared?.class) === 'soft') yield 'blocked, and its class is soft';
  if (mode === 'advise') yield 'blocked, and the mode is advise';
  if (declared?.effect === 'record') yield 'blocked, and its effect is record';
}

/** What is soft never blocks, whatever its effect; of a response that nobody knows nothing can be said. */
function notEnforced(
  { outcome, response, class: of }: TraceConstraint,
  declared: SpecEntry | undefined,
): string | null {
  if (outcome !== 'unsatisfied' || declared === undefined) return null;
  if (response === null || !RESPONSES.includes(response) || (declared.class ?? of) === 'soft') return null;
  const { effect } = declared;
  const due = effect === DENY ? ['blocked'] : ESCALATING.includes(effect) ? ['blocked', 'escalated'] : RESPONSES;
  if (due.includes(response)) return null;
  return `unsatisfied under enforce, its effect is ${effect}, and the response is ${response}`;
}

function* gapsOf({ outcome, response }: TraceConstraint): Generator<string> {
  if (outcome === null) yield 'no outcome was recorded';
  else if (!OUTCOMES.includes(outcome)) yield `the outcome is '${outcome}'; there are ${OUTCOMES.join(', ')}`;
  else if (outcome === 'unknown') yield 'the outcome is unknown';
  if (response === null) yield 'no response was recorded';
  else if (!RESPONSES.includes(response)) yield `the response is '${response}'; there are ${RESPONSES.join(', ')}`;
  if (outcome === 'unsatisfied' && response === 'no-action') yield 'unsatisfied, and nothing was done';
}
