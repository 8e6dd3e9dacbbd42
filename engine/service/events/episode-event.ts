/** The event that leads those of a write of an episode: whoever writes under the source of an episode ingests it. */

import type { OwnEvent } from '../../storage/seam/event-log.js';
import { EPISODE_PREFIX, localName, sourceOfEpisode } from '../episodes/names.js';
import type { DescribedChanges } from './describe-write.js';
import { EPISODE_INGESTED } from './kinds.js';

const EPISODE_SOURCE = sourceOfEpisode('');

/**
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
