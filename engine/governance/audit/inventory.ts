/** Whether all that agents can dispatch is governed somewhere: the tool classes of a store, against its policies. */

import { localName } from '../../validate/likeness.js';
import { type GovernanceReader, type GovernanceRecord, LABEL } from '../records.js';
import { Findings } from './findings.js';
import { isTrue, type SpecSet } from './spec-set.js';

export interface InventoryAudit {
  readonly findings: Findings;
  readonly classes: number;
}

export function auditInventory(reader: GovernanceReader, spec: SpecSet): InventoryAudit {
  const findings = new Findings();
  const classes = reader.ofClass('ToolClass');
  if (classes.length === 0) {
    findings.incomplete('inventory', 'no tool class is declared, so that nothing is known of what can be dispatched');
    return { findings, classes: 0 };
  }
  for (const one of classes) judgeClass(one, findings);
  const executable = classes.filter(isExecutable);
  const points = new Set(executable.flatMap((one) => one.all('governedAt')));
  for (const { id: constraint, point } of spec.values()) {
    if (point === null || points.has(point)) continue;
    const detail = `verified at ${point}, where no executable tool class is governed`;
    findings.violation('inventory', detail, { constraint });
  }
  return { findings, classes: classes.length };
}

const isExecutable = (one: GovernanceRecord): boolean => one.all('executable').some(isTrue);

function judgeClass(one: GovernanceRecord, findings: Findings): void {
  const name = `the tool class ${one.one(LABEL) ?? localName(one.node)}`;
  if (one.one('executable') === null) findings.incomplete('inventory', `${name} does not say whether it is executable`);
  if (isExecutable(one) && one.one('governedAt') === null) {
    const reason = one.one('ungovernedReason');
    const instead = one.one('enforcedInsteadAt');
    const where = instead === null ? '' : `; enforced at ${instead}`;
    if (reason === null)
      findings.violation('inventory', `${name} is executable, and governed nowhere without a reason`);
    else findings.incomplete('inventory', `${name} is governed nowhere: ${reason}${where}`);
  }
  if (!one.all('importsUntrustedState').some(isTrue)) return;
  const origin = one.one('untrustedOrigin');
  if (origin === null) findings.violation('inventory', `${name} imports untrusted state, and does not say from where`);
  else findings.incomplete('inventory', `${name} imports untrusted state from ${origin}`);
}
