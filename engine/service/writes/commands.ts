/**
 * Every write that a store knows, by its name. To add one: a file that defines its command, and a line here.
 * Commands that bring much code with them are loaded with their first call.
 */

import type { WriteCommand } from './command.js';
import { createGraph } from './create-graph.js';
import { fold, indexTexts } from './fold.js';
import { removeMatches } from './rdfjs-sink.js';
import { transact } from './transact.js';

export const WRITES = {
  load: async () => (await import('./load.js')).load,
  transact,
  update: async () => (await import('./update.js')).update,
  createGraph,
  createOverlay: async () => (await import('./overlays.js')).createOverlay,
  writeOverlay: async () => (await import('./overlays.js')).writeOverlay,
  labelGraph: async () => (await import('./label-graph.js')).labelGraph,
  recordMaterialization: async () => (await import('./record-materialization.js')).recordMaterialization,
  writeGraph: async () => (await import('./graphs.js')).writeGraph,
  freezeGraph: async () => (await import('./archives.js')).freezeGraph,
  thawGraph: async () => (await import('./archives.js')).thawGraph,
  recordShare: async () => (await import('./record-share.js')).recordShare,
  unpack: async () => (await import('./unpack.js')).unpack,
  importGraph: async () => (await import('./import-graph.js')).importGraph,
  recoverFreezes: async () => (await import('./archives.js')).recoverFreezes,
  set: async () => (await import('./set-value.js')).setValue,
  retract: async () => (await import('./retract-facts.js')).retractFacts,
  removeMatches,
  retractSource: async () => (await import('./retract-source.js')).retractSource,
  writeEpisode: async () => (await import('./write-episode.js')).writeEpisode,
  retractEpisode: async () => (await import('./retract-episode.js')).retractEpisode,
  persistAlgorithm: async () => (await import('./persist-algorithm.js')).persistAlgorithm,
  storeQuery: async () => (await import('./stored-queries.js')).storeQuery,
  removeQuery: async () => (await import('./stored-queries.js')).removeQuery,
  createDataset: async () => (await import('./datasets.js')).createDataset,
  removeDataset: async () => (await import('./datasets.js')).removeDataset,
  createFork: async () => (await import('./forks.js')).createFork,
  dropFork: async () => (await import('./forks.js')).dropFork,
  promoteFork: async () => (await import('./forks.js')).promoteFork,
  importShare: async () => (await import('./import-share.js')).importShare,
  mergeShare: async () => (await import('./merge-share.js')).mergeShare,
  promoteShare: async () => (await import('./promote-share.js')).promoteShare,
  reason: async () => (await import('./reason.js')).reason,
  loadShapes: async () => (await import('./shape-sets.js')).loadShapes,
  removeShapes: async () => (await import('./shape-sets.js')).removeShapes,
  applyAlignment: async () => (await import('./alignment.js')).applyAlignment,
  propose: async () => (await import('./proposals.js')).propose,
  acceptProposal: async () => (await import('./proposals.js')).acceptProposal,
  rejectProposal: async () => (await import('./proposals.js')).rejectProposal,
  loadOntology: async () => (await import('./ontology.js')).loadOntology,
  removeOntology: async () => (await import('./ontology.js')).removeOntology,
  materializeOntologies: async () => (await import('./ontology.js')).materializeOntologies,
  commitOffset: async () => (await import('./event-writes.js')).commitOffset,
  advanceCursor: async () => (await import('./event-writes.js')).advanceCursor,
  pruneEvents: async () => (await import('./event-writes.js')).pruneEvents,
  subscribe: async () => (await import('./event-writes.js')).subscribe,
  unsubscribe: async () => (await import('./event-writes.js')).unsubscribe,
  putVectors: async () => (await import('./vectors.js')).putVectors,
  dropVectors: async () => (await import('./vectors.js')).dropVectors,
  applyChanges: async () => (await import('./follow.js')).applyChanges,
  applyBeside: async () => (await import('./follow.js')).applyBeside,
  learnEpoch: async () => (await import('./follow.js')).learnEpoch,
  fold,
  indexTexts,
} satisfies CommandList;

export type AnyCommand = WriteCommand<never, never, unknown>;
export type CommandList = Readonly<Record<string, AnyCommand | (() => Promise<AnyCommand>)>>;
type Listed = typeof WRITES;
export type WriteName = keyof Listed;
type CommandOf<Name extends WriteName> = Listed[Name] extends () => Promise<infer Command> ? Command : Listed[Name];
type Parts<Name extends WriteName> =
  CommandOf<Name> extends WriteCommand<infer Request, infer Options, infer Result> ? [Request, Options, Result] : never;
export type RequestOf<Name extends WriteName> = Parts<Name>[0];
export type OptionsOf<Name extends WriteName> = Parts<Name>[1];
export type ResultOf<Name extends WriteName> = Parts<Name>[2];
