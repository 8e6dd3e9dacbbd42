/**
 * The store of a session. A file is open for reading only, and open for writing just while an update
 * runs, so that a session that waits for its person keeps no other writer out.
 */

import { SvcError } from '../../../engine/base/errors.js';
import { openStore } from '../../../engine/service/host/open-store.js';
import type { StoreSettings } from '../../../engine/service/options/settings-of.js';
import { MEMORY_PATH, type OpenOptions } from '../../../engine/service/options/store-options.js';
import type { Store } from '../../../engine/service/store/store.js';

type SettledOptions = StoreSettings & Pick<OpenOptions, 'baseNamespace'>;

export class StoreHandle {
  readonly path: string;
  readonly readOnly: boolean;
  /** Of the configuration. */
  readonly #settled: SettledOptions;
  #store: Store | null = null;

  constructor(path: string, readOnly: boolean, settled: SettledOptions = {}) {
    this.path = path;
    this.readOnly = readOnly;
    this.#settled = settled;
  }

  async reading(): Promise<Store> {
    const options = this.path === MEMORY_PATH ? this.#settled : { ...this.#settled, readOnly: true, create: false };
    this.#store ??= await openStore(this.path, options);
    return this.#store;
  }

  async writing<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
    if (this.readOnly) {
      throw new SvcError('store_read_only', 'this session only reads', { hint: 'start it without --read-only' });
    }
    if (this.path === MEMORY_PATH) return work(await this.reading());
    await this.close();
    const store = await openStore(this.path, { ...this.#settled, create: false });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  async close(): Promise<void> {
    const store = this.#store;
    this.#store = null;
    await store?.close();
  }
}
