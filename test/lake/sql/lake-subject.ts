/** A store beside a lake of what it holds, asked through an engine. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuckdb } from '../../../engine/lake/engines/duckdb.js';
import { openSpark } from '../../../engine/lake/engines/spark.js';
import type { LakeEngine } from '../../../engine/lake/lake-engine.js';
import { LAKE_FILE, readLakeFile } from '../../../engine/lake/lake-file.js';
import { queryLake } from '../../../engine/lake/query-lake.js';
import type { Quad } from '../../../engine/rdf/terms.js';
import { openStore } from '../../../engine/service/host/open-store.js';
import type { Store } from '../../../engine/service/store/store.js';
import type { TimeSlice } from '../../../engine/storage/seam/scan.js';
import type { Answer } from '../../conformance/sparql/answer.js';
import { failed, type Outcome, readResult } from '../../query/differential/engines.js';

/** DuckDB, or Spark by an interpreter that has pyspark. */
export type SubjectEngine = 'duckdb' | { readonly python: string };

export class LakeSubject {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-lake-sql-'));
  #store: Store;
  #engine: LakeEngine | null = null;
  #exports = 0;

  private constructor(
    store: Store,
    readonly kind: SubjectEngine,
  ) {
    this.#store = store;
  }

  static async open(kind: SubjectEngine = 'duckdb'): Promise<LakeSubject> {
    return new LakeSubject(await openStore(':memory:'), kind);
  }

  get store(): Store {
    return this.#store;
  }

  /** A new store, which is written over several transactions. */
  async fillHistory(write: (store: Store) => Promise<void>): Promise<void> {
    await this.#store.close();
    this.#store = await openStore(':memory:');
    await write(this.#store);
    await this.export();
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
    const content = readLakeFile(readFileSync(file), file);
    this.#engine =
      this.kind === 'duckdb'
        ? await openDuckdb(folder, content, { threads: 1 })
        : await openSpark(folder, content, { python: this.kind.python, master: 'local[1]' });
    return folder;
  }

  get engine(): LakeEngine {
    return this.#engine as LakeEngine;
  }

  async ask(text: string, options: { time?: TimeSlice; baseIri?: string; now?: Date } = {}): Promise<Outcome> {
    try {
      const result = await queryLake(this.engine, text, {
        dialect: this.kind === 'duckdb' ? 'duckdb' : 'spark',
        ...options,
      });
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

/** The answer, or the error that refuses it. */
export async function queryLakeAnswer(
  { engine }: LakeSubject,
  text: string,
  options: { readonly baseIri?: string },
): Promise<Answer> {
  return readResult(await queryLake(engine, text, { dialect: 'duckdb', baseIri: options.baseIri }));
}
