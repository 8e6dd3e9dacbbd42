/**
 * A verified share against this store (semantics text 6.10): rewrites its names, finds the base, and merges the three
 * sets without writing anything. Of what is in all of them only counts are kept; what differs is kept by ids where the store
 * has ids for it.
 */

import type { Control } from '../base/control.js';
import type { Quad } from '../rdf/terms.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { type Compared, compareLocal } from './local-triples.js';
import type { ShareManifest, ShareScope } from './manifest.js';
import { type MergedTriples, mergeTerms } from './merge-blank-nodes.js';
import { planRewrite } from './name-rewrite.js';
import { findBase, graphIriOf, graphsOf, importedNames, type KnownBase } from './share-base.js';
import { TheirTriples } from './their-triples.js';
import { type SetCounts, sumOf } from './three-way.js';
import { readVerified, type VerifiedShare } from './verify-bundle.js';

export interface ShareComparison {
  readonly shareId: string;
  readonly manifest: ShareManifest;
  readonly base: KnownBase | null;
  /** IRI of the graph that is merged into; null = ROOT. */
  readonly graph: string | null;
  readonly counts: SetCounts;
  readonly theirs: TheirTriples;
  readonly ground: Compared;
  readonly blank: MergedTriples;
}

const ROOT_SCOPE: ShareScope = { kind: 'root', value: null };
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** `store`: the identity of this store; null = it has none, and every share is foreign. */
export async function compareShare(
  share: VerifiedShare,
  { snapshot, store }: { readonly snapshot: StorageSnapshot; readonly store: string | null },
  control: Control,
): Promise<ShareComparison> {
  const { manifest, shareId } = share;
  const isForeign = store === null || manifest.lineage.store !== store;
  const scope = isForeign ? ROOT_SCOPE : manifest.scope;
  const [graph, ours] = [graphIriOf(scope), graphsOf(snapshot, scope)];
  const base = findBase(snapshot, manifest, shareId);
  const targets = isForeign ? await namesOf(share, base, snapshot, control) : NO_NAMES;
  const theirs = new TheirTriples(snapshot, { targets, triples: manifest.counts.triples });
  await readVerified(share.exportNTriples, manifest, control, (line) => theirs.take(line));
  const ground = await compareLocal(snapshot, { base: base?.graphs ?? null, ours }, theirs, control);
  const sides = { base: ground.blankBase, ours: ground.blankOurs, theirs: theirs.blank };
  const blank = await mergeTerms(sides, shareId, control);
  const counts = sumOf(ground.counts, blank.counts);
  return { shareId, manifest, base, graph, counts, theirs, ground, blank };
}

/**
 * By their labels, as an import would find them; but what an import of this share, or of its base, has rewritten stays so, since
 * under these names it is here.
 */
async function namesOf(
  share: VerifiedShare,
  base: KnownBase | null,
  snapshot: StorageSnapshot,
  control: Control,
): Promise<ReadonlyMap<string, string>> {
  const { targets } = await planRewrite(share, snapshot, control);
  const known = importedNames(snapshot, [base?.shareId ?? share.shareId, share.shareId]);
  return known.size === 0 ? targets : new Map([...targets, ...known]);
}

/** Ground triples that they added and no side had before: their rows in the index, and those with new terms. */
export function addedRows({ theirs: { known } }: ShareComparison): number[] {
  const rows: number[] = [];
  for (let row = 0; row < known.rows; row++) if (known.marks[row] === 0) rows.push(row);
  return rows;
}

/** All triples that the merge would write without a conflict, but for those that are known by ids alone. */
export function addedTerms({ theirs, blank }: ShareComparison): readonly Quad[] {
  return [...theirs.fresh, ...blank.asserted];
}
