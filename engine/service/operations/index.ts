/** Every operation of the service. */

import { ask } from './ask.js';
import { changes } from './changes.js';
import { COMMANDS } from './commands.js';
import { entity } from './entity.js';
import { episodesComplete } from './episodes-complete.js';
import { fragments } from './fragments.js';
import { graphCounts } from './graph-counts.js';
import { graphRead } from './graph-read.js';
import { graphDelete, graphMerge, graphReplace } from './graph-write.js';
import type { Operation } from './operation.js';
import { preview } from './preview.js';
import { queries } from './queries.js';
import { queryList } from './query-reads.js';
import { reconcile } from './reconcile.js';
import { resolveEntity } from './resolve-entity.js';
import { retractEpisode } from './retract-episode.js';
import { shapeList, shapeSet } from './shape-reads.js';
import { shapes } from './shapes.js';
import { spotlight } from './spotlight.js';
import { subscriptions } from './subscriptions.js';
import { version } from './version.js';
import { voidDescription } from './void.js';

export const OPERATIONS: readonly Operation[] = [
  ...COMMANDS.filter(({ isForm }) => isForm !== true),
  changes,
  episodesComplete,
  retractEpisode,
  resolveEntity,
  reconcile,
  spotlight,
  entity,
  preview,
  fragments,
  graphCounts,
  graphRead,
  graphReplace,
  graphMerge,
  graphDelete,
  queries,
  queryList,
  subscriptions,
  shapes,
  shapeList,
  shapeSet,
  ask,
  version,
  voidDescription,
];
