/** What governance offers as commands alone. */

import { isCommand } from '../definition/operation.js';
import { auditInventory, auditNamespace } from './audit-store.js';
import { auditInheritance, auditReplay, auditTrace, auditTree } from './audit-traces.js';
import { policyBacktest } from './policy-backtest.js';
import { policyDraft } from './policy-draft.js';

export const GOVERNANCE_COMMANDS = [
  policyDraft,
  policyBacktest,
  auditTrace,
  auditInventory,
  auditInheritance,
  auditReplay,
  auditTree,
  auditNamespace,
].filter(isCommand);
