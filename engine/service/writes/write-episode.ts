/**
 * Writes an episode (wire shapes, 6), in one transaction.
 *
 * 1. The payload is checked, and its hash made, before the write takes its turn.
 * 2. In the turn the activity of the episode is looked up in the destination. The same hash there: unchanged, nothing is
 *    written. Names become entities (`mint.ts`).
 * 3. What the activity said of itself is retracted; with `replaceSnapshot` all that the episode owns in the graph is
 *    (`writes/replace-snapshot.ts`). Then the statements of the payload are asserted. Netting does the rest.
 *
 * The work goes by the size of the payload and of what the episode wrote before, whatever else is in the store.
 */

import type { Control } from '../../base/control.js';
import { invariant, SvcError } from '../../base/errors.js';
import { checkRegisteredTarget } from '../../graphs/targets.js';
import { type NamedNode, ROOT_GRAPH_IRI, type Term, terms } from '../../rdf/terms.js';
import { jaroWinkler } from '../../search/text/jaro-winkler.js';
import { ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import type { QuadColumns, Stage, StorageEngine } from '../../storage/seam/engine.js';
import { patternOf, readIds, readRows, withSnapshot } from '../../storage/seam/rows.js';
import { CURRENT, type GraphSet, type StorageSnapshot } from '../../storage/seam/scan.js';
import { type CheckedEpisode, checkEpisode } from '../episodes/check-episode.js';
import type { Episode, EpisodeOptions, EpisodeResult, Resolution } from '../episodes/episode.js';
import { forgetLabels, joinHints, labelsOfStore, type Resolved, resolveNodes } from '../episodes/hints.js';
import { labelsOf, sortedKeys } from '../episodes/label-lookups.js';
import { type Minted, mintNames } from '../episodes/mint.js';
import { EPISODE_PREFIX, mintedIri, mintedIris, sourceOfEpisode } from '../episodes/names.js';
import { prefixesOfShapes } from '../episodes/prefixes.js';
import { ASSOCIATED_WITH, COMMENT, contentHashOf, groupIdOf, statementsOf } from '../episodes/statements.js';
import { OwnedBatch, ownersOf } from '../facts/owned-rows.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type IsSubject, replaceOwned } from './replace-snapshot.js';

export interface EpisodeRequest {
  readonly episode: Episode;
  /** Vectors of its nodes, made before the write: a provider is never asked in its turn. */
  readonly vectors?: readonly Float32Array[] | undefined;
}

export const writeEpisode: WriteCommand<EpisodeRequest, EpisodeOptions, EpisodeResult> = {
  forSomeGraphs: true,
  async run(context, request, { timestamp, shapes, resolution }) {
    const { engine, control } = context;
    const episode = checkEpisode(request.episode, context.baseNamespace, prefixesOfShapes(engine, request.episode));
    const source = sourceOfEpisode(episode.name);
    const settled = context.settle({ timestamp, actor: episode.source ?? undefined, source });
    const change: StageChange<Written> = async (stage, _, events) => {
      const written = await new EpisodeWrite(engine, stage, episode).run(resolution, request.vectors, {
        signal: control.signal,
      });
      events.ingests(written.iri);
      return written;
    };
    const { tx, result, findings } = await context.pipeline
      .transact(change, settled, { ...control, shapes })
      .catch((error: unknown) => {
        // What was compared with may be what did not reach the disk.
        if (!(error instanceof SvcError && error.kind === 'invalid')) forgetLabels(engine);
        throw error;
      });
    const danglingNodes = episode.names.slice(episode.nodes.length);
    return { ...result, tx, episode: episode.name, danglingNodes, findings };
  },
};

type Written = Pick<EpisodeResult, 'outcome' | 'count' | 'iri' | 'iris' | 'hints' | 'contentions'>;

const NOT_RESOLVED: Resolved = { hints: [], contentions: [] };

/** What the destination holds of an episode. */
interface Known {
  /** The IRI of the activity, whether it is there or not. */
  readonly activity: string;
  readonly hashes: readonly TermId[];
}

/** Rounded as answers show it. */
export function likeness(a: string, b: string): number {
  return Math.round(jaroWinkler(a.toLowerCase(), b.toLowerCase()) * 1e6) / 1e6;
}

class EpisodeWrite {
  readonly #graph: NamedNode;

  constructor(
    private readonly engine: StorageEngine,
    private readonly stage: Stage,
    private readonly episode: CheckedEpisode,
  ) {
    this.#graph = terms.namedNode(episode.graph ?? ROOT_GRAPH_IRI);
  }

  async run(
    resolution: Resolution | undefined,
    vectors: readonly Float32Array[] | undefined,
    control: Control,
  ): Promise<Written> {
    const read = await withSnapshot(this.stage.snapshot(), async (before) => {
      const { known, minted } = this.#read(before);
      if (minted === null || resolution === undefined) return { known, minted, resolved: NOT_RESOLVED };
      const labels = labelsOfStore(this.engine, resolution.labelPredicates);
      return {
        known,
        minted,
        resolved: await resolveNodes(before, labels, this.episode, { iris: minted.iris, vectors }, resolution, control),
      };
    });
    const { known, minted, resolved } = read;
    const { activity } = known;
    if (minted === null) return { iri: activity, iris: new Map(), outcome: 'unchanged', count: 0, ...NOT_RESOLVED };
    const put = (): QuadColumns => {
      const statements = statementsOf(this.stage, this.episode, activity, minted.iris, this.#graphId());
      this.stage.assertIds(statements);
      return statements;
    };
    await this.#retractActivity(known);
    const statements = await this.#replace(put);
    const outcome = known.hashes.length === 0 ? 'created' : 'updated';
    const hints = joinHints(this.episode.names, resolved.hints, minted.collisions);
    const iris = new Map(this.episode.names.map((name, at) => [name, minted.iris[at] as string]));
    return { iri: activity, iris, outcome, count: statements.rows, hints, contentions: resolved.contentions };
  }

  /** `minted` is null when the same content is there. */
  #read(before: StorageSnapshot): { readonly known: Known; readonly minted: Minted | null } {
    if (this.episode.graph !== null) checkRegisteredTarget(before, this.episode.graph);
    const known = this.#known(before);
    const hash = before.encode(terms.literal(this.episode.contentHash));
    if (hash !== null && known.hashes.includes(hash)) return { known, minted: null };
    const { baseNamespace, names, nodes, name } = this.episode;
    const taken = new Map([[known.activity, name]]);
    const openQuads = (quads: QuadColumns): QuadColumns => this.stage.openQuads(quads);
    const scope = { baseNamespace, graphs: this.#labelGraphs(before), nodes: nodes.length, taken, openQuads };
    return { known, minted: mintNames(before, names, scope, likeness) };
  }

  /** Two episodes whose names give the same IRI are kept apart as nodes are. */
  #known(before: StorageSnapshot): Known {
    const { name, baseNamespace } = this.episode;
    const graph = this.#graphIn(before);
    const namespace = baseNamespace + EPISODE_PREFIX;
    const plain = mintedIri(namespace, name) as string;
    if (graph === null) return { activity: plain, hashes: [] };
    const own = before.encode(terms.literal(name));
    let free: string | null = null;
    for (const iri of mintedIris(namespace, name)) {
      const labels = labelsAt(before, this.#labelGraphs(before), iri);
      if (own !== null && labels.includes(own)) return { activity: iri, hashes: this.#valuesOf(before, graph, iri) };
      if (labels.length === 0) free ??= iri;
      // A longer suffix is only ever given where the shorter one is taken; nothing has a label that is no term of the store.
      if (labels.length === 0 && (iri !== plain || own === null)) break;
    }
    return { activity: free ?? plain, hashes: [] };
  }

  #valuesOf(before: StorageSnapshot, graph: TermId, activity: string): TermId[] {
    const s = before.encode(terms.namedNode(activity));
    const p = before.encode(contentHashOf(this.episode.baseNamespace));
    if (s === null || p === null) return [];
    return [...readIds(before, { graphs: { kind: 'one', graph }, pattern: patternOf({ s, p }), time: CURRENT }, 'o')];
  }

  /** What the activity said of itself: its hash, whoever wrote it, and of the rest what the episode owns. */
  async #retractActivity({ activity, hashes }: Known): Promise<void> {
    if (hashes.length === 0) return;
    const owners = new Set<TxId>(ownersOf(this.engine, sourceOfEpisode(this.episode.name)).all);
    await withSnapshot(this.stage.snapshot(), (before) => {
      const s = before.encode(terms.namedNode(activity));
      const graph = this.#graphIn(before);
      if (s === null || graph === null) return;
      const hash = contentHashOf(this.episode.baseNamespace);
      for (const predicate of [hash, COMMENT, ASSOCIATED_WITH, groupIdOf(this.episode.baseNamespace)]) {
        const p = before.encode(predicate);
        if (p === null) continue;
        const pattern = patternOf({ s, p });
        const columns = ['s', 'p', 'o', 'g', 'txFrom'] as const;
        const request = { graphs: { kind: 'one', graph }, pattern, time: CURRENT, columns } as const;
        for (const batch of readRows(before, request)) {
          const stale = [...Array(batch.rows).keys()].filter(
            (row) => predicate === hash || owners.has(batch.tx('txFrom', row) as TxId),
          );
          this.stage.retractIds(new OwnedBatch(batch.quads()).picked(stale).quads);
        }
      }
    });
  }

  async #replace(put: () => QuadColumns): Promise<QuadColumns> {
    if (!this.episode.replaceSnapshot) return put();
    let statements = null as QuadColumns | null;
    const replacement = { source: sourceOfEpisode(this.episode.name), graph: this.#graph };
    await replaceOwned(this.engine, this.stage, replacement, () => {
      statements = put();
      return this.#isSubjectOf(statements);
    });
    invariant(statements !== null, 'a replacement puts what is to stay');
    return statements;
  }

  #isSubjectOf({ s }: QuadColumns): IsSubject {
    const subjects = new Set(new BigUint64Array(s.buffer, s.byteOffset, s.length / 2));
    return (entity: Term) => subjects.has(this.stage.intern(entity));
  }

  #graphId(): TermId {
    return this.episode.graph === null ? ROOT_ID : this.stage.intern(this.#graph);
  }

  #graphIn(snapshot: StorageSnapshot): TermId | null {
    return this.episode.graph === null ? ROOT_ID : snapshot.encode(this.#graph);
  }

  #labelGraphs(snapshot: StorageSnapshot): GraphSet {
    const graph = this.#graphIn(snapshot);
    if (graph === null || graph === ROOT_ID) return { kind: 'one', graph: ROOT_ID };
    return { kind: 'some', graphs: [ROOT_ID, graph], merged: false };
  }
}

/** The current labels of an IRI. */
function labelsAt(snapshot: StorageSnapshot, graphs: GraphSet, iri: string): TermId[] {
  const id = snapshot.encode(terms.namedNode(iri));
  if (id === null) return [];
  const labels: TermId[] = [];
  labelsOf(snapshot, graphs, sortedKeys([id]), (_, label) => labels.push(label));
  return labels;
}
