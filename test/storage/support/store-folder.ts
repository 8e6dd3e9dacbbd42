/** A folder for the stores and documents of a test file, removed when its process ends. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class StoreFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'svc-test-'));
  #made = 0;

  constructor() {
    process.on('exit', () => rmSync(this.path, { recursive: true, force: true }));
  }

  /** A path that nothing has used. */
  fresh(ending = '.db'): string {
    return join(this.path, `${this.#made++}${ending}`);
  }

  file(content: string | Uint8Array, ending: string): string {
    const path = this.fresh(ending);
    writeFileSync(path, content);
    return path;
  }
}
