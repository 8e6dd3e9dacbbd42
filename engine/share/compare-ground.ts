/**
 * The merge of the triples without blank nodes. Two comparisons, each read in one pass, say all of it: theirs against ours as
 * lines in the canonical order, and the base against ours by ids. A triple is in the base when it is ours and not of those that
 * the base has not, or when it is one of those that only the base has. So what all sides have costs no lookup.
 */

import type { Control } from '../base/control.js';
import type { Quad } from '../rdf/terms.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { AddedTriples } from './added-triples.js';
import { changedSince, indexOf, sameGraphThen, without } from './changed-since.js';
import { GroundRows } from './ground-lines.js';
import { COMPARISON, differenceById, type IdDifference, type LocalSets } from './id-difference.js';
import { differenceByLine } from './line-difference.js';
import { LineSorter } from './line-sorter.js';
import type { TheirLines } from './their-lines.js';
import type { SetCounts } from './three-way.js';
import type { TripleIndex } from './triple-index.js';
import { TripleList } from './triple-list.js';

/** The mark of triples that the base has. */
export const IN_BASE = 1;

export interface GroundComparison {
  readonly counts: SetCounts;
  /** Theirs, and not ours; those of the base have the mark. */
  readonly added: AddedTriples;
  /** Ours, and not theirs; those of the base have the mark. */
  readonly lacking: TripleIndex;
  /** Of the base, and not theirs: those that are ours, and those that are not. */
  readonly retracted: TripleList;
  readonly removedByBoth: TripleList;
  /** Ours and theirs, and not of the base, where there is one. */
  readonly addedByBoth: TripleList;
  readonly blankBase: readonly Quad[];
  readonly blankOurs: readonly Quad[];
}

export async function compareGround(
  snapshot: StorageSnapshot,
  sets: LocalSets,
  lines: TheirLines,
  control: Control,
): Promise<GroundComparison> {
  const against = await againstOurs(snapshot, sets, lines, control);
  const { added, lacking, ourLines } = against;
  const ids =
    (await differenceSince(snapshot, sets, against, control)) ?? (await differenceById(snapshot, sets, control));
  const [onlyBase, onlyOurs] = [indexOf(ids.onlyBase), indexOf(ids.onlyOurs)];
  const hasBase = sets.base !== null;
  const retracted = new TripleList();
  for (let row = 0; row < lacking.rows; row++) {
    if (!hasBase || onlyOurs.find(lacking.s, lacking.p, lacking.o, row) !== -1) continue;
    lacking.marks[row] = IN_BASE;
    retracted.push(lacking, row);
  }
  let back = 0;
  const { known } = added;
  for (let row = 0; row < known.rows; row++) {
    if (onlyBase.find(known.s, known.p, known.o, row) === -1) continue;
    known.marks[row] = IN_BASE;
    back++;
  }
  const removedByBoth = without(ids.onlyBase, known);
  const addedByBoth = without(ids.onlyOurs, lacking);
  const oursTheirs = ourLines - lacking.rows;
  const all = ids.both - retracted.rows;
  const counts = {
    base: ids.base,
    ours: ids.ours,
    theirs: oursTheirs + added.rows,
    baseOurs: ids.both,
    baseTheirs: all + back,
    oursTheirs,
    all,
  };
  const { blankBase, blankOurs } = ids;
  return { counts, added, lacking, retracted, removedByBoth, addedByBoth, blankBase, blankOurs };
}

interface AgainstOurs extends Pick<GroundComparison, 'added' | 'lacking'> {
  readonly ourLines: number;
  /** Ours are all of them. */
  readonly isAllGround: boolean;
}

/** Null where both sides have to be read. */
async function differenceSince(
  snapshot: StorageSnapshot,
  { base, ours }: LocalSets,
  { ourLines, isAllGround }: AgainstOurs,
  control: Control,
): Promise<IdDifference | null> {
  const then = base === null || !isAllGround ? null : sameGraphThen(base, ours);
  const changed = then === null ? null : await changedSince(snapshot, then, COMPARISON, control);
  if (changed === null) return null;
  const { onlyThen: onlyBase, onlyNow: onlyOurs } = changed;
  const both = ourLines - onlyOurs.rows;
  return { base: both + onlyBase.rows, ours: ourLines, both, onlyBase, onlyOurs, blankBase: [], blankOurs: [] };
}

async function againstOurs(
  snapshot: StorageSnapshot,
  { ours }: LocalSets,
  lines: TheirLines,
  control: Control,
): Promise<AgainstOurs> {
  const sorter = new LineSorter(control);
  try {
    const rows = new GroundRows(snapshot, ours);
    for await (const some of rows.lines(control)) {
      if (sorter.add(some)) await sorter.spill();
    }
    const added = new AddedTriples(snapshot);
    const left = new AddedTriples(snapshot);
    let ourLines = 0;
    async function* sorted(): AsyncGenerator<Uint8Array> {
      for await (const { bytes, lines: count } of sorter.sorted()) {
        ourLines += count;
        yield bytes;
      }
    }
    const taker = { onlyOurs: (some: Buffer) => left.take(some), onlyTheirs: (some: Buffer) => added.take(some) };
    await differenceByLine({ ours: sorted(), theirs: lines.read() }, taker, COMPARISON, control);
    return { added, lacking: left.known, ourLines, isAllGround: !rows.hasOthers };
  } finally {
    await sorter.close();
  }
}
