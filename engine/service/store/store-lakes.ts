/** Exports of a store to a lake, for engines beside it; loaded with the first call. */

import { SvcError } from '../../base/errors.js';
import type { LakeExported, LakeExportOptions } from '../lake/export-to-lake.js';
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
}
