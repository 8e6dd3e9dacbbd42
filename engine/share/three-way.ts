/**
 * The merge of three sets of triples (semantics text 6.10): the base that both sides began with, ours and theirs. What both
 * have stays; what one side added is added; what one side removed is removed, whichever side it was. Without a base nothing
 * is known to have been removed.
 *
 * All that is reported of such a merge follows from seven counts, which add up over parts of the sets.
 */

export interface SetCounts {
  readonly base: number;
  readonly ours: number;
  readonly theirs: number;
  /** In both of the two. */
  readonly baseOurs: number;
  readonly baseTheirs: number;
  readonly oursTheirs: number;
  /** In all three. */
  readonly all: number;
}

export const RELATIONS = ['identical', 'ahead', 'behind', 'diverged', 'unrelated'] as const;
export type Relation = (typeof RELATIONS)[number];

export interface Differences {
  readonly ours: { readonly added: number; readonly removed: number };
  readonly theirs: { readonly added: number; readonly removed: number };
  readonly would: { readonly assert: number; readonly retract: number };
}

export function sumOf(one: SetCounts, other: SetCounts): SetCounts {
  return {
    base: one.base + other.base,
    ours: one.ours + other.ours,
    theirs: one.theirs + other.theirs,
    baseOurs: one.baseOurs + other.baseOurs,
    baseTheirs: one.baseTheirs + other.baseTheirs,
    oursTheirs: one.oursTheirs + other.oursTheirs,
    all: one.all + other.all,
  };
}

export function differencesOf({ base, ours, theirs, baseOurs, baseTheirs, oursTheirs, all }: SetCounts): Differences {
  return {
    ours: { added: ours - baseOurs, removed: base - baseOurs },
    theirs: { added: theirs - baseTheirs, removed: base - baseTheirs },
    would: { assert: theirs - oursTheirs - baseTheirs + all, retract: baseOurs - all },
  };
}

/** How ours stands to theirs. */
export function relationOf(
  { base, ours, theirs, baseOurs, baseTheirs, oursTheirs }: SetCounts,
  hasBase: boolean,
): Relation {
  if (ours === oursTheirs && theirs === oursTheirs) return 'identical';
  if (!hasBase) return 'unrelated';
  if (theirs === baseTheirs && base === baseTheirs) return 'ahead';
  if (ours === baseOurs && base === baseOurs) return 'behind';
  return 'diverged';
}

export interface MergedKeys {
  readonly counts: SetCounts;
  /** What they added and we have not. */
  readonly asserted: readonly string[];
  /** What they removed and we have. */
  readonly retracted: readonly string[];
  /** What they have and the base has not, and the other way round. */
  readonly theirAdditions: readonly string[];
  readonly theirRemovals: readonly string[];
}

type Keys = ReadonlySet<string> | ReadonlyMap<string, unknown>;

/** The merge of triples that have a text each, equal texts for equal triples. */
export function mergeKeys(base: Keys, ours: Keys, theirs: Keys): MergedKeys {
  const asserted: string[] = [];
  const retracted: string[] = [];
  const theirAdditions: string[] = [];
  const theirRemovals: string[] = [];
  let [baseOurs, baseTheirs, oursTheirs, all] = [0, 0, 0, 0];
  for (const key of base.keys()) {
    const [inOurs, inTheirs] = [ours.has(key), theirs.has(key)];
    if (inOurs) baseOurs++;
    if (inTheirs) baseTheirs++;
    else theirRemovals.push(key);
    if (inOurs && inTheirs) all++;
    if (inOurs && !inTheirs) retracted.push(key);
  }
  for (const key of theirs.keys()) {
    const [inBase, inOurs] = [base.has(key), ours.has(key)];
    if (inOurs) oursTheirs++;
    if (!inBase) theirAdditions.push(key);
    if (!inBase && !inOurs) asserted.push(key);
  }
  const counts = { base: base.size, ours: ours.size, theirs: theirs.size, baseOurs, baseTheirs, oursTheirs, all };
  return { counts, asserted, retracted, theirAdditions, theirRemovals };
}
