/** Where answers go: standard output, or a file that `.output` names. */

import { type FileHandle, open } from 'node:fs/promises';
import { fromSystemError, SvcError } from '../../../engine/base/errors.js';
import type { Output } from '../output/output.js';

export class AnswerOutput {
  readonly #standard: Output;
  #file: { readonly handle: FileHandle; readonly path: string } | null = null;

  constructor(standard: Output) {
    this.#standard = standard;
  }

  /** The file; null = standard output. */
  get path(): string | null {
    return this.#file?.path ?? null;
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    if (this.#file === null) return this.#standard.write(chunk);
    const { handle, path } = this.#file;
    try {
      await handle.appendFile(chunk);
    } catch (error) {
      throw fromSystemError(error, path);
    }
  }

  /** Makes the file, or empties it; the one before is closed. */
  async toFile(path: string): Promise<void> {
    let handle: FileHandle;
    try {
      handle = await open(path, 'w');
    } catch (error) {
      throw new SvcError('invalid_request', `${path} can not be written: ${(error as Error).message}`, {
        cause: error,
      });
    }
    await this.toStandard();
    this.#file = { handle, path };
  }

  async toStandard(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.handle.close();
  }
}
