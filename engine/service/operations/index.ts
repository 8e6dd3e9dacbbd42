/** Every operation of the service, in the order in which help lists them. */

import { ask } from './ask.js';
import { backup } from './backup.js';
import { changes } from './changes.js';
import { compact } from './compact.js';
import { contradictions } from './contradictions.js';
import { cord } from './cord.js';
import { entity } from './entity.js';
import { entityHistory } from './entity-history.js';
import { explain } from './explain.js';
import { exportOperation } from './export.js';
import { fold } from './fold.js';
import { fragments } from './fragments.js';
import { graphCounts } from './graph-counts.js';
import { graphCreate } from './graph-create.js';
import { graphRead } from './graph-read.js';
import { graphDelete, graphMerge, graphReplace } from './graph-write.js';
import { graphs } from './graphs.js';
import { knot } from './knot.js';
import { type CommandOperation, isCommand, type Operation } from './operation.js';
import { preview } from './preview.js';
import { queries } from './queries.js';
import { read } from './read.js';
import { repair } from './repair.js';
import { retract } from './retract.js';
import { retractSource } from './retract-source.js';
import { set } from './set.js';
import { stats } from './stats.js';
import { transactions } from './transactions.js';
import { unravel } from './unravel.js';
import { update } from './update.js';
import { verify } from './verify.js';
import { version } from './version.js';
import { voidDescription } from './void.js';

export const OPERATIONS: readonly Operation[] = [
  knot,
  read,
  explain,
  update,
  set,
  retract,
  retractSource,
  cord,
  entityHistory,
  unravel,
  transactions,
  changes,
  contradictions,
  entity,
  preview,
  fragments,
  stats,
  graphCounts,
  exportOperation,
  graphs,
  graphCreate,
  graphRead,
  graphReplace,
  graphMerge,
  graphDelete,
  queries,
  ask,
  verify,
  backup,
  fold,
  compact,
  repair,
  version,
  voidDescription,
];

/** Those that are commands, too. */
export const COMMANDS: readonly CommandOperation[] = OPERATIONS.filter(isCommand);
