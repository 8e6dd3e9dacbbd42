/** What a store gives away: shares, which name the store by its identity; lakes and backups. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { BackupReport } from '../../storage/seam/engine.js';
import type { BackupChoice } from '../lake/back-up.js';
import type { LakeExported, LakeExportOptions } from '../lake/export-to-lake.js';
import type { VerifiedLake } from '../lake/verify-lake.js';
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

  /**
   * Writes the store as Parquet with Apache Iceberg metadata to a folder, or to `s3://bucket/prefix`; of a lake that is
   * there already, what has changed since. Readers of the lake see the export when it is whole, or the one before.
   */
  async exportLake(target: string, options: LakeExportOptions = {}): Promise<LakeExported> {
    const engine = this.open();
    if (!this.readsAll) {
      throw new SvcError('authority_denied', 'a lake holds the whole store, and the reader may read some graphs only');
    }
    const { exportToLake } = await import('../lake/export-to-lake.js');
    return exportToLake(engine, target, options);
  }

  /** Reads every file of a lake of this store, and compares it with its hash. */
  async verifyLake(target: string, control: Control = {}): Promise<VerifiedLake> {
    const engine = this.open();
    const { verifiedLake } = await import('../lake/verify-lake.js');
    return verifiedLake(engine, target, control);
  }

  /** @internal */
  protected async backUpTo(target: string, choice: BackupChoice, control: Control): Promise<BackupReport> {
    const engine = this.open();
    const { backUp } = await import('../lake/back-up.js');
    return backUp(engine, target, choice, control);
  }
}
