/**
 * What the text index keeps in its database, `texts`, by text keys:
 *
 * | Key | Value, sealed JSON |
 * |---|---|
 * | `state` | Whether the index is wanted, the rules of its words, and of each kind the segments, ascending, one behind the other from the first term on |
 * | `words/<id>/...`, `parts/<id>/...` | The values of segments (`segment-writer.ts`) |
 *
 * Ids of segments are never given twice. Values of ids that the state does not list are left from work that was given up, or
 * from segments that were taken into others; the next work on the index removes them.
 */

import { ROOT_TERM_NUMBER } from '../../ids/layout.js';
import { seal, unseal } from '../../lmdb/sealed.js';
import { TEXT_KINDS, type TextKind } from '../../seam/engine.js';
import type { IndexStore, IndexWriter } from '../../seam/scan.js';
import type { SegmentRecord } from './segment-reader.js';
import { TEXT_DAMAGE_HINT, TEXT_DATABASE } from './text-database.js';
import { WORDS_VERSION } from './words.js';

export { TEXT_KINDS, type TextKind } from '../../seam/engine.js';
export { TEXT_DATABASE } from './text-database.js';

export interface TextState {
  /** Somebody has said what is wanted, or has searched. */
  readonly isDecided?: boolean | undefined;
  /** Kept up to date with what is written. */
  readonly wanted: readonly TextKind[];
  /** The rules by which words were found; other rules need another index. */
  readonly version: string;
  readonly nextId: number;
  /** Beginnings of keys whose values are to be removed. */
  readonly dead: readonly string[];
  readonly words: readonly SegmentRecord[];
  readonly parts: readonly SegmentRecord[];
}

export const NO_TEXTS: TextState = { wanted: [], version: WORDS_VERSION, nextId: 1, dead: [], words: [], parts: [] };

const known = new WeakMap<IndexStore, { readonly bytes: Buffer; readonly state: TextState }>();

export function readTextState(store: IndexStore, transaction?: object): TextState {
  const bytes = store.readCopy(TEXT_DATABASE, 'state', transaction);
  if (bytes === undefined) return NO_TEXTS;
  const before = known.get(store);
  if (before?.bytes.equals(bytes) === true) return before.state;
  const state = JSON.parse(
    unseal(bytes, 'the state of the text index', TEXT_DAMAGE_HINT).toString('utf8'),
  ) as TextState;
  const usable = withoutOutdated(state);
  known.set(store, { bytes, state: usable });
  return usable;
}

/** Other rules find other words, and segments of parts once had no prefixes of ids: such are passed over, and made anew. */
function withoutOutdated(state: TextState): TextState {
  const words = state.version === WORDS_VERSION ? state.words : [];
  const parts = state.parts.every(({ hasPrefixes }) => hasPrefixes) ? state.parts : [];
  const gone = (['words', 'parts'] as const).flatMap((kind) =>
    ({ words, parts })[kind].length > 0 ? [] : state[kind].map(({ id }) => segmentPrefix(kind, id)),
  );
  if (gone.length === 0 && state.version === WORDS_VERSION) return state;
  return { ...state, version: WORDS_VERSION, dead: [...state.dead, ...gone], words, parts };
}

export function sealTextState(state: TextState): Buffer {
  return seal(Buffer.from(JSON.stringify(state)));
}

/** Terms below this number are in the index. */
export function coveredTo(state: TextState, kind: TextKind): number {
  return state[kind].at(-1)?.to ?? ROOT_TERM_NUMBER;
}

export function segmentPrefix(kind: TextKind, id: number): string {
  return `${kind}/${String(id).padStart(10, '0')}/`;
}

export function sameKinds(a: readonly TextKind[], b: readonly TextKind[]): boolean {
  return TEXT_KINDS.every((kind) => a.includes(kind) === b.includes(kind));
}

/** What is kept up to date from now on; the segments of what is not go. */
export function changeWanted(wanted: readonly TextKind[]): (writer: IndexWriter) => void {
  return (writer) => {
    const state = readTextState(writer);
    const gone = TEXT_KINDS.filter((kind) => !wanted.includes(kind));
    const dead = gone.flatMap((kind) => state[kind].map(({ id }) => segmentPrefix(kind, id)));
    const without = Object.fromEntries(gone.map((kind) => [kind, []]));
    writer.put(
      TEXT_DATABASE,
      'state',
      sealTextState({ ...state, ...without, isDecided: true, wanted, dead: [...state.dead, ...dead] }),
    );
  };
}
