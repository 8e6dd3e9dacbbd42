/** What operations that write episodes share: the schema of their answer, and how a result is put in it. */

import type { Candidate, EpisodeResult } from '../../episodes/episode.js';
import { listsOf, wholeLists } from '../../gates/findings.js';
import { oneOf, type Static, Type } from '../../requests/schema.js';
import type { Answer } from '../definition/operation.js';

export const candidate = Type.Object({
  iri: Type.String(),
  score: Type.Number(),
  matched_on: Type.String('canonical_name:jaro_winkler:<score>, embedding:<score> or iri_collision'),
});

export const episodeResponse = Type.Object({
  outcome: oneOf(['created', 'updated', 'unchanged']),
  count: Type.Integer('statements that the payload makes; 0 when it is unchanged'),
  tx_id: Type.Integer('0 when it is unchanged'),
  episode: Type.String(),
  iri: Type.String('of the episode itself'),
  nodes: Type.Record(Type.String(), Type.String(), 'name and IRI of each entity; empty when it is unchanged'),
  resolution_hints: Type.Array(Type.Object({ node: Type.String(), candidates: Type.Array(candidate) })),
  resolution_contentions: Type.Array(
    Type.Object({
      iri: Type.String(),
      claimants: Type.Array(Type.Object({ node: Type.String(), score: Type.Number() })),
    }),
  ),
  dangling_nodes: Type.Array(Type.String(), 'ends of edges that are no nodes of the payload'),
  ...wholeLists,
});

export type EpisodeBody = Static<typeof episodeResponse>;

/** An entity that a name may mean. */
export function toCandidate({ iri, score, matchedOn }: Candidate): Static<typeof candidate> {
  return { iri, score, matched_on: matchedOn };
}

export function episodeAnswer(result: EpisodeResult): Answer<EpisodeBody> {
  const { outcome, count, tx, episode, iri, iris, hints, contentions, danglingNodes, findings } = result;
  const body = {
    outcome,
    count,
    tx_id: tx,
    episode,
    iri,
    nodes: Object.fromEntries(iris),
    resolution_hints: hints.map(({ node, candidates }) => ({ node, candidates: candidates.map(toCandidate) })),
    resolution_contentions: contentions,
    dangling_nodes: danglingNodes,
    ...listsOf(findings),
  };
  return { kind: 'body', body, notes: { written: tx === 0 ? 0 : count } };
}

/** What a person is told besides, a line for each candidate. */
export function hintText({ resolution_hints: hints }: EpisodeBody): string {
  const lines = hints.flatMap(({ node, candidates }) =>
    candidates.map((one) => `hint: ${JSON.stringify(node)} may be <${one.iri}> (${one.matched_on})\n`),
  );
  return lines.join('');
}

/** What a person reads. */
export function episodeText({ outcome, episode, count, tx_id: tx }: EpisodeBody): string {
  const name = JSON.stringify(episode);
  return outcome === 'unchanged'
    ? `unchanged episode ${name}\n`
    : `ingested episode ${name} -- ${count} facts (tx ${tx})\n`;
}
