/**
 * Which entities of two graphs may be the same (semantics of reasoning, 7): every label of the left one compared with those of
 * the right one by Jaro-Winkler, as names are resolved (8.1), and where there are embeddings by the cosine of their vectors.
 *
 *  1. The labels of the right graph become one table, which passes over most of them by bounds.
 *  2. The labels of the left graph come some at a time, ordered by entity. Pairs that are decided already, in either
 *     direction, in one of the graphs or in ROOT, are looked up for these entities at once, and passed over.
 *  3. Of each left entity the best are kept: two at least, so that a tie is seen.
 */

import { SvcError } from '../../base/errors.js';
import type { InterruptLimits } from '../../base/interrupt.js';
import { compareCodePoints } from '../../base/text.js';
import { RDF_NS, RDFS, type Term, terms } from '../../rdf/terms.js';
import { MemoryBound } from '../../reason/graph/memory-bound.js';
import { Pace } from '../../reason/graph/pace.js';
import { BestLabels, type ScoredLabel } from '../../search/labels/best-labels.js';
import { LabelTable } from '../../search/labels/label-table.js';
import { codePoints } from '../../search/text/jaro-winkler.js';
import { ROOT_ID, TAG, type TermId, tagOf } from '../../storage/ids/layout.js';
import { columnOf, exactly, idIn, patternOf, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type GraphSet, type IdColumn, type StorageSnapshot } from '../../storage/seam/scan.js';
import { toIri } from '../facts/entity.js';
import { checkCount, type PageOptions, windowOf } from '../facts/paging.js';
import { type NearLabel, NearLabels, type VectorsOf } from './near-labels.js';
import { alignedGraph, DISTINCT_FROM, type GraphPair, SAME_AS, toPair, versionOf } from './pair.js';

export interface AlignmentOptions extends PageOptions, InterruptLimits {
  /** The least score; default 0.85. */
  readonly threshold?: number | undefined;
  /** Most candidates of a left entity; default 3. */
  readonly topK?: number | undefined;
  /** Only entities of this type are compared, on both sides. */
  readonly entityType?: string | undefined;
  /** query.memory_budget_mb in bytes. */
  readonly memoryBytes?: number | undefined;
  /** Told where vectors can't be had, so that names are compared alone. */
  readonly onFailure?: ((error: SvcError) => void) | undefined;
}

export interface Mapping {
  readonly left: string;
  readonly right: string;
  readonly leftLabel: string;
  readonly rightLabel: string;
  /** From 0 to 1, to six decimals. */
  readonly score: number;
  readonly matchedOn: string;
  /** The right one is the best of several left ones, or the left one has several that are equally good. */
  readonly contested: boolean;
}

export interface ProposedAlignment extends GraphPair {
  readonly expectedVersion: string;
  /** The page that was asked for: by score, then by the IRIs. */
  readonly mappings: readonly Mapping[];
  /** True when there are more behind the page. */
  readonly truncated: boolean;
}

const THRESHOLD = 0.85;
const TOP_K = 3;
/** Left entities whose decided pairs are looked up together. */
const ENTITIES_AT_ONCE = 1024;
/** More labels than candidates are wanted: several may be of one entity. */
const SPARE = 4;
const LABEL_BYTES = 200;
const MAPPING_BYTES = 400;
const LABEL = terms.namedNode(`${RDFS}label`);
const TYPE = terms.namedNode(`${RDF_NS}type`);
const OF_ALIGNMENTS = { what: 'the comparison of labels', instead: 'name an entity_type' };

/** Labels of one entity, or of the graph they are read from. */
interface Label {
  readonly entity: TermId;
  readonly label: TermId;
}

export async function proposeAlignment(
  snapshot: StorageSnapshot,
  names: { readonly left: string; readonly right: string },
  options: AlignmentOptions,
  vectorsOf: VectorsOf = async () => null,
): Promise<ProposedAlignment> {
  const { threshold = THRESHOLD, topK = TOP_K, entityType, memoryBytes } = options;
  const pair = toPair(names.left, names.right);
  if (!(threshold >= 0 && threshold <= 1)) {
    throw new SvcError('invalid_request', `threshold is ${threshold}; expected a number of at least 0 and at most 1`);
  }
  checkCount(topK, 'top_k');
  if (topK === 0) throw new SvcError('invalid_request', 'top_k is 0; expected an integer of at least 1');
  const { from, to } = windowOf(options);
  const type = entityType === undefined ? undefined : toIri(entityType, 'entity_type');
  const [left, right] = [alignedGraph(snapshot, pair.left), alignedGraph(snapshot, pair.right)];
  const pace = new Pace(options, 'the comparison of labels');
  await pace.turn();
  const memory = new MemoryBound(memoryBytes, OF_ALIGNMENTS);
  const scope: Scope = { snapshot, pace, memory, type: type && snapshot.encode(type) };
  const near = new NearLabels(snapshot, vectorsOf, options);
  const table = await labelTable(scope, right, near);
  const decided = new DecidedPairs(snapshot, decidedIn(snapshot, pair, [left, right]), memory);
  const all: (Candidate & { readonly contested: boolean })[] = [];
  const best = new Map<TermId, number>();
  for await (const labels of leftLabels(scope, left)) {
    const excluded = decided.of([...new Set(labels.map(({ entity }) => entity))]);
    const groups = byEntity(labels);
    const nearOf = await near.of(
      groups.map((own) => firstText(snapshot, own)),
      { threshold, topK },
    );
    for (const [at, own] of groups.entries()) {
      const wanted = { threshold, topK, excluded, near: nearOf[at] ?? [] };
      const candidates = await candidatesOf(scope, table, own, wanted);
      const [first, second] = candidates;
      if (first === undefined) continue;
      best.set(first.right, (best.get(first.right) ?? 0) + 1);
      const tied = second !== undefined && second.score === first.score;
      memory.hold(MAPPING_BYTES * candidates.length);
      for (const one of candidates.slice(0, topK)) all.push({ ...one, contested: tied });
    }
  }
  const mappings = shown(snapshot, all, best);
  const expectedVersion = await versionOf(snapshot, pair, pace);
  return { ...pair, expectedVersion, mappings: mappings.slice(from, to), truncated: mappings.length > to };
}

interface Scope {
  readonly snapshot: StorageSnapshot;
  readonly pace: Pace;
  readonly memory: MemoryBound;
  /** Null = no entity has it. */
  readonly type: TermId | null | undefined;
}

/** The labels of the entities of a graph that are IRIs, in the order of entities; of a type, where one is named. */
async function* labelsIn({ snapshot, pace, type }: Scope, graph: TermId): AsyncGenerator<Label[]> {
  const p = snapshot.encode(LABEL);
  if (p === null || type === null) return;
  const graphs: GraphSet = { kind: 'one', graph };
  const typed = type === undefined ? null : await typedIn(snapshot, graphs, type);
  const request = { graphs, pattern: { p: exactly(p) }, order: 'SPOG', time: CURRENT, columns: ['s', 'o'] } as const;
  for (const batch of readRows(snapshot, request)) {
    const labels: Label[] = [];
    for (let row = 0; row < batch.rows; row++) {
      const [entity, label] = [batch.id('s', row), batch.id('o', row)];
      const isText = tagOf(label) !== TAG.iri && tagOf(label) !== TAG.blank && tagOf(label) !== TAG.triple;
      if (tagOf(entity) === TAG.iri && isText && typed?.has(entity) !== false) labels.push({ entity, label });
    }
    yield labels;
    pace.check();
    if (pace.spend(10 * (batch.rows + 1))) await pace.turn();
  }
}

async function typedIn(snapshot: StorageSnapshot, graphs: GraphSet, type: TermId): Promise<ReadonlySet<TermId>> {
  const p = snapshot.encode(TYPE);
  const found = new Set<TermId>();
  if (p === null) return found;
  for (const batch of readRows(snapshot, {
    graphs,
    pattern: patternOf({ p, o: type }),
    time: CURRENT,
    columns: ['s'],
  })) {
    for (let row = 0; row < batch.rows; row++) found.add(batch.id('s', row));
  }
  return found;
}

async function labelTable(scope: Scope, graph: TermId, near: NearLabels): Promise<LabelTable> {
  const table = new LabelTable();
  for await (const labels of labelsIn(scope, graph)) {
    scope.memory.hold(LABEL_BYTES * labels.length);
    const texts = textsOf(
      scope.snapshot,
      labels.map(({ label }) => label),
    );
    for (const [at, { entity, label }] of labels.entries()) {
      const [s, o] = [columnOf([entity]), columnOf([label])];
      const ids = [s[0] as number, s[1] as number, o[0] as number, o[1] as number] as const;
      table.add(ids, texts[at] as string);
      near.add(entity, label);
    }
  }
  return table;
}

/** Those of some entities at a time; the labels of one entity come together. */
async function* leftLabels(scope: Scope, graph: TermId): AsyncGenerator<readonly Label[]> {
  let held: Label[] = [];
  for await (const labels of labelsIn(scope, graph)) {
    held = held.concat(labels);
    const last = held.at(-1)?.entity;
    const end = held.findIndex(({ entity }) => entity === last);
    if (end < ENTITIES_AT_ONCE) continue;
    yield held.slice(0, end);
    held = held.slice(end);
  }
  if (held.length > 0) yield held;
}

function byEntity(labels: readonly Label[]): readonly (readonly Label[])[] {
  const groups: Label[][] = [];
  for (const one of labels) {
    const last = groups.at(-1);
    if (last?.[0]?.entity === one.entity) last.push(one);
    else groups.push([one]);
  }
  return groups;
}

/** The label by which an entity is compared in meaning: the first in the order of characters. */
function firstText(snapshot: StorageSnapshot, own: readonly Label[]): string {
  const ids = own.map(({ label }) => label);
  return textsOf(snapshot, ids).sort(compareCodePoints)[0] as string;
}

function textsOf(snapshot: StorageSnapshot, ids: readonly TermId[]): string[] {
  return snapshot.decode(columnOf(ids), ids.length).map(({ value }) => value);
}

interface Candidate {
  readonly left: TermId;
  readonly right: TermId;
  readonly leftLabel: string;
  readonly rightLabel: TermId;
  readonly score: number;
  readonly by: 'name' | 'embedding';
}

interface Wanted {
  readonly threshold: number;
  readonly topK: number;
  /** By left entity. */
  readonly excluded: ReadonlyMap<TermId, ReadonlySet<TermId>>;
  /** Those that are near in meaning. */
  readonly near: readonly NearLabel[];
}

/** The best right entities of a left one, at least two where there are so many. */
async function candidatesOf(
  { snapshot, pace }: Scope,
  table: LabelTable,
  own: readonly Label[],
  { threshold, topK, excluded, near }: Wanted,
): Promise<readonly Candidate[]> {
  const { entity: left } = own[0] as Label;
  const without = excluded.get(left);
  const most = Math.max(topK, 2);
  const texts = textsOf(
    snapshot,
    own.map(({ label }) => label),
  ).sort(compareCodePoints);
  for (const room of [most + SPARE + (without?.size ?? 0), Number.POSITIVE_INFINITY]) {
    const found = new Map<TermId, Candidate>();
    let isCut = false;
    for (const text of texts) {
      const labels = new BestLabels(threshold, room);
      const before = table.work;
      table.search(codePoints(text.toLowerCase()), labels);
      for (const one of labels.sorted()) note(found, toCandidate(left, text, one));
      isCut ||= labels.isCut;
      if (pace.spend(table.work - before)) await pace.turn();
    }
    // Where name and meaning score alike, the name is named.
    for (const one of near) note(found, { ...one, left, leftLabel: texts[0] as string, by: 'embedding' });
    const others = [...found.values()].filter(({ right }) => right !== left && without?.has(right) !== true);
    // What was passed over counts only where there are too few without it.
    if (isCut && others.length < most) continue;
    return inOrder(snapshot, others).slice(0, most);
  }
  return [];
}

function toCandidate(left: TermId, leftLabel: string, { ids, score }: ScoredLabel): Candidate {
  const [right, rightLabel] = [idIn(ids, 0), idIn(ids, 1)];
  return { left, right, leftLabel, rightLabel, score: Math.round(score * 1e6) / 1e6, by: 'name' };
}

function note(found: Map<TermId, Candidate>, one: Candidate): void {
  const before = found.get(one.right);
  if (before === undefined || before.score < one.score) found.set(one.right, one);
}

function inOrder(snapshot: StorageSnapshot, candidates: readonly Candidate[]): readonly Candidate[] {
  if (candidates.length < 2) return candidates;
  const iris = textsOf(
    snapshot,
    candidates.map(({ right }) => right),
  );
  return candidates
    .map((one, at) => ({ one, iri: iris[at] as string }))
    .sort((a, b) => b.one.score - a.one.score || compareCodePoints(a.iri, b.iri))
    .map(({ one }) => one);
}

function shown(
  snapshot: StorageSnapshot,
  all: readonly (Candidate & { readonly contested: boolean })[],
  best: ReadonlyMap<TermId, number>,
): Mapping[] {
  const lefts = textsOf(
    snapshot,
    all.map(({ left }) => left),
  );
  const rights = textsOf(
    snapshot,
    all.map(({ right }) => right),
  );
  const labels = textsOf(
    snapshot,
    all.map(({ rightLabel }) => rightLabel),
  );
  return all
    .map(({ leftLabel, score, right, by, contested }, at) => ({
      left: lefts[at] as string,
      right: rights[at] as string,
      leftLabel,
      rightLabel: labels[at] as string,
      score,
      matchedOn: `${by === 'name' ? 'canonical_name:jaro_winkler' : 'embedding'}:${score.toFixed(2)}`,
      contested: contested || (best.get(right) ?? 0) > 1,
    }))
    .sort((a, b) => b.score - a.score || compareCodePoints(a.left, b.left) || compareCodePoints(a.right, b.right));
}

/** The graphs in which a pair may have been decided. */
function decidedIn(snapshot: StorageSnapshot, { alignmentGraph }: GraphPair, sides: readonly TermId[]): GraphSet {
  const alignment = snapshot.encode(terms.namedNode(alignmentGraph));
  const graphs = new Set([ROOT_ID, ...sides, ...(alignment === null ? [] : [alignment])]);
  return { kind: 'some', graphs: [...graphs].sort((a, b) => (a < b ? -1 : 1)), merged: true };
}

/** What is stated to be the same or distinct. */
class DecidedPairs {
  readonly #predicates: readonly TermId[];

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly graphs: GraphSet,
    private readonly memory: MemoryBound,
  ) {
    this.#predicates = [SAME_AS, DISTINCT_FROM].flatMap((one: Term) => snapshot.encode(one) ?? []);
  }

  /** Of each of some entities, in either direction. */
  of(entities: readonly TermId[]): ReadonlyMap<TermId, ReadonlySet<TermId>> {
    const found = new Map<TermId, Set<TermId>>();
    const keys = [...entities].sort((a, b) => (a < b ? -1 : 1));
    for (const p of this.#predicates) {
      for (const [key, other, order] of [['s', 'o', 'SPOG'] as const, ['o', 's', 'POSG'] as const]) {
        const { graphs } = this;
        const probe = this.snapshot.probe({
          graphs,
          pattern: { p: exactly(p) },
          order,
          time: CURRENT,
          keys: [key],
          columns: [other],
        });
        try {
          probe.begin([columnOf(keys)], keys.length);
          for (let batch = probe.next(); batch !== null; batch = probe.next()) {
            this.memory.check(LABEL_BYTES * batch.rows);
            const column = batch.columns[other] as IdColumn;
            for (let row = 0; row < batch.rows; row++) {
              const one = keys[batch.keys[row] as number] as TermId;
              found.set(one, (found.get(one) ?? new Set()).add(idIn(column, row)));
            }
          }
        } finally {
          probe.close();
        }
      }
    }
    return found;
  }
}
