/**
 * A verified share against this store (semantics text 6.10): rewrites its names, finds the base, and merges the three
 * sets without writing anything. Of what is in all of them only counts are kept; what differs is kept by ids where the store
 * has ids for it.
 *
 * A share of another store is a state of ROOT, unless it goes back to a share that this store gave away: then it is a state of what
 * that one was of. To compare it with ROOT would tell that all of that graph was removed here.
 */

import type { Control } from '../base/control.js';
import type { Quad } from '../rdf/terms.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import type { GraphSet } from '../storage/seam/source.js';
import { compareGround, type GroundComparison } from './compare-ground.js';
import type { ShareManifest } from './manifest.js';
import { type MergedTriples, mergeTerms } from './merge-blank-nodes.js';
import { planRewrite } from './name-rewrite.js';
import { findBase, graphIriOf, graphsOf, importedNames, type KnownBase, ROOT_SCOPE } from './share-base.js';
import { TheirLines } from './their-lines.js';
import { type SetCounts, sumOf } from './three-way.js';
import type { VerifiedShare } from './verify-bundle.js';

export interface ShareComparison {
  readonly shareId: string;
  readonly manifest: ShareManifest;
  readonly base: KnownBase | null;
  /** IRI of the graph that is merged into; null = ROOT. */
  readonly graph: string | null;
  readonly counts: SetCounts;
  /** What is ours, as a set of graphs. */
  readonly ours: GraphSet;
  readonly ground: GroundComparison;
  readonly blank: MergedTriples;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** `store`: the identity of this store; null = it has none, and every share is foreign. */
export async function compareShare(
  share: VerifiedShare,
  { snapshot, store }: { readonly snapshot: StorageSnapshot; readonly store: string | null },
  control: Control,
): Promise<ShareComparison> {
  const { manifest, shareId } = share;
  const base = findBase(snapshot, manifest, shareId);
  const isForeign = isOfAnother(manifest, store);
  const scope = isForeign ? (base?.scope ?? ROOT_SCOPE) : manifest.scope;
  const [graph, ours] = [graphIriOf(scope), graphsOf(snapshot, scope)];
  const targets = isForeign ? await namesOf(share, base, snapshot, control) : NO_NAMES;
  const lines = new TheirLines(share, targets, control);
  const ground = await compareGround(snapshot, { base: base?.graphs ?? null, ours }, lines, control);
  const sides = { base: ground.blankBase, ours: ground.blankOurs, theirs: lines.blank };
  const blank = await mergeTerms(sides, shareId, control);
  const counts = sumOf(ground.counts, blank.counts);
  return { shareId, manifest, base, graph, ours, counts, ground, blank };
}

function isOfAnother({ lineage }: ShareManifest, store: string | null): boolean {
  return store === null || lineage.store !== store;
}

/** The graph that a share would be merged into; null = ROOT. */
export function graphOfMerge(
  { manifest, shareId }: Pick<VerifiedShare, 'manifest' | 'shareId'>,
  { snapshot, store }: { readonly snapshot: StorageSnapshot; readonly store: string | null },
): string | null {
  if (!isOfAnother(manifest, store)) return graphIriOf(manifest.scope);
  return graphIriOf(findBase(snapshot, manifest, shareId)?.scope ?? ROOT_SCOPE);
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

/** Ground triples that they added and no side had before: their rows in the index. */
export function addedRows({ ground: { added } }: ShareComparison): number[] {
  const rows: number[] = [];
  for (let row = 0; row < added.known.rows; row++) if (added.known.marks[row] === 0) rows.push(row);
  return rows;
}

/** All triples that the merge would write without a conflict, but for those that are known by ids alone. */
export function addedTerms({ ground, blank }: ShareComparison): readonly Quad[] {
  return [...ground.added.fresh, ...blank.asserted];
}
