/** A store beside a lake of what it holds, asked through an engine. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuckdb } from '../../../engine/lake/engines/duckdb.js';
import type { LakeEngine } from '../../../engine/lake/engines/engine.js';
import { LAKE_FILE, readLakeFile } from '../../../engine/lake/lake-file.js';
import { queryLake } from '../../../engine/lake/query-lake.js';
import type { DialectName } from '../../../engine/lake/sql/dialects/dialect.js';
import type { Quad } from '../../../engine/rdf/terms.js';
import { openStore } from '../../../engine/service/host/open-store.js';
import type { Store } from '../../../engine/service/store/store.js';
import type { TimeSlice } from '../../../engine/storage/seam/scan.js';
import { failed, type Outcome, readResult } from '../../query/differential/engines.js';

export class LakeSubject {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-lake-sql-'));
  readonly store: Store;
  #engine: LakeEngine | null = null;
  #exports = 0;

  private constructor(store: Store) {
    this.store = store;
  }

  static async open(): Promise<LakeSubject> {
    return new LakeSubject(await openStore(':memory:'));
  }

  async fill(quads: readonly Quad[]): Promise<void> {
    await this.store.update('DROP ALL');
    await this.store.transact({ assert: quads });
    await this.export();
  }

  /** A lake of what the store holds now. */
  async export(): Promise<string> {
    await this.#engine?.close();
    const folder = join(this.#folder, `lake-${this.#exports++}`);
    await this.store.exportLake(folder);
    const file = join(folder, LAKE_FILE);
    this.#engine = await openDuckdb(folder, readLakeFile(readFileSync(file), file), { threads: 1 });
    return folder;
  }

  async ask(text: string, options: { time?: TimeSlice; baseIri?: string; now?: Date; dialect?: DialectName } = {}): Promise<Outcome> {
    try {
      const result = await queryLake(this.#engine as LakeEngine, text, { dialect: 'duckdb', ...options });
      return { kind: 'answer', answer: await readResult(result) };
    } catch (error) {
      return failed(error);
    }
  }

  async close(): Promise<void> {
    await this.#engine?.close();
    await this.store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
