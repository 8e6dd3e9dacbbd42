/**
 * The operations that are commands, in the order in which help lists them. They stand apart from the others, so that a
 * command does not wait for what only a server offers.
 */

import { backup } from './backup.js';
import { compact } from './compact.js';
import { contradictions } from './contradictions.js';
import { cord } from './cord.js';
import { entityHistory } from './entity-history.js';
import { episode } from './episode.js';
import { events } from './events.js';
import { eventsCommit } from './events-commit.js';
import { eventsRefusals } from './events-refusals.js';
import { explain } from './explain.js';
import { exportOperation } from './export.js';
import { fold } from './fold.js';
import { graphCreate } from './graph-create.js';
import { graphs } from './graphs.js';
import { knot } from './knot.js';
import { MEMORY_COMMANDS } from './memory-commands.js';
import { type CommandOperation, isCommand } from './operation.js';
import { queriesCancel } from './queries-cancel.js';
import { queriesRunning } from './queries-running.js';
import { QUERY_COMMANDS } from './query-commands.js';
import { read } from './read.js';
import { repair } from './repair.js';
import { retract } from './retract.js';
import { retractSource } from './retract-source.js';
import { set } from './set.js';
import { SHAPE_COMMANDS } from './shape-commands.js';
import { stats } from './stats.js';
import { SUBSCRIPTION_COMMANDS } from './subscription-commands.js';
import { transactions } from './transactions.js';
import { unravel } from './unravel.js';
import { update } from './update.js';
import { validate } from './validate.js';
import { verify } from './verify.js';

export const COMMANDS: readonly CommandOperation[] = [
  knot,
  episode,
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
  contradictions,
  events,
  eventsCommit,
  eventsRefusals,
  graphs,
  graphCreate,
  stats,
  exportOperation,
  validate,
  verify,
  backup,
  fold,
  compact,
  repair,
  queriesRunning,
  queriesCancel,
  ...SHAPE_COMMANDS,
  ...QUERY_COMMANDS,
  ...MEMORY_COMMANDS,
  ...SUBSCRIPTION_COMMANDS,
].filter(isCommand);
