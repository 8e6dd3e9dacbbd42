/** A lake under a prefix of a bucket. A file is there when its upload is complete, so nothing is ever half there. */

import { hostname } from 'node:os';
import { SvcError } from '../../base/errors.js';
import { S3, s3Place } from './s3-client.js';
import type { LakeTarget, ReadFile, TargetFile } from './target.js';

const LOCK = 'export.lock';

export class S3Target implements LakeTarget {
  readonly name: string;
  readonly location: string;
  readonly #s3: S3;
  readonly #prefix: string;

  private constructor(s3: S3, bucket: string, key: string) {
    this.#s3 = s3;
    this.#prefix = key === '' ? '' : `${key}/`;
    this.name = `s3://${bucket}${key === '' ? '' : `/${key}`}`;
    this.location = this.name;
  }

  static async open(target: string): Promise<S3Target> {
    const { bucket, key } = s3Place(target);
    return new S3Target(await S3.open(bucket), bucket, key);
  }

  async read(path: string): Promise<ReadFile | null> {
    const found = await this.#s3.read(this.#prefix + path);
    return found === null ? null : { bytes: found.bytes, version: found.etag };
  }

  has(path: string): Promise<boolean> {
    return this.#s3.has(this.#prefix + path);
  }

  stream(path: string): AsyncIterable<Uint8Array> {
    return this.#s3.stream(this.#prefix + path);
  }

  async create(path: string): Promise<TargetFile> {
    return this.#s3.upload(this.#prefix + path);
  }

  async replace(path: string, bytes: Uint8Array, before: ReadFile | null): Promise<void> {
    if (await this.#s3.swap(this.#prefix + path, bytes, before?.version ?? null)) return;
    throw new SvcError('version_conflict', `${this.name}/${path} was changed by another export meanwhile`, {
      hint: 'export again',
    });
  }

  async *list(folder = ''): AsyncGenerator<string> {
    const prefix = this.#prefix + (folder === '' ? '' : `${folder}/`);
    for await (const key of this.#s3.list(prefix)) yield key.slice(this.#prefix.length);
  }

  remove(paths: readonly string[]): Promise<void> {
    return this.#s3.remove(paths.map((path) => this.#prefix + path));
  }

  async lock(): Promise<() => Promise<void>> {
    const key = this.#prefix + LOCK;
    const own = Buffer.from(JSON.stringify({ host: hostname(), process: process.pid }));
    if (!(await this.#s3.swap(key, own, null))) {
      const held = await this.#s3.read(key);
      const isOver = held !== null && isOverHere(held.bytes);
      if (!isOver || !(await this.#s3.swap(key, own, held.etag))) {
        throw new SvcError('state_conflict', `another export to ${this.name} has not ended`, {
          hint: `wait until it has; if there is none, remove ${this.name}/${LOCK}`,
        });
      }
    }
    // Nobody else writes here now: what exports left that were killed goes. A whole bucket may have more in it than a lake.
    if (this.#prefix !== '') await this.#s3.removeUnfinished(await this.#s3.unfinished(this.#prefix));
    return () => this.#s3.remove([key]);
  }

  close(): void {
    this.#s3.close();
  }
}

/** A process of this machine has locked it, and is not there any more. */
function isOverHere(bytes: Uint8Array): boolean {
  try {
    const { host, process: holder } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>;
    if (host !== hostname() || typeof holder !== 'number' || holder === process.pid) return false;
    process.kill(holder, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
