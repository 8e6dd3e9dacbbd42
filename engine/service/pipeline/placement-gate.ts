/** The placement gate (`governance.validate_placement`; semantics of reasoning, 5.4): policies and predicates that a write touches have to stand where they can be. */

import { misplaced, ungrounded } from '../../governance/placement.js';
import { GovernanceReader } from '../../governance/records.js';
import type { Gate, StagedWrite, Verdict } from '../gates/gates.js';
import { judgedGraphs, touchedNodes } from './touched-nodes.js';

const ACCEPTED: Verdict = { kind: 'accepted', findings: [] };

export class PlacementGate implements Gate {
  readonly name = 'placement';

  /** `baseNamespace`: of the store, in which the governance vocabulary lives. */
  constructor(private readonly baseNamespace: () => string) {}

  judge(write: StagedWrite): Verdict {
    if (write.changes.graphs.length === 0) return ACCEPTED;
    const base = this.baseNamespace();
    const [policy, predicate] = [`${base}Policy`, `${base}Predicate`];
    const reader = new GovernanceReader(write.after, base);
    for (const { id } of judgedGraphs(write)) {
      const wanted = (of: string): boolean => of === policy || of === predicate;
      for (const { node, classes } of touchedNodes(write, id, wanted, { withBlanks: true })) {
        const record = reader.term(node);
        for (const of of classes) {
          const reason = of === policy ? misplaced(record, reader) : ungrounded(record);
          if (reason !== null) return refusal(record.node, of === policy ? 'policy' : 'predicate', reason);
        }
      }
    }
    return ACCEPTED;
  }
}

function refusal(node: string, what: string, reason: string): Verdict {
  return {
    kind: 'refused',
    code: 'refused_placement',
    message: `the ${what} '${node}' can't stand like that: ${reason}`,
    hint: 'change what the write says of it; policies that are not touched are not judged',
    findings: [],
    details: { entity: node },
  };
}
