/**
 * Takes an episode back (wire shapes, 6.5): every current statement that the episode owns, in whichever graph it stands.
 * What others stated first stays.
 *
 * An entity is orphaned when it would lose its last label or its last type in a graph where others still mention it. With
 * `preserve` those labels and types stay, with their owner, so that a later retraction looks at them again; with `refuse`
 * nothing happens; with `allow` they go. All modes tell which entities these are.
 */

import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import { compareCodePoints } from '../../base/text.js';
import { termToString } from '../../rdf/canonical/lines.js';
import { RDF_NS, type Term, terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import type { QuadColumns } from '../../storage/seam/engine.js';
import { decodeIds, withSnapshot } from '../../storage/seam/rows.js';
import { CURRENT, type KeyPosition, type StorageSnapshot } from '../../storage/seam/scan.js';
import type {
  EpisodeRetraction,
  EpisodeStatement,
  OrphanedEntity,
  RetractEpisodeOptions,
} from '../episodes/episode.js';
import { columnOf, RDFS_LABEL, sortedKeys } from '../episodes/label-lookups.js';
import { sourceOfEpisode } from '../episodes/names.js';
import { entityText } from '../facts/entity.js';
import { OwnedBatch, ownersOf } from '../facts/owned-rows.js';
import { ownedStatements } from '../facts/owned-statements.js';
import { checkedText } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';

const RDF_TYPE = terms.namedNode(`${RDF_NS}type`);
/** Statements, and orphans, that are listed; the counts are whole. */
export const LISTED_MAX = 10_000;
/** Entities that a refusal names. */
const NAMED_MAX = 5;

export const retractEpisode: WriteCommand<{ readonly name: string }, RetractEpisodeOptions, EpisodeRetraction> = {
  forSomeGraphs: true,
  async run(context, { name }, { timestamp, actor, onOrphan = 'preserve' }) {
    if (checkedText(name, 'episode') === undefined) {
      throw new SvcError('invalid_request', "missing 'episode' parameter");
    }
    const settled = context.settle({ timestamp, actor, source: 'retract' });
    const change: StageChange<Outcome> = async (stage) => {
      const owners = ownersOf(context.engine, sourceOfEpisode(name));
      const planned = await withSnapshot(stage.snapshot(), (before) => [...ownedStatements(before, null, owners)]);
      for (const { quads } of planned) stage.retractIds(quads);
      const outcome = await withSnapshot(stage.snapshot(), (after) => judge(after, planned, onOrphan));
      for (const kept of outcome.kept) stage.assertIds(kept);
      return outcome;
    };
    const { tx, counts, result } = await context.pipeline.transact(change, settled, context.control);
    const { kept: _, ...told } = result;
    const truncated = counts.retracted > told.statements.length;
    return { episode: name, tx, onOrphan, retracted: counts.retracted, truncated, ...told };
  },
};

interface Outcome {
  /** What is asserted again. */
  readonly kept: readonly QuadColumns[];
  readonly statements: readonly EpisodeStatement[];
  readonly preserved: readonly EpisodeStatement[];
  readonly preservedCount: number;
  readonly orphans: readonly OrphanedEntity[];
  readonly orphanCount: number;
}

/** Nothing but identities that stay is left of it: it was retracted before. */
const OVER: Omit<Outcome, 'kept'> = { statements: [], preserved: [], preservedCount: 0, orphans: [], orphanCount: 0 };

type OnOrphan = EpisodeRetraction['onOrphan'];

/** `after` shows the store without any statement of the plan. */
function judge(after: StorageSnapshot, planned: readonly OwnedBatch[], onOrphan: OnOrphan): Outcome {
  const identities = new Identities(after);
  for (const batch of planned) identities.add(batch);
  identities.keepOrphans();
  const kept: OwnedBatch[] = [];
  const gone: OwnedBatch[] = [];
  for (const batch of planned) {
    const rows = [...Array(batch.rows).keys()];
    const isKept = (row: number): boolean => identities.loses(batch, row);
    kept.push(batch.picked(rows.filter(isKept)));
    gone.push(batch.picked(rows.filter((row) => !isKept(row))));
  }
  const columns = (batches: readonly OwnedBatch[]): QuadColumns[] =>
    batches.map(({ quads }) => quads).filter(({ rows }) => rows > 0);
  if (onOrphan !== 'allow' && columns(gone).length === 0) return { ...OVER, kept: columns(kept) };
  const orphans = identities.list();
  if (onOrphan === 'refuse' && orphans.length > 0) throw refusal(orphans);
  const isPreserving = onOrphan === 'preserve';
  const preserved = isPreserving ? kept : [];
  return {
    kept: columns(preserved),
    statements: listed(after, isPreserving ? gone : planned),
    preserved: listed(after, preserved),
    preservedCount: preserved.reduce((sum, { rows }) => sum + rows, 0),
    orphans: orphans.slice(0, LISTED_MAX),
    orphanCount: orphans.length,
  };
}

function refusal(orphans: readonly OrphanedEntity[]): SvcError {
  const named = orphans.slice(0, NAMED_MAX).map(({ entity }) => entityText(entity));
  const more = orphans.length > NAMED_MAX ? ', ...' : '';
  const message = `${orphans.length} entities would lose their label or type while others mention them: ${named.join(', ')}${more}; nothing was changed`;
  return new SvcError('invalid_request', message, {
    hint: 'on_orphan: preserve keeps labels and types, allow takes them',
  });
}

interface Loss {
  readonly graph: TermId;
  readonly entity: TermId;
  label: boolean;
  type: boolean;
}

/** Entities of the plan by graph, with which of their identity it takes. */
class Identities {
  readonly #label: TermId | null;
  readonly #type: TermId | null;
  readonly #byGraph = new Map<TermId, Map<TermId, Loss>>();

  constructor(private readonly after: StorageSnapshot) {
    this.#label = after.encode(RDFS_LABEL);
    this.#type = after.encode(RDF_TYPE);
  }

  add(batch: OwnedBatch): void {
    for (let row = 0; row < batch.rows; row++) {
      const predicate = batch.id('p', row);
      if (predicate !== this.#label && predicate !== this.#type) continue;
      const [graph, entity] = [batch.id('g', row), batch.id('s', row)];
      const inGraph = getOrInsert(this.#byGraph, graph, () => new Map<TermId, Loss>());
      const loss = getOrInsert(inGraph, entity, () => ({ graph, entity, label: false, type: false }));
      if (predicate === this.#label) loss.label = true;
      else loss.type = true;
    }
  }

  /** Leaves those that lose the last label or type and are mentioned by what stays: the orphans. */
  keepOrphans(): void {
    for (const [graph, losses] of this.#byGraph) {
      const keys = sortedKeys([...losses.keys()]);
      for (const key of this.#found(graph, 's', keys, this.#label)) (losses.get(key) as Loss).label = false;
      for (const key of this.#found(graph, 's', keys, this.#type)) (losses.get(key) as Loss).type = false;
      const mentioned = new Set([...this.#found(graph, 's', keys), ...this.#found(graph, 'o', keys)]);
      for (const [entity, { label, type }] of losses) {
        if (!mentioned.has(entity) || !(label || type)) losses.delete(entity);
      }
    }
  }

  /** Whether a row of the plan is a last label or type of an orphan. */
  loses(batch: OwnedBatch, row: number): boolean {
    const loss = this.#byGraph.get(batch.id('g', row))?.get(batch.id('s', row));
    if (loss === undefined) return false;
    const predicate = batch.id('p', row);
    return (loss.label && predicate === this.#label) || (loss.type && predicate === this.#type);
  }

  /** By their texts; an entity of several graphs once. */
  list(): OrphanedEntity[] {
    const byEntity = new Map<TermId, { lostLabel: boolean; lostType: boolean }>();
    for (const losses of this.#byGraph.values()) {
      for (const { entity, label, type } of losses.values()) {
        const known = byEntity.get(entity) ?? { lostLabel: false, lostType: false };
        byEntity.set(entity, { lostLabel: known.lostLabel || label, lostType: known.lostType || type });
      }
    }
    const decoded = decodeIds(this.after, [...byEntity.keys()]);
    return [...byEntity.values()]
      .map((loss, at) => ({ entity: decoded[at] as Term, ...loss }))
      .sort((a, b) => compareCodePoints(entityText(a.entity), entityText(b.entity)));
  }

  /** The keys that have a current row in that position, with a predicate or any. */
  *#found(graph: TermId, position: 's' | 'o', keys: BigUint64Array, p?: TermId | null): Generator<TermId> {
    if (p === null || keys.length === 0) return;
    const columns = [columnOf(keys)];
    const positions: KeyPosition[] = [position];
    if (p !== undefined) {
      columns.push(columnOf(new BigUint64Array(keys.length).fill(p)));
      positions.push('p');
    }
    const order = position === 's' ? 'SPOG' : 'OSPG';
    const graphs = { kind: 'one', graph } as const;
    const request = { graphs, pattern: {}, order, time: CURRENT, keys: positions, columns: [], counted: true } as const;
    const probe = this.after.probe(request);
    try {
      probe.begin(columns, keys.length);
      for (let batch = probe.next(); batch !== null; batch = probe.next()) {
        for (let row = 0; row < batch.rows; row++) yield keys[batch.keys[row] as number] as TermId;
      }
    } finally {
      probe.close();
    }
  }
}

/** In N-Triples order. */
function listed(snapshot: StorageSnapshot, batches: readonly OwnedBatch[]): EpisodeStatement[] {
  const found: (EpisodeStatement & { readonly line: string })[] = [];
  for (const { quads } of batches) {
    const rows = Math.min(quads.rows, LISTED_MAX - found.length);
    const [entities, predicates, values] = [quads.s, quads.p, quads.o].map((column) => snapshot.decode(column, rows));
    const graphs = snapshot.decode(quads.g, rows);
    const inRoot = new OwnedBatch(quads);
    for (let row = 0; row < rows; row++) {
      const [entity, predicate, value] = [entities?.[row], predicates?.[row], values?.[row]] as [Term, Term, Term];
      const graph = inRoot.id('g', row) === ROOT_ID ? {} : { graph: (graphs[row] as Term).value };
      const line = [entity, predicate, value].map(termToString).join(' ');
      found.push({ entity, predicate, value, ...graph, line });
    }
  }
  found.sort((a, b) => compareCodePoints(a.line, b.line));
  return found.map(({ line: _, ...statement }) => statement);
}
