/**
 * Work items that touch what a work item touches (semantics of reasoning, 11.5): for every other item the distinct entities that
 * a commit of the one and a commit of the other have modified. Entities are looked at some at a time, so that one which
 * everybody modifies does not have to be held beside all others.
 */

import type { InterruptLimits } from '../../base/interrupt.js';
import { compareCodePoints } from '../../base/text.js';
import type { Term } from '../../rdf/terms.js';
import { MemoryBound } from '../../reason/graph/memory-bound.js';
import { Pace } from '../../reason/graph/pace.js';
import type { TermId } from '../../storage/ids/layout.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { entityText, toIri } from '../facts/entity.js';
import { type PageOptions, windowOf } from '../facts/paging.js';
import { type TimeOptions, toTimeSlice } from '../options/store-options.js';
import { FactLookups } from './fact-lookups.js';
import { PathWords } from './steps.js';

export interface CooccurrenceOptions extends TimeOptions, PageOptions, InterruptLimits {
  /** query.memory_budget_mb in bytes. */
  readonly memoryBytes?: number | undefined;
}

export interface Cooccurring {
  readonly workItem: string;
  readonly sharedEntities: number;
}

export interface Cooccurrences {
  readonly workItem: string;
  /** The page that was asked for: most shared entities first, then by IRI. */
  readonly cooccurring: readonly Cooccurring[];
  /** True when there are more behind the page. */
  readonly truncated: boolean;
}

const ENTITIES_AT_ONCE = 256;
const ITEM_BYTES = 64;
const OF_COUNTS = { what: 'the count of shared entities', instead: 'ask for an item that touches less' };

export async function cooccurrencesOf(
  snapshot: StorageSnapshot,
  workItem: string,
  options: CooccurrenceOptions,
  baseNamespace: string,
): Promise<Cooccurrences> {
  const item = toIri(workItem, 'work_item');
  const { from, to } = windowOf(options);
  const time = toTimeSlice(options, snapshot.tx);
  const limits = { pace: new Pace(options, 'the count'), memory: new MemoryBound(options.memoryBytes, OF_COUNTS) };
  await limits.pace.turn();
  const id = snapshot.encode(item);
  if (id === null) return { workItem: item.value, cooccurring: [], truncated: false };
  const words = new PathWords(baseNamespace);
  const [implementing, modifying] = [words.of('implements'), words.of('modifies')];
  const own = new FactLookups(snapshot, limits, time);
  const commits = [...(await own.subjectsOf([id], implementing)).values()].flat();
  const entities = [...new Set([...(await own.valuesOf(commits, modifying)).values()].flat())];
  const shared = new Map<TermId, number>();
  for (let first = 0; first < entities.length; first += ENTITIES_AT_ONCE) {
    // What was found for some entities is not held for the next.
    const memory = new MemoryBound(options.memoryBytes, OF_COUNTS);
    const facts = new FactLookups(snapshot, { pace: limits.pace, memory }, time);
    const modifiers = await facts.subjectsOf(entities.slice(first, first + ENTITIES_AT_ONCE), modifying);
    const items = await facts.valuesOf([...modifiers.values()].flat(), implementing);
    for (const of of modifiers.values()) {
      const touching = new Set(of.flatMap((commit) => items.get(commit) ?? []));
      touching.delete(id);
      for (const one of touching) {
        const before = shared.get(one);
        if (before === undefined) limits.memory.hold(ITEM_BYTES);
        shared.set(one, (before ?? 0) + 1);
      }
    }
  }
  const ids = [...shared.keys()];
  const names = decodeIds(snapshot, ids);
  const all = ids
    .map((one, at) => ({ workItem: entityText(names[at] as Term), sharedEntities: shared.get(one) as number }))
    .sort((a, b) => b.sharedEntities - a.sharedEntities || compareCodePoints(a.workItem, b.workItem));
  return { workItem: item.value, cooccurring: all.slice(from, to), truncated: all.length > to };
}
