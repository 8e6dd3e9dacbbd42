/**
 * The merge of the triples without blank nodes. Two comparisons, each read in one pass, say all of it: theirs against ours as
 * lines in the canonical order, and the base against ours by ids. A triple is in the base when it is ours and not of those that
 * the base has not, or when it is one of those that only the base has. So what all sides have costs no lookup.
 */

import type { Control } from '../base/control.js';
import type { Quad } from '../rdf/terms.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { AddedTriples } from './added-triples.js';
import { GroundRows } from './ground-lines.js';
import { COMPARISON, differenceById, type LocalSets } from './id-difference.js';
import { differenceByLine } from './line-difference.js';
import { LineSorter } from './line-sorter.js';
import type { TheirLines } from './their-lines.js';
import type { SetCounts } from './three-way.js';
import { TripleIndex } from './triple-index.js';
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
  const { added, lacking, ourLines } = await againstOurs(snapshot, sets, lines, control);
  const ids = await differenceById(snapshot, sets, control);
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

async function againstOurs(
  snapshot: StorageSnapshot,
  { ours }: LocalSets,
  lines: TheirLines,
  control: Control,
): Promise<Pick<GroundComparison, 'added' | 'lacking'> & { readonly ourLines: number }> {
  const sorter = new LineSorter(control);
  try {
    for await (const some of new GroundRows(snapshot, ours).lines(control)) {
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
    return { added, lacking: left.known, ourLines };
  } finally {
    await sorter.close();
  }
}

function indexOf({ columns, rows }: TripleList): TripleIndex {
  return TripleIndex.over(columns, rows);
}

/** The triples of a list that an index has not. */
function without(list: TripleList, index: TripleIndex): TripleList {
  const left = new TripleList();
  const { columns, rows } = list;
  for (let row = 0; row < rows; row++) {
    if (index.find(columns.s, columns.p, columns.o, row) === -1) left.push(columns, row);
  }
  return left;
}
