/** What an episode is to callers of the library, and what writing one gives. */

import type { Control } from '../../base/control.js';
import type { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import type { NameMatch } from '../../search/resolve.js';
import type { Finding } from '../gates/gates.js';
import type { Time } from '../options/store-options.js';
import type { WriteOptions } from '../options/write-options.js';

export type Scalar = string | number | bigint | boolean;
/** Null is passed over. */
export type PropertyValue = Scalar | null | readonly (Scalar | null)[];

export interface EpisodeNode {
  /** Stands once in an episode. */
  readonly name: string;
  /** One class: a plain name, a name with a declared prefix, or `<IRI>`. */
  readonly type?: string | undefined;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, PropertyValue>> | undefined;
  /** IRIs of entities that it is not. */
  readonly distinctFrom?: readonly string[] | undefined;
}

export interface EpisodeEdge {
  /** Names of nodes, of this episode or not. */
  readonly source: string;
  readonly target: string;
  /** As the type of a node is written. */
  readonly relation: string;
  readonly confidence?: number | string | undefined;
}

export interface Episode {
  readonly name: string;
  readonly body?: string | undefined;
  /** Who says so; the actor of the transaction. */
  readonly source?: string | undefined;
  readonly groupId?: string | undefined;
  /** A registered graph; absent = ROOT. */
  readonly graph?: string | undefined;
  readonly nodes?: readonly EpisodeNode[] | undefined;
  readonly edges?: readonly EpisodeEdge[] | undefined;
  /** Retracts what the episode owns in the graph and does not repeat. */
  readonly replaceSnapshot?: boolean | undefined;
}

/** How names are compared with what is there. */
export interface Resolution {
  /** Most candidates of a name. */
  readonly topK: number;
  /** The least score that counts, from 0 to 1. */
  readonly threshold: number;
  /** IRIs of the predicates whose values are names; absent = those of search.label_predicates by default. */
  readonly labelPredicates?: readonly string[] | undefined;
  /** Refuses an episode with a node that may be another entity. */
  readonly strict?: boolean | undefined;
}

/** A name that may mean an entity. */
export interface ResolvedName {
  readonly name: string;
  /** Most candidates. */
  readonly topK: number;
  /** Only entities with one of these types, as it is asserted in ROOT. */
  readonly types?: readonly string[] | undefined;
  /** What else is known of it: texts count where the store has a provider of embeddings. */
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

export interface ResolveNamesOptions extends Pick<Resolution, 'threshold' | 'labelPredicates'>, Control {
  /** Told where the provider fails, or the vectors of the store can't be read: names alone are compared then. */
  readonly onFailure?: ((failure: SvcError) => void) | undefined;
}

export interface ResolveOptions extends ResolveNamesOptions, Omit<ResolvedName, 'name'> {}

export interface EpisodeOptions extends Pick<WriteOptions, 'signal' | 'principalChain'> {
  /** @internal As of any write. */
  readonly authenticated?: WriteOptions['authenticated'];
  /** @internal */
  readonly wait?: WriteOptions['wait'];
  readonly timestamp?: Time | undefined;
  /** SHACL shapes in Turtle that this episode is judged by, besides the stored ones. */
  readonly shapes?: string | undefined;
  /** Absent: names are found and minted, and not compared. */
  readonly resolution?: Resolution | undefined;
}

/** An entity that a name may mean. */
export type Candidate = NameMatch;

export interface ResolutionHint {
  readonly node: string;
  readonly candidates: readonly Candidate[];
}

/** Several nodes of one episode whose best candidate is the same entity. */
export interface ResolutionContention {
  readonly iri: string;
  readonly claimants: readonly { readonly node: string; readonly score: number }[];
}

export interface EpisodeResult {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** Statements that the episode makes, whether or not some were there; 0 when it is unchanged. */
  readonly count: number;
  readonly tx: number;
  readonly episode: string;
  /** The IRI of the episode itself. */
  readonly iri: string;
  /** The IRI of each name of the episode; empty when it is unchanged. */
  readonly iris: ReadonlyMap<string, string>;
  readonly hints: readonly ResolutionHint[];
  readonly contentions: readonly ResolutionContention[];
  /** Names at the ends of edges that are no nodes of the episode. */
  readonly danglingNodes: readonly string[];
  readonly findings: readonly Finding[];
}

export interface RetractEpisodeOptions extends Omit<WriteOptions, 'source' | 'validFrom'> {
  /** What becomes of labels and types of entities that others mention; default preserve. */
  readonly onOrphan?: 'preserve' | 'refuse' | 'allow' | undefined;
}

export interface EpisodeStatement {
  readonly entity: Term;
  readonly predicate: Term;
  readonly value: Term;
  /** Absent = ROOT. */
  readonly graph?: string;
}

export interface OrphanedEntity {
  readonly entity: Term;
  readonly lostLabel: boolean;
  readonly lostType: boolean;
}

export interface EpisodeRetraction {
  readonly episode: string;
  /** 0 when there was nothing to retract. */
  readonly tx: number;
  readonly onOrphan: 'preserve' | 'refuse' | 'allow';
  readonly retracted: number;
  /** What was retracted, in N-Triples order; of very many the first. */
  readonly statements: readonly EpisodeStatement[];
  readonly truncated: boolean;
  /** Labels and types that stay. */
  readonly preservedCount: number;
  readonly preserved: readonly EpisodeStatement[];
  /** Entities that lose, or would lose, their last label or type while others mention them. */
  readonly orphanCount: number;
  readonly orphans: readonly OrphanedEntity[];
}
