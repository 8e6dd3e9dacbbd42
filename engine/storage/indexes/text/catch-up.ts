/**
 * Reads the terms that are in no segment into memory, as long as that can be done in time: once it is seen how fast it goes, who
 * waits is told at once that it would take too long, and what helps. What was read stays, and the next search goes on from there.
 */

import { SvcError } from '../../../base/errors.js';
import type { FileView } from '../secondary-index.js';
import type { Pace } from './pace.js';

/** How long it reads before it judges: code that has just been loaded is slow. */
const JUDGED_AFTER_MS = 2000;

interface Tail {
  /** Terms below this number have been read. */
  readonly to: number;
  follow(view: FileView, to: number): Generator<void>;
}

export function catchUp(
  tail: Tail,
  view: FileView,
  end: number,
  pace: Pace,
  now: () => number = () => performance.now(),
): void {
  const [first, begin] = [tail.to, now()];
  for (const _ of tail.follow(view, end)) {
    pace();
    const left = pace.left?.();
    const spent = now() - begin;
    if (left === undefined || spent < JUDGED_AFTER_MS || tail.to === first) continue;
    const needed = (spent * (end - tail.to)) / (tail.to - first);
    if (needed > left.ms) throw tooSlow(end - tail.to, needed, left);
  }
}

function tooSlow(terms: number, neededMs: number, left: { readonly ms: number; readonly setting: string }): SvcError {
  const seconds = (ms: number): string => `${Math.max(1, Math.round(ms / 1000))} s`;
  return new SvcError(
    'query_timeout',
    `${terms} terms of the store are in no index of texts; reading them would take some ${seconds(neededMs)}, and ${seconds(left.ms)} are left (${left.setting})`,
    {
      hint: 'svc fold --texts words,parts makes the index; a server that may write makes it beside other work, and is asked again after a while',
    },
  );
}
