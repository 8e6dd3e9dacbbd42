/** What a store gives away: shares, which name the store by its identity. */

import { SvcError } from '../../base/errors.js';
import { NarrowedEngine } from '../reads/narrowed-engine.js';
import { type EngineQuery, type QueryAnswer, toQuery } from '../reads/query.js';
import type { StoreSnapshot } from '../reads/snapshot.js';
import type { BundleInput } from '../share/bundle-input.js';
import type { SharedBundle, ShareOptions } from '../share/share-in-memory.js';
import type { ShareStatus, ShareStatusOptions } from '../share/share-status.js';
import { StoreLog } from './store-log.js';

export abstract class StoreShares extends StoreLog {
  abstract get path(): string;
  abstract override get baseNamespace(): string;
  /** @internal */
  abstract renewingSnapshot(): StoreSnapshot;
  /** @internal */
  abstract answerQuery(text: string, query: EngineQuery): Promise<QueryAnswer>;

  /** @internal `urn:svc:store:<uuid>`; null for a file of an earlier version that was never opened for writing since. */
  get storeId(): string | null {
    const engine = this.open();
    return engine instanceof NarrowedEngine ? engine.storeId : engine.packs.storeId();
  }

  /** A share bundle of current facts in memory: canonical triples, shapes and a manifest. Nothing is written. */
  async share(options: ShareOptions = {}): Promise<SharedBundle> {
    return this.shareFor(options, toQuery({ signal: options.signal }));
  }

  /** How a share bundle stands to this store, and what a merge of it would do; nothing is written. */
  async shareStatus(bundle: string | BundleInput, options: ShareStatusOptions = {}): Promise<ShareStatus> {
    if (!this.readsAll) {
      throw new SvcError(
        'authority_denied',
        'a share is compared with a whole graph, and the reader may read some graphs only',
      );
    }
    const { statusOf } = await import('../share/share-status.js');
    return statusOf(this.open(), bundle, options);
  }

  /** @internal The same for a reader, whose context the query of a construct comes with. */
  async shareFor(options: ShareOptions, query: EngineQuery): Promise<SharedBundle> {
    const { shareInMemory } = await import('../share/share-in-memory.js');
    return shareInMemory(this, options, query);
  }
}
