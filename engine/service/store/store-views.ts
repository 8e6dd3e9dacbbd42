/**
 * A store as readers see it who may read some graphs only: a view for all who may read the same, made when it is first
 * asked for. What a store remembers from read to read (plans, classes, names), a view remembers by itself, so nothing of a
 * graph reaches a reader that way.
 */

import { ANYONE, type Principal } from '../../base/principal.js';
import type { Deliveries } from '../events/store-events.js';
import { ownerOf } from '../reads/narrowed-engine.js';
import type { Writes } from '../writes/writes.js';

/** Through what a view writes, and as whom. */
export interface StoreView {
  readonly writes: Writes;
  readonly reader: Principal;
  /** Whose cursors and subscriptions its events have; absent: nobody's. */
  readonly owner: string | undefined;
  readonly deliveries: Deliveries;
  /** To be called after a write. */
  wake(): void;
}

export function viewOf(writes: Writes, principal: Principal, deliveries: Deliveries, wake: () => void): StoreView {
  const { readable, patterns } = principal;
  return { writes, reader: { ...ANYONE, readable, patterns }, owner: ownerOf(principal), deliveries, wake };
}

interface View {
  readonly isRead: boolean;
  close(): Promise<void>;
}

/** More readers than these are not remembered at once, unless they are being read. */
const VIEWS_MAX = 32;

export class StoreViews<Kind extends View> {
  /** The one that was used last is the last. */
  readonly #views = new Map<string, Kind>();

  /** `key`: of the reader. */
  of(key: string, make: () => Kind): Kind {
    const view = this.#views.get(key) ?? make();
    this.#views.delete(key);
    this.#views.set(key, view);
    if (this.#views.size > VIEWS_MAX) this.#dropIdle();
    return view;
  }

  async close(): Promise<void> {
    for (const view of this.#views.values()) await view.close();
  }

  #dropIdle(): void {
    const [key, view] = [...this.#views].find(([, one]) => !one.isRead) ?? [];
    if (key === undefined || view === undefined) return;
    this.#views.delete(key);
    void view.close();
  }
}
