/** What the event log says of a write that a gate refused: who wanted what, never what the statements were. */

import type { OwnEvent } from '../../storage/seam/event-log.js';
import { WRITE_REFUSED } from './kinds.js';

const REASON_MAX = 500;

export interface RefusedWrite {
  readonly gate: string;
  /** IRI of the graph that it was for. */
  readonly graph: string;
  readonly actor: string | null;
  readonly source: string | null;
  /** Statements that it would have asserted or retracted. */
  readonly statements: number;
}

export function refusalEvent({ gate, graph, actor, source, statements }: RefusedWrite, reason: string): OwnEvent {
  const cut = [...reason].slice(0, REASON_MAX).join('');
  return {
    type: WRITE_REFUSED,
    subject: graph,
    payload: { gate, graph, actor, source, reason: cut, refused_datums: statements },
  };
}
