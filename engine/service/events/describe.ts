/**
 * What the pipeline needs to describe a write, loaded with the first one; and the two events that stand for a write as a
 * whole: that of an episode, and that of a write that a gate refused.
 */

import type { OwnEvent } from '../../storage/seam/event-log.js';
import { EPISODE_PREFIX, localName, sourceOfEpisode } from '../episodes/names.js';
import type { DescribedChanges } from './describe-write.js';
import { EPISODE_INGESTED, WRITE_REFUSED } from './kinds.js';

export { describeChanges } from './describe-write.js';
export { FirstUses } from './first-uses.js';
export { addGraphEvents, addLoadedGraphs, graphOfStage } from './graph-events.js';

const EPISODE_SOURCE = sourceOfEpisode('');
const REASON_MAX = 500;

/**
 * The event that leads those of a write of an episode: whoever writes under the source of an episode ingests it.
 * Null for a write of anything else, and for one that changed nothing. `activity` null: the write came under the source of an
 * episode without being one, and the name says which it is.
 */
export function episodeEvent(
  source: string | undefined,
  { graph, statements }: DescribedChanges,
  activity: string | null,
  baseNamespace: string,
): OwnEvent | null {
  if (source?.startsWith(EPISODE_SOURCE) !== true || statements === 0) return null;
  const name = source.slice(EPISODE_SOURCE.length);
  const subject = activity ?? `${baseNamespace}${EPISODE_PREFIX}${localName(name)}`;
  return { type: EPISODE_INGESTED, subject, payload: { graph, name, facts: statements } };
}

export interface RefusedWrite {
  readonly gate: string;
  /** IRI of the graph that it was for. */
  readonly graph: string;
  readonly actor: string | null;
  readonly source: string | null;
  /** Statements that it would have asserted or retracted. */
  readonly statements: number;
}

/** What the log says of a refused write: who wanted what, never what the statements were. */
export function refusalEvent({ gate, graph, actor, source, statements }: RefusedWrite, reason: string): OwnEvent {
  const cut = [...reason].slice(0, REASON_MAX).join('');
  return {
    type: WRITE_REFUSED,
    subject: graph,
    payload: { gate, graph, actor, source, reason: cut, refused_datums: statements },
  };
}
