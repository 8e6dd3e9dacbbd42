/**
 * Object storage with the interface of S3, by Amazon's own client, which is installed beside svc and loaded when it is
 * used. Endpoint and credentials are those of the environment (`AWS_ENDPOINT_URL_S3`, `AWS_ACCESS_KEY_ID` ...), by the
 * client's rules. What it says of a failure is not handed on: only its name and the status of the answer.
 */

import { finished, PassThrough } from 'node:stream';
import { SvcError } from '../../base/errors.js';

const PACKAGES = ['@aws-sdk/client-s3', '@aws-sdk/lib-storage'] as const;
export const S3_INSTALL = `npm install ${PACKAGES.join(' ')}`;
const REGION = 'us-east-1';
/** Bytes of a part of an upload, of which this many are on their way; parts are at most 10,000. */
const PART_BYTES = 16 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
const REMOVED_AT_ONCE = 1000;

export interface S3Place {
  readonly bucket: string;
  /** Without `/` at its ends; empty = the whole bucket. */
  readonly key: string;
}

export interface S3Object {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

export function isS3(target: string): boolean {
  return /^s3:/i.test(target);
}

/** Refuses credentials in an address, and shows none: it would be told wherever the lake is named. */
export function s3Place(target: string): S3Place {
  const match = /^s3:\/\/([^/?#@\s]+)(?:\/([^?#]*))?$/i.exec(target);
  if (match === null) {
    throw new SvcError('invalid_request', 'an address in object storage is s3://bucket/prefix', {
      hint: 'endpoint and credentials come from the environment (AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION)',
    });
  }
  return { bucket: match[1] as string, key: (match[2] ?? '').replace(/^\/+|\/+$/g, '') };
}

/** What is used of the client. */
type Input = Readonly<Record<string, unknown>>;
type Command = new (input: Input) => object;

interface Body extends AsyncIterable<Uint8Array> {
  transformToByteArray(): Promise<Uint8Array>;
}

interface Output {
  readonly Body?: Body;
  readonly ETag?: string;
  readonly ContentLength?: number;
  readonly IsTruncated?: boolean;
  readonly NextContinuationToken?: string;
  readonly Contents?: readonly { readonly Key?: string }[];
  readonly Uploads?: readonly { readonly Key?: string; readonly UploadId?: string }[];
  readonly NextKeyMarker?: string;
  readonly NextUploadIdMarker?: string;
}

interface Client {
  send(command: object): Promise<Output>;
  destroy(): void;
}

interface Library {
  readonly S3Client: new (settings: Input) => Client;
  readonly GetObjectCommand: Command;
  readonly HeadObjectCommand: Command;
  readonly PutObjectCommand: Command;
  readonly ListObjectsV2Command: Command;
  readonly DeleteObjectsCommand: Command;
  readonly ListMultipartUploadsCommand: Command;
  readonly AbortMultipartUploadCommand: Command;
  readonly Upload: new (
    settings: Input,
  ) => {
    done(): Promise<unknown>;
    abort(): Promise<void>;
  };
}

let library: Promise<Library> | null = null;

async function loadLibrary(): Promise<Library> {
  library ??= Promise.all(PACKAGES.map(load)).then(
    ([client, storage]) => ({ ...client, ...storage }) as Library,
    (error: unknown) => {
      library = null;
      throw error;
    },
  );
  return library;
}

/** By a name that is not written out, so that the bundle does not take them in. */
async function load(name: string): Promise<object> {
  try {
    return (await import(name)) as object;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    const what = isMissing ? 'which is not installed' : `which does not load: ${(error as Error).message}`;
    throw new SvcError('unsupported', `object storage needs the package ${name}, ${what}`, { hint: S3_INSTALL });
  }
}

export interface UnfinishedUpload {
  readonly key: string;
  readonly id: string;
}

export interface Upload {
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  abandon(): Promise<void>;
}

export class S3 {
  readonly #library: Library;
  readonly #client: Client;
  readonly #bucket: string;

  private constructor(loaded: Library, bucket: string) {
    this.#library = loaded;
    this.#bucket = bucket;
    const { AWS_ENDPOINT_URL_S3: own, AWS_ENDPOINT_URL: all, AWS_REGION, AWS_DEFAULT_REGION } = process.env;
    const endpoint = own ?? all;
    this.#client = new loaded.S3Client({
      region: AWS_REGION ?? AWS_DEFAULT_REGION ?? REGION,
      // Servers beside Amazon's have no name for each bucket.
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    });
  }

  static async open(bucket: string): Promise<S3> {
    return new S3(await loadLibrary(), bucket);
  }

  /** Null: there is no such object. */
  async read(key: string): Promise<S3Object | null> {
    const { GetObjectCommand } = this.#library;
    try {
      const { Body, ETag = '' } = await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }));
      return { bytes: (await Body?.transformToByteArray()) ?? new Uint8Array(0), etag: ETag };
    } catch (error) {
      if (statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket') return null;
      throw this.#failure(error, `reading ${key}`);
    }
  }

  async has(key: string): Promise<boolean> {
    return (await this.size(key)) !== null;
  }

  /** In bytes; null: there is no such object. */
  async size(key: string): Promise<number | null> {
    const { HeadObjectCommand } = this.#library;
    try {
      const { ContentLength } = await this.#client.send(new HeadObjectCommand({ Bucket: this.#bucket, Key: key }));
      return ContentLength ?? 0;
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw this.#failure(error, `reading ${key}`);
    }
  }

  async *stream(key: string): AsyncGenerator<Uint8Array> {
    const { GetObjectCommand } = this.#library;
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }));
      if (Body !== undefined) yield* Body;
    } catch (error) {
      throw this.#failure(error, `reading ${key}`);
    }
  }

  /** Writes an object at once, if it is what it was: `etag` null = there is none yet. False: it is another. */
  async swap(key: string, bytes: Uint8Array, etag: string | null): Promise<boolean> {
    const { PutObjectCommand } = this.#library;
    const condition = etag === null ? { IfNoneMatch: '*' } : { IfMatch: etag };
    try {
      await this.#client.send(new PutObjectCommand({ Bucket: this.#bucket, Key: key, Body: bytes, ...condition }));
      return true;
    } catch (error) {
      const status = statusOf(error);
      if (status === 412 || status === 409 || (status === 404 && etag !== null)) return false;
      throw this.#failure(error, `writing ${key}`);
    }
  }

  /** An object of any length, in parts; it is there when it is finished. `isNew`: one of that name is not replaced. */
  upload(key: string, { isNew = false } = {}): Upload {
    const { Upload: Parts } = this.#library;
    const body = new PassThrough({ highWaterMark: PART_BYTES });
    const upload = new Parts({
      client: this.#client,
      params: { Bucket: this.#bucket, Key: key, Body: body, ...(isNew ? { IfNoneMatch: '*' } : {}) },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    });
    const what = `writing ${key}`;
    let failed: unknown = null;
    const done = upload.done().catch((error: unknown) => {
      failed = this.#failure(error, what);
      body.destroy();
    });
    const check = (): void => {
      if (failed !== null) throw failed;
    };
    return {
      write: async (bytes) => {
        check();
        if (body.write(bytes)) return;
        await new Promise<void>((resolve) => {
          const end = finished(body, () => resolve());
          body.once('drain', () => {
            end();
            resolve();
          });
        });
        check();
      },
      finish: async () => {
        body.end();
        await done;
        check();
      },
      abandon: async () => {
        await upload.abort().catch(() => undefined);
        body.destroy();
        await done;
      },
    };
  }

  async *list(prefix: string): AsyncGenerator<string> {
    const { ListObjectsV2Command } = this.#library;
    let token: string | undefined;
    do {
      try {
        const page = await this.#client.send(
          new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: prefix, ContinuationToken: token }),
        );
        token = page.IsTruncated ? page.NextContinuationToken : undefined;
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key;
      } catch (error) {
        throw this.#failure(error, `listing ${prefix}`);
      }
    } while (token !== undefined);
  }

  async remove(keys: readonly string[]): Promise<void> {
    const { DeleteObjectsCommand } = this.#library;
    for (let at = 0; at < keys.length; at += REMOVED_AT_ONCE) {
      const Objects = keys.slice(at, at + REMOVED_AT_ONCE).map((Key) => ({ Key }));
      try {
        await this.#client.send(new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } }));
      } catch (error) {
        throw this.#failure(error, 'removing objects');
      }
    }
  }

  /**
   * Uploads that have not ended: nobody sees their parts, which take room until somebody removes them. What a process left
   * that was killed is among them. None where these may not be listed: it is not needed for anything else.
   */
  async unfinished(prefix: string): Promise<readonly UnfinishedUpload[]> {
    const { ListMultipartUploadsCommand } = this.#library;
    const found: UnfinishedUpload[] = [];
    let next: Input = {};
    do {
      const page = await this.#client
        .send(new ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: prefix, ...next }))
        .catch(() => ({}) as Output);
      for (const { Key: key, UploadId: id } of page.Uploads ?? []) {
        if (key?.startsWith(prefix) && id !== undefined) found.push({ key, id });
      }
      const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
      next = IsTruncated && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : {};
    } while (next.KeyMarker !== undefined);
    return found;
  }

  /** One that has ended meanwhile, or may not be removed, is passed over. */
  async removeUnfinished(uploads: readonly UnfinishedUpload[]): Promise<void> {
    const { AbortMultipartUploadCommand } = this.#library;
    for (const { key, id } of uploads) {
      const command = new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key: key, UploadId: id });
      await this.#client.send(command).catch(() => undefined);
    }
  }

  close(): void {
    this.#client.destroy();
  }

  #failure(error: unknown, what: string): unknown {
    if (error instanceof SvcError) return error;
    const { name = 'Error' } = error instanceof Error ? error : {};
    const status = statusOf(error);
    const told = `${what} in the bucket ${this.#bucket} failed: ${name}${status === undefined ? '' : ` (${status})`}`;
    if (name === 'CredentialsProviderError') {
      return new SvcError('service_failed', told, {
        hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile',
      });
    }
    if (status === 412) return existsAlready(`${what}: it`, this.#bucket);
    return new SvcError('service_failed', told, {
      hint: 'see that bucket, endpoint (AWS_ENDPOINT_URL_S3), region and credentials of the environment are right',
    });
  }
}

export function existsAlready(what: string, bucket: string): SvcError {
  return new SvcError('invalid_request', `${what} exists already in the bucket ${bucket}`, {
    hint: 'name another, or say that it may be overwritten',
  });
}

function statusOf(error: unknown): number | undefined {
  return (error as { readonly $metadata?: { readonly httpStatusCode?: number } })?.$metadata?.httpStatusCode;
}
