/**
 * The exact-name rewrite of a share (semantics text 6.8 D): a foreign IRI whose label is, to the character, the label of one
 * local entity becomes that entity.
 *
 * 1. Names are `rdfs:label`s only, compared without their languages: no folding of case, no trimming, no normalisation.
 * 2. A foreign IRI that is a subject of ROOT is local already, and stays.
 * 3. It is rewritten when all its labels together name exactly one local entity, that is an IRI, and nothing else of the share claims
 *    that entity: no other subject by its labels, and none that is the entity itself. So two subjects of a share never
 *    become one.
 * 4. Subjects and objects are rewritten; predicates, classes (objects of `rdf:type`) and datatypes never.
 */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { RDF_NS, RDFS, type Term, terms } from '../rdf/terms.js';
import type { TermId } from '../storage/ids/layout.js';
import { decodeIds, patternOf, ROOT_ONLY, readRows } from '../storage/seam/rows.js';
import { CURRENT, type IdColumn, type StorageSnapshot } from '../storage/seam/scan.js';
import type { VerifiedShare } from './verify-bundle.js';

export interface RewrittenName {
  readonly from: string;
  readonly to: string;
  /** The label that both have. */
  readonly name: string;
}

export interface RewritePlan {
  /** In the order of `from`. */
  readonly rewritten: readonly RewrittenName[];
  /** From foreign to local IRI. */
  readonly targets: ReadonlyMap<string, string>;
  /** Foreign IRIs that have labels, are not rewritten and no subjects of ROOT, with their labels; in the order of the share. */
  readonly remaining: ReadonlyMap<string, readonly string[]>;
}

export const RDF_TYPE_IRI = `${RDF_NS}type`;
const WHAT = 'the comparison of names';
const LABEL = terms.namedNode(`${RDFS}label`);

export async function planRewrite(
  { names }: Pick<VerifiedShare, 'names'>,
  snapshot: StorageSnapshot,
  control: Control = {},
): Promise<RewritePlan> {
  if (!hasLabels(snapshot)) return NOTHING_NAMED;
  const { labels } = names;
  const local = localSubjects(snapshot, [...labels.keys()]);
  const candidates = await candidatesOf(snapshot, labels, control);
  const claims = new Map<string, number>();
  for (const found of candidates.values()) for (const key of found.keys()) claims.set(key, (claims.get(key) ?? 0) + 1);
  const rewritten: RewrittenName[] = [];
  const remaining = new Map<string, readonly string[]>();
  for (const [iri, texts] of labels) {
    if (local.has(iri)) continue;
    const found = candidates.get(iri) ?? NONE;
    const [only] = found;
    if (found.size === 1 && only !== undefined && claims.get(only[0]) === 1) {
      const [to, name] = only;
      if (!to.startsWith('_:') && !names.has(to)) {
        rewritten.push({ from: iri, to, name });
        continue;
      }
    }
    remaining.set(iri, texts);
  }
  return { rewritten, targets: new Map(rewritten.map(({ from, to }) => [from, to])), remaining };
}

/** Where ROOT has no label, nothing can be called as anything there. */
const NOTHING_NAMED: RewritePlan = { rewritten: [], targets: new Map(), remaining: new Map() };

function hasLabels(snapshot: StorageSnapshot): boolean {
  const p = snapshot.encode(LABEL, true);
  if (p === null) return false;
  return snapshot.count({ graphs: ROOT_ONLY, pattern: patternOf({ p }), time: CURRENT }) > 0;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** Of each foreign IRI the local entities that have one of its labels, each with that label; blank nodes as `_:label`. */
async function candidatesOf(
  snapshot: StorageSnapshot,
  labels: ReadonlyMap<string, readonly string[]>,
  control: Control,
): Promise<Map<string, Map<string, string>>> {
  const byName = new Map<string, string[]>();
  for (const [iri, names] of labels) {
    for (const name of names) {
      const owners = byName.get(name);
      if (owners === undefined) byName.set(name, [iri]);
      else owners.push(iri);
    }
  }
  const candidates = new Map<string, Map<string, string>>();
  for await (const { name, entity } of localLabels(snapshot, byName, control)) {
    for (const iri of byName.get(name) as string[]) {
      const known = candidates.get(iri);
      if (known === undefined) candidates.set(iri, new Map([[entity, name]]));
      else if (!known.has(entity)) known.set(entity, name);
    }
  }
  return candidates;
}

/** The current labels of ROOT that are among some names, with the entities that have them. */
async function* localLabels(
  snapshot: StorageSnapshot,
  names: { has(name: string): boolean; readonly size: number },
  control: Control,
): AsyncGenerator<{ readonly name: string; readonly entity: string }> {
  const p = snapshot.encode(LABEL, true);
  if (p === null || names.size === 0) return;
  const request = { graphs: ROOT_ONLY, pattern: patternOf({ p }), order: 'POSG', time: CURRENT } as const;

  for (const batch of readRows(snapshot, { ...request, columns: ['s', 'o'] })) {
    throwIfStopped(control, WHAT);
    const texts = snapshot.decode(batch.column('o'), batch.rows);
    const found: [name: string, entity: TermId][] = [];
    for (let row = 0; row < batch.rows; row++) {
      const { termType, value } = texts[row] as Term;
      if (termType === 'Literal' && names.has(value)) found.push([value, batch.id('s', row)]);
    }
    const entities = decodeIds(
      snapshot,
      found.map(([, entity]) => entity),
    );
    for (const [at, [name]] of found.entries()) {
      const { termType, value } = entities[at] as Term;
      yield { name, entity: termType === 'BlankNode' ? `_:${value}` : value };
    }
    await breathe();
  }
}

/** Those of some IRIs that are subjects of ROOT. */
function localSubjects(snapshot: StorageSnapshot, iris: readonly string[]): ReadonlySet<string> {
  const known: [id: TermId, iri: string][] = [];
  for (const iri of iris) {
    const id = snapshot.encode(terms.namedNode(iri));
    if (id !== null) known.push([id, iri]);
  }
  known.sort(([one], [other]) => (one < other ? -1 : 1));
  const keys: IdColumn = new Uint32Array(BigUint64Array.from(known, ([id]) => id).buffer);
  const request = { graphs: ROOT_ONLY, pattern: {}, order: 'SPOG', time: CURRENT, keys: ['s'] } as const;
  const probe = snapshot.probe({ ...request, columns: [], counted: true });
  const found = new Set<string>();
  try {
    probe.begin([keys], known.length);
    for (let batch = probe.next(); batch !== null; batch = probe.next()) {
      for (let row = 0; row < batch.rows; row++)
        found.add((known[batch.keys[row] as number] as (typeof known)[number])[1]);
    }
  } finally {
    probe.close();
  }
  return found;
}
