/**
 * The operations that are commands, in the order in which help lists them. They stand apart from the others, so that a
 * command does not wait for what only a server offers.
 */

import { backup } from './admin/backup.js';
import { compact, repair, restore } from './admin/file-care.js';
import { fold } from './admin/fold.js';
import { promote } from './admin/promote.js';
import { stats } from './admin/stats.js';
import { transactions } from './admin/transactions.js';
import { verify } from './admin/verify.js';
import { project } from './algorithms/project.js';
import { report } from './algorithms/report.js';
import { alignApply, alignDecide, alignPropose } from './alignment/alignment.js';
import { type CommandOperation, isCommand } from './definition/operation.js';
import { episode } from './episodes/episode.js';
import { MEMORY_COMMANDS } from './episodes/memory-commands.js';
import { eventsCommit, eventsRefusals } from './events/consumers.js';
import { events } from './events/events.js';
import { SUBSCRIPTION_COMMANDS } from './events/subscription-commands.js';
import { contradictions } from './facts/contradictions.js';
import { cord } from './facts/cord.js';
import { entityHistory } from './facts/entity-history.js';
import { impact } from './facts/impact.js';
import { retract } from './facts/retract.js';
import { retractSource } from './facts/retract-source.js';
import { set } from './facts/set.js';
import { unravel } from './facts/unravel.js';
import { GOVERNANCE_COMMANDS } from './governance/governance-commands.js';
import { policyCheck } from './governance/policy-check.js';
import { verdictVerify } from './governance/root-of-trust.js';
import { DATASET_COMMANDS } from './graphs/dataset-commands.js';
import { exportOperation } from './graphs/export.js';
import { FORK_COMMANDS } from './graphs/fork-commands.js';
import { graphCreate } from './graphs/graph-create.js';
import { graphFreeze, graphThaw } from './graphs/graph-freeze.js';
import { graphImport } from './graphs/graph-import.js';
import { graphLabel } from './graphs/graph-label.js';
import { graphs } from './graphs/graphs.js';
import { knot } from './graphs/knot.js';
import { overlayCompose, overlayCreate, overlayWrite } from './graphs/overlays.js';
import { pack, unpack } from './graphs/pack.js';
import { lakeExport } from './lake/lake-export.js';
import { lakeQuery } from './lake/lake-query.js';
import { lakeSql } from './lake/lake-sql.js';
import { lakeVerify } from './lake/lake-verify.js';
import { ONTOLOGY_COMMANDS } from './ontologies/ontology-commands.js';
import { cooccurrence } from './paths/cooccurrence.js';
import { pathBacktest, pathCone, pathDraft } from './paths/paths.js';
import { PROPOSAL_COMMANDS } from './proposals/proposals.js';
import { explain } from './query/explain.js';
import { queriesCancel, queriesRunning } from './query/queries-running.js';
import { QUERY_COMMANDS } from './query/query-commands.js';
import { read } from './query/read.js';
import { update } from './query/update.js';
import { factExplain } from './reasoning/fact-explain.js';
import { reason } from './reasoning/reason.js';
import { migrateVectors } from './search/migrate-vectors.js';
import { unifiedSearch } from './search/unified-search.js';
import { SHAPE_COMMANDS } from './shapes/shape-commands.js';
import { validate } from './shapes/validate.js';
import { importPromote } from './sharing/import-promote.js';
import { importShare } from './sharing/import-share.js';
import { shareMerge } from './sharing/share-merge.js';
import { shareStatus } from './sharing/share-status.js';
import { shareTo } from './sharing/share-to.js';

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
  impact,
  unifiedSearch,
  transactions,
  contradictions,
  project,
  report,
  events,
  eventsCommit,
  eventsRefusals,
  graphs,
  graphCreate,
  overlayCreate,
  overlayWrite,
  overlayCompose,
  graphLabel,
  graphFreeze,
  graphThaw,
  graphImport,
  pack,
  unpack,
  shareTo,
  importShare,
  importPromote,
  shareStatus,
  shareMerge,
  stats,
  exportOperation,
  reason,
  factExplain,
  validate,
  policyCheck,
  verdictVerify,
  verify,
  backup,
  lakeExport,
  lakeVerify,
  lakeSql,
  lakeQuery,
  fold,
  compact,
  promote,
  repair,
  restore,
  migrateVectors,
  queriesRunning,
  queriesCancel,
  ...DATASET_COMMANDS,
  ...FORK_COMMANDS,
  ...SHAPE_COMMANDS,
  ...ONTOLOGY_COMMANDS,
  alignPropose,
  alignDecide,
  alignApply,
  pathCone,
  pathBacktest,
  pathDraft,
  cooccurrence,
  ...PROPOSAL_COMMANDS,
  ...QUERY_COMMANDS,
  ...MEMORY_COMMANDS,
  ...SUBSCRIPTION_COMMANDS,
  ...GOVERNANCE_COMMANDS,
].filter(isCommand);
