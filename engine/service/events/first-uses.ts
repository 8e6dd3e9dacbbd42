/**
 * Predicates and classes that this process has met in the store, so that a write that uses them again asks nothing. What
 * was used once has been used for good; only what an earlier transaction wrote is noted, since the ids of others may
 * still change. Forgotten after a commit that failed, which takes ids back.
 */

import type { Control } from '../../base/control.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { Earlier } from './earlier.js';
import { columnOf } from './node-keys.js';

/** Beyond so many they are forgotten, and met again. */
const KNOWN_MAX = 100_000;
const GROUP_NAME = /[#/:]groupId$/;

export class FirstUses {
  /** Of each predicate whether it names groups. */
  readonly #predicates = new Map<number, boolean>();
  readonly #classes = new Set<number>();

  /** Of some predicates how many were never used before, and which name the group of what is written. */
  predicates(
    snapshot: StorageSnapshot,
    earlier: () => Earlier,
    keys: Iterable<number>,
  ): { fresh: number; groups: number[] } {
    const groups: number[] = [];
    const unmet: number[] = [];
    for (const key of keys) {
      const namesGroup = this.#predicates.get(key);
      if (namesGroup === undefined) unmet.push(key);
      else if (namesGroup) groups.push(key);
    }
    if (unmet.length === 0) return { fresh: 0, groups };
    const used = earlier().predicates(unmet);
    const names = snapshot.decode(columnOf(unmet), unmet.length);
    if (this.#predicates.size + used.size > KNOWN_MAX) this.#predicates.clear();
    for (const [at, key] of unmet.entries()) {
      const namesGroup = GROUP_NAME.test(names[at]?.value ?? '');
      if (namesGroup) groups.push(key);
      if (used.has(key)) this.#predicates.set(key, namesGroup);
    }
    return { fresh: unmet.length - used.size, groups };
  }

  /** Of some classes how many nothing was said to be of before. */
  classes(earlier: () => Earlier, keys: Iterable<number>, type: TermId, control: Control): number {
    const unmet = [...keys].filter((key) => !this.#classes.has(key));
    if (unmet.length === 0) return 0;
    const used = earlier().classes(unmet, type, control);
    if (this.#classes.size + used.size > KNOWN_MAX) this.#classes.clear();
    for (const key of used) this.#classes.add(key);
    return unmet.length - used.size;
  }

  forget(): void {
    this.#predicates.clear();
    this.#classes.clear();
  }
}
