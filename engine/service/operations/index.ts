/** Every operation of the service. */

import { timeline } from './admin/timeline.js';
import { version } from './admin/version.js';
import { graphView } from './algorithms/graph-view.js';
import { projectRead } from './algorithms/project.js';
import { COMMANDS } from './commands.js';
import type { Operation } from './definition/operation.js';
import { episodesComplete } from './episodes/episodes-complete.js';
import { resolveEntity } from './episodes/resolve-entity.js';
import { retractEpisode } from './episodes/retract-episode.js';
import { subscriptions } from './events/subscriptions.js';
import { changes } from './facts/changes.js';
import { entity } from './facts/entity.js';
import { fragments } from './facts/fragments.js';
import { preview } from './facts/preview.js';
import { reconcile } from './facts/reconcile.js';
import { spotlight } from './facts/spotlight.js';
import { datasetList, datasets } from './graphs/datasets.js';
import { graphCounts } from './graphs/graph-counts.js';
import { graphRead } from './graphs/graph-read.js';
import { graphDelete, graphMerge, graphReplace } from './graphs/graph-write.js';
import { voidDescription } from './graphs/void.js';
import { ontology, ontologyList } from './ontologies/ontologies.js';
import { ask } from './query/ask.js';
import { queries, queryList } from './query/queries.js';
import { context } from './search/context.js';
import { embedBackfill } from './search/embed-backfill.js';
import { hybridSearch } from './search/hybrid-search.js';
import { nodeSearch } from './search/nodes-compat.js';
import { search } from './search/search.js';
import { searchFacts } from './search/search-facts.js';
import { searchNodes } from './search/search-nodes.js';
import { shapeList, shapeSet, shapes } from './shapes/shapes.js';
import { share } from './sharing/share.js';

export const OPERATIONS: readonly Operation[] = [
  ...COMMANDS.filter(({ isForm }) => isForm !== true),
  projectRead,
  graphView,
  changes,
  timeline,
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
  share,
  datasets,
  datasetList,
  queries,
  queryList,
  subscriptions,
  shapes,
  shapeList,
  shapeSet,
  ontology,
  ontologyList,
  ask,
  search,
  hybridSearch,
  searchNodes,
  searchFacts,
  nodeSearch,
  context,
  embedBackfill,
  version,
  voidDescription,
];
