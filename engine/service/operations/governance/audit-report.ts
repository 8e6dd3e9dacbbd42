/** What the audits that judge have in common: the report, and how a person reads it. */

import { withoutControls } from '../../../base/text.js';
import type { Findings } from '../../../governance/audit/findings.js';
import type { SpecSet } from '../../../governance/audit/spec-set.js';
import type { TraceSource } from '../../../governance/audit/trace-file.js';
import { nullable, type Static, Type, textOrNull } from '../../requests/schema.js';
import type { Store } from '../../store/store.js';

export const fileField = Type.String({
  minLength: 1,
  description: 'the trace: JSON Lines, a record in each; .gz and .zst are unpacked; - for standard input',
});

export const traceArgument = {
  field: 'file',
  name: 'file',
  summary: 'the trace, in JSON Lines; - for standard input',
} as const;

/** What a name means. */
export function traceOf(file: string, standardInput: (() => TraceSource) | undefined): TraceSource {
  return file === '-' && standardInput !== undefined ? standardInput() : file;
}

export const reportFields = {
  conforms: Type.Boolean('nothing was violated'),
  complete: Type.Boolean('everything could be judged'),
  records_checked: Type.Integer(),
  records_unreadable: Type.Integer('lines that are no record'),
  constraints_in_scope: Type.Integer(),
  summary: Type.String(),
  findings: Type.Array(
    Type.Object({
      pass: Type.String(),
      severity: Type.String('violation or incompleteness'),
      record: nullable(Type.Integer(), 'number of the record among the readable ones, from 0'),
      constraint: textOrNull,
      detail: Type.String(),
    }),
  ),
  findings_omitted: Type.Optional(Type.Integer('findings that are counted in the summary and not listed')),
};

const report = Type.Object(reportFields);
export type AuditReport = Static<typeof report>;

interface Checked {
  readonly records: number;
  readonly unreadable?: number;
  readonly constraints: number;
}

export function reportOf(
  findings: Findings,
  { records, unreadable = 0, constraints }: Checked,
  summary: string,
): AuditReport {
  const { violations, incompletenesses, kept, omitted } = findings;
  return {
    conforms: violations === 0,
    complete: incompletenesses === 0,
    records_checked: records,
    records_unreadable: unreadable,
    constraints_in_scope: constraints,
    summary,
    findings: kept,
    ...(omitted === 0 ? {} : { findings_omitted: omitted }),
  };
}

/** Whether a trace conforms to the policies, in a line. */
export function traceSummary(findings: Findings, { records, unreadable = 0, constraints }: Checked): string {
  const { violations, incompletenesses } = findings;
  const sign = violations === 0 ? '⊨' : '⊭';
  const found = `${violations} violation(s), ${incompletenesses} incompleteness(es)`;
  return `T ${sign} Σ: ${found} over ${records} record(s) against ${constraints} constraint(s); ${unreadable} line(s) unreadable`;
}

export function reportText({ summary, findings, findings_omitted: omitted = 0 }: AuditReport): string {
  const lines = findings.map(({ pass, severity, record, constraint, detail }) => {
    const at = record === null ? '' : ` record ${record}`;
    const about = constraint === null ? '' : ` [${constraint}]`;
    const line = `${severity === 'violation' ? 'VIOLATION' : 'incomplete'} ${pass}${at}${about}: ${detail}`;
    return `${withoutControls(line)}\n`;
  });
  const more = omitted === 0 ? '' : `${omitted} more are counted above and not listed\n`;
  return `${summary}\n${lines.join('')}${more}`;
}

/** The policies of a store that judge actions. */
export async function specOf(store: Store): Promise<SpecSet> {
  const [{ specSet }, { GovernanceReader }] = await Promise.all([
    import('../../../governance/audit/spec-set.js'),
    import('../../../governance/records.js'),
  ]);
  const snapshot = store.snapshot();
  try {
    return specSet(new GovernanceReader(snapshot.storage, store.baseNamespace));
  } finally {
    snapshot.close();
  }
}
