/**
 * Which entity each name of an episode is (wire shapes, 6.2).
 *
 * 1. The IRI that the name is minted as, where it has that label already.
 * 2. Else the smallest IRI in ROOT that has it. The activity of the episode of that name is not what a node means.
 * 3. Else the minted IRI. Where that has another label, or another name of this episode is minted so, a part of the hash of
 *    the name keeps the two apart, and a hint tells.
 *
 * What all names ask of the store goes by a few sorted probes.
 */

import { SvcError } from '../../base/errors.js';
import { addTo } from '../../base/maps.js';
import { compareCodePoints } from '../../base/text.js';
import { type Term, terms } from '../../rdf/terms.js';
import { TAG, type TermId, tagOf } from '../../storage/ids/layout.js';
import type { QuadColumns } from '../../storage/seam/engine.js';
import { decodeIds, idIn } from '../../storage/seam/rows.js';
import type { GraphSet, StorageSnapshot } from '../../storage/seam/scan.js';
import type { ResolutionHint } from './episode.js';
import { columnOf, entitiesLabelled, labelsOf, RDFS_LABEL, sortedKeys } from './label-lookups.js';
import { EPISODE_PREFIX, isMintedAs, mintedIri } from './names.js';

export interface MintScope {
  readonly baseNamespace: string;
  /** Where labels of minted IRIs stand: ROOT and the destination. */
  readonly graphs: GraphSet;
  /** Names from this place on are ends of edges alone. */
  readonly nodes: number;
  /** IRIs that other names of the episode have. */
  readonly taken: ReadonlyMap<string, string>;
  /** Those of some quads that are open in the store. */
  readonly openQuads: (quads: QuadColumns) => QuadColumns;
}

export interface Minted {
  /** The IRI of each name. */
  readonly iris: readonly string[];
  readonly collisions: readonly ResolutionHint[];
}

type Ids = BigUint64Array<ArrayBuffer>;

/** A name on its way to its IRI. */
interface Choice {
  readonly name: string;
  /** What it is minted as where that is free. */
  readonly plain: string;
  /** What is tried now, and how often something was; undefined when nothing is left. */
  minted: string | undefined;
  attempt: number;
  /** What it is. */
  iri: string | null;
}

/** Scores of collisions: two names that give the same IRI are not the same name. */
export type Likeness = (a: string, b: string) => number;

export function mintNames(
  snapshot: StorageSnapshot,
  names: readonly string[],
  scope: MintScope,
  likeness: Likeness,
): Minted {
  const choices = names.map((name): Choice => {
    const plain = mintedIri(scope.baseNamespace, name) as string;
    return { name, plain, minted: plain, attempt: 0, iri: null };
  });
  const labels = choices.map(({ name }) => snapshot.encode(terms.literal(name)));
  const others = takeOwnLabels(snapshot, choices, labels, scope);
  takeByLabel(snapshot, choices, labels, scope);
  return mintRest(snapshot, choices, others, scope, likeness);
}

/** Step 1. Gives the labels of the minted IRIs that have others. */
function takeOwnLabels(
  snapshot: StorageSnapshot,
  choices: readonly Choice[],
  labels: readonly (TermId | null)[],
  scope: MintScope,
): ReadonlyMap<string, TermId> {
  const ids = choices.map(({ plain }) => snapshot.encode(terms.namedNode(plain)));
  const own = ownLabels(snapshot, ids, labels, scope);
  const rest: Choice[] = [];
  for (const [at, choice] of choices.entries()) {
    if (ids[at] === null) continue;
    if (own.has(labels[at] as TermId)) choice.iri = choice.plain;
    else rest.push(choice);
  }
  const others = new Map<string, TermId>();
  const found = labelsOfIris(
    snapshot,
    rest.map(({ plain }) => plain),
    scope.graphs,
  );
  for (const [iri, [label]] of found) others.set(iri, label as TermId);
  return others;
}

/** The labels that their minted IRIs have: statements that are known are looked up whole, which is the least work. */
function ownLabels(
  snapshot: StorageSnapshot,
  ids: readonly (TermId | null)[],
  labels: readonly (TermId | null)[],
  { graphs, openQuads }: MintScope,
): ReadonlySet<TermId> {
  const predicate = snapshot.encode(RDFS_LABEL, true);
  const known = [...ids.keys()].filter((at) => ids[at] !== null && labels[at] !== null);
  if (predicate === null || known.length === 0) return new Set();
  const among = graphs.kind === 'some' ? graphs.graphs : graphs.kind === 'one' ? [graphs.graph] : [];
  const rows = known.length * among.length;
  const [s, p, o, g] = [0, 1, 2, 3].map(() => new BigUint64Array(rows)) as [Ids, Ids, Ids, Ids];
  for (let row = 0; row < rows; row++) {
    const at = known[row % known.length] as number;
    s[row] = ids[at] as TermId;
    p[row] = predicate;
    o[row] = labels[at] as TermId;
    g[row] = among[Math.floor(row / known.length)] as TermId;
  }
  const open = openQuads({ rows, s: columnOf(s), p: columnOf(p), o: columnOf(o), g: columnOf(g) });
  const found = new Set<TermId>();
  for (let row = 0; row < open.rows; row++) found.add(idIn(open.o, row));
  return found;
}

/** The labels of IRIs that have any. */
function labelsOfIris(snapshot: StorageSnapshot, iris: readonly string[], graphs: GraphSet): Map<string, TermId[]> {
  const byId = new Map<TermId, string>();
  for (const iri of iris) {
    const id = snapshot.encode(terms.namedNode(iri));
    if (id !== null) byId.set(id, iri);
  }
  const found = new Map<string, TermId[]>();
  if (byId.size === 0) return found;
  const keys = sortedKeys([...byId.keys()]);
  labelsOf(snapshot, graphs, keys, (key, label) => {
    const iri = byId.get(keys[key] as bigint) as string;
    addTo(found, iri, label);
  });
  return found;
}

/** Step 2. */
function takeByLabel(
  snapshot: StorageSnapshot,
  choices: readonly Choice[],
  labels: readonly (TermId | null)[],
  { baseNamespace, nodes }: MintScope,
): void {
  const wanted = new Map<TermId, number>();
  for (const [at, label] of labels.entries()) {
    if (label !== null && (choices[at] as Choice).iri === null) wanted.set(label, at);
  }
  if (wanted.size === 0) return;
  const keys = sortedKeys([...wanted.keys()]);
  const smallest = new Smallest(snapshot, (key, iri) => {
    const at = wanted.get(keys[key] as bigint) as number;
    const choice = choices[at] as Choice;
    // The IRIs of the activity have the name behind the prefix, with or without a part of its hash.
    if (at < nodes && isMintedAs(baseNamespace + EPISODE_PREFIX, choice.name, iri)) return;
    if (choice.iri === null || compareCodePoints(iri, choice.iri) < 0) choice.iri = iri;
  });
  entitiesLabelled(snapshot, keys, (key, entity) => smallest.add(key, entity));
  smallest.flush();
}

const DECODED_AT_ONCE = 1024;

/** Hands on the IRIs among some entities; a label that very many have is decoded in parts. */
class Smallest {
  readonly #keys: number[] = [];
  readonly #ids = new BigUint64Array(DECODED_AT_ONCE);

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly take: (key: number, iri: string) => void,
  ) {}

  add(key: number, entity: TermId): void {
    if (tagOf(entity) !== TAG.iri) return;
    this.#ids[this.#keys.length] = entity;
    this.#keys.push(key);
    if (this.#keys.length === DECODED_AT_ONCE) this.flush();
  }

  flush(): void {
    const decoded = this.snapshot.decode(columnOf(this.#ids), this.#keys.length);
    for (const [at, { value }] of decoded.entries()) this.take(this.#keys[at] as number, value);
    this.#keys.length = 0;
  }
}

/** Step 3. */
function mintRest(
  snapshot: StorageSnapshot,
  choices: readonly Choice[],
  others: ReadonlyMap<string, TermId>,
  { baseNamespace, graphs, taken: before }: MintScope,
  likeness: Likeness,
): Minted {
  const taken = new Map(before);
  const collided = new Map<string, string>();
  let left = choices.filter(({ iri }) => iri === null);
  let labelled: ReadonlyMap<string, TermId> = others;
  while (left.length > 0) {
    const again: Choice[] = [];
    for (const choice of left) {
      const iri = choice.minted;
      if (iri === undefined)
        throw new SvcError('invalid_request', `${JSON.stringify(choice.name)}: every IRI of the name is taken`);
      const label = labelled.get(iri);
      if (label === undefined && !taken.has(iri)) {
        choice.iri = iri;
        taken.set(iri, choice.name);
        continue;
      }
      if (choice.attempt === 0)
        collided.set(choice.name, taken.get(iri) ?? (decodeIds(snapshot, [label as TermId])[0] as Term).value);
      choice.minted = mintedIri(baseNamespace, choice.name, ++choice.attempt);
      again.push(choice);
    }
    left = again;
    if (left.length > 0) labelled = otherLabels(snapshot, left, graphs);
  }
  const collisions = choices
    .filter(({ name }) => collided.has(name))
    .map(({ name, plain }): ResolutionHint => {
      const score = likeness(name, collided.get(name) as string);
      return { node: name, candidates: [{ iri: plain, score, matchedOn: 'iri_collision' }] };
    });
  return { iris: choices.map(({ iri }) => iri as string), collisions };
}

/** Labels of the IRIs at hand other than the name itself. */
function otherLabels(snapshot: StorageSnapshot, choices: readonly Choice[], graphs: GraphSet): Map<string, TermId> {
  const found = labelsOfIris(
    snapshot,
    choices.map(({ minted = '' }) => minted),
    graphs,
  );
  const others = new Map<string, TermId>();
  for (const { name, minted = '' } of choices) {
    const known = found.get(minted) ?? [];
    const own = snapshot.encode(terms.literal(name));
    if (known.length > 0 && (own === null || !known.includes(own))) others.set(minted, known[0] as TermId);
  }
  return others;
}
