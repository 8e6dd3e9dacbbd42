/** Keys and values of secondary indexes in memory: one map, in which a state of it is a copy. */

import type { IndexWriter } from '../indexes/secondary-index.js';
import type { DatabaseName } from '../lmdb/file.js';

export class MemoryIndexStore implements IndexWriter {
  readonly #values: Map<string, Buffer>;
  readonly lineage: object;

  constructor(values: ReadonlyMap<string, Buffer> = new Map(), lineage: object = {}) {
    this.#values = new Map(values);
    this.lineage = lineage;
  }

  /** As it is now, whatever is written later. */
  copy(): MemoryIndexStore {
    return new MemoryIndexStore(this.#values, this.lineage);
  }

  readCopy(database: DatabaseName, key: string | number): Buffer | undefined {
    return this.#values.get(`${database} ${key}`);
  }

  keysAfter(database: DatabaseName, after: string | null, limit: number): readonly string[] {
    const prefix = `${database} `;
    const keys = [...this.#values.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
    return keys
      .filter((key) => after === null || key > after)
      .sort()
      .slice(0, limit);
  }

  put(database: DatabaseName, key: string, value: Uint8Array): void {
    this.#values.set(`${database} ${key}`, Buffer.from(value));
  }

  remove(database: DatabaseName, key: string): void {
    this.#values.delete(`${database} ${key}`);
  }
}
