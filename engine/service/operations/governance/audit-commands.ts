/** The audits, all of which are commands alone. */

import { isCommand } from '../definition/operation.js';
import { auditInventory, auditNamespace } from './audit-store.js';
import { auditInheritance, auditReplay, auditTrace, auditTree } from './audit-traces.js';

export const AUDIT_COMMANDS = [
  auditTrace,
  auditInventory,
  auditInheritance,
  auditReplay,
  auditTree,
  auditNamespace,
].filter(isCommand);
