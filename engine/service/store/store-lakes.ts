/** Exports of a store to a lake, for engines beside it; loaded with the first call. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { BackupReport } from '../../storage/seam/engine.js';
import type { BackupChoice } from '../lake/back-up.js';
import type { LakeExported, LakeExportOptions } from '../lake/export-to-lake.js';
import type { VerifiedLake } from '../lake/verify-lake.js';
import { StoreShares } from './store-shares.js';

export abstract class StoreLakes extends StoreShares {
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
