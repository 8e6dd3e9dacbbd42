/**
 * The identity by which a service signs (semantics of reasoning, 5.7): an ed25519 key in PKCS#8, in a file of the operator,
 * and the IRI of the verifier that it is. A file that is not there is made at first use, for its owner alone; one that
 * others may read is refused. The key stays in this object: no message and no answer holds any of it.
 */

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, linkSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SvcError } from '../base/errors.js';

/** A key in either form takes some hundred bytes. */
const FILE_BYTES_MAX = 4096;
const OTHERS = 0o077;
/** Of systems that have no such permissions. */
const CHECKS_MODE = process.platform !== 'win32';

export const UNSIGNED_VERIFIER = 'urn:svc:verifier:unsigned';

export interface SigningSettings {
  /** `SVC_SIGNING_KEY`, else `signing.key_path`. */
  readonly keyPath?: string | undefined;
  /** `signing.verifier` */
  readonly verifier?: string | undefined;
}

export class SigningIdentity {
  readonly #key: KeyObject;
  /** Hex digits. */
  readonly publicKey: string;
  /** IRI. */
  readonly verifier: string;

  constructor(key: KeyObject, verifier?: string) {
    this.#key = key;
    const { x } = createPublicKey(key).export({ format: 'jwk' });
    this.publicKey = Buffer.from(x as string, 'base64url').toString('hex');
    this.verifier = verifier ?? `urn:svc:verifier:${this.publicKey.slice(0, 16)}`;
  }

  /** Hex digits of the signature of a message. */
  sign(message: string): string {
    return sign(null, Buffer.from(message, 'utf8'), this.#key).toString('hex');
  }
}

/** Null where no key is named. */
export function openSigningIdentity({ keyPath, verifier }: SigningSettings): SigningIdentity | null {
  if (keyPath === undefined || keyPath === '') return null;
  return new SigningIdentity(readKey(keyPath) ?? makeKey(keyPath), verifier);
}

/** Null where there is no such file. */
function readKey(path: string): KeyObject | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    throw refusal(path, `can't be read (${code})`);
  }
  try {
    const { mode, size } = fstatSync(file);
    if (!fstatSync(file).isFile()) throw refusal(path, 'is no file');
    if (CHECKS_MODE && (mode & OTHERS) !== 0) {
      throw refusal(path, 'may be read or written by others than its owner', `chmod 600 ${path}`);
    }
    if (size > FILE_BYTES_MAX) throw refusal(path, `is larger than ${FILE_BYTES_MAX} bytes, which no key is`);
    const bytes = Buffer.alloc(FILE_BYTES_MAX);
    return parseKey(bytes.subarray(0, readSync(file, bytes, 0, FILE_BYTES_MAX, 0)), path);
  } finally {
    closeSync(file);
  }
}

function parseKey(bytes: Buffer, path: string): KeyObject {
  const isText = bytes.includes('-----BEGIN');
  let key: KeyObject;
  try {
    key = isText
      ? createPrivateKey({ key: bytes, format: 'pem' })
      : createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
  } catch {
    // The message of the library may tell of the content.
    throw refusal(path, 'holds no private key in PKCS#8 (PEM or DER)');
  }
  if (key.asymmetricKeyType !== 'ed25519') throw refusal(path, 'holds a key that is not of ed25519');
  return key;
}

/** Under a name of its own until it is whole; of two processes that make one, both take the first. */
function makeKey(path: string): KeyObject {
  const { privateKey } = generateKeyPairSync('ed25519');
  const draft = join(dirname(path), `.${randomUUID()}.key`);
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeSync(file, String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(draft, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EEXIST') throw refusal(path, `can't be made (${code})`);
  } finally {
    rmSync(draft, { force: true });
  }
  return readKey(path) ?? privateKey;
}

function refusal(path: string, what: string, hint?: string): SvcError {
  const message = `the signing key ${path} ${what}`;
  return new SvcError('configuration', message, hint === undefined ? {} : { hint });
}
