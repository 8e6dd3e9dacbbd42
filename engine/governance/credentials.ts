/**
 * Bearer tokens and the names of their holders: the shared token (and the previous one during a rotation), and named
 * credentials of a registry file. Loaded once; tokens are compared as SHA-256 digests in constant time, all of them
 * every time, so that the time of an answer tells nothing. No message holds a token or what a registry file says.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SvcError } from '../base/errors.js';
import { isObject } from '../base/objects.js';

/** Who a request comes from, by the token that it bears. */
export type Bearer =
  | { readonly authClass: 'legacy_shared_bearer'; readonly credentialId: null; readonly principal: null }
  | { readonly authClass: 'named_bearer'; readonly credentialId: string; readonly principal: string };

export interface NamedCredential {
  readonly credentialId: string;
  /** Absolute IRI of an identity. */
  readonly principal: string;
  /** SHA-256 of the token, as hex digits. */
  readonly tokenSha256: string;
}

const SHARED: Bearer = { authClass: 'legacy_shared_bearer', credentialId: null, principal: null };
/**
 * Characters of the shortest token that can name somebody. The registry holds digests alone, so that only what is borne
 * can be measured, and a digest of a short token is soon guessed by whoever sees the file.
 */
export const NAMED_TOKEN_CHARACTERS_MIN = 32;
const AUDIENCE = 'svc';
const REGISTRY_VERSION = 1;

interface Verifier {
  readonly digest: Buffer;
  readonly principal: Bearer;
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

export class Credentials {
  readonly #verifiers: readonly Verifier[];
  /** False: nobody needs a token here. */
  readonly required: boolean;

  /**
   * `shared`: tokens that are all accepted. They stand first: a registry entry that repeats one does not name it.
   * `named`: null where no registry was asked for; one that turned out to hold nobody still means that not everybody may.
   */
  constructor(shared: readonly string[], named: readonly NamedCredential[] | null = null) {
    this.required = shared.length > 0 || named !== null;
    this.#verifiers = [
      ...shared.map((token) => ({ digest: digestOf(token), principal: SHARED })),
      ...(named ?? []).map(({ credentialId, principal, tokenSha256 }) => ({
        digest: Buffer.from(tokenSha256, 'hex'),
        principal: { authClass: 'named_bearer', credentialId, principal } as const,
      })),
    ];
  }

  /** Whether there is a token that is accepted. */
  get any(): boolean {
    return this.#verifiers.length > 0;
  }

  /** Who bears the token; null when nobody does. */
  authenticate(token: string): Bearer | null {
    const digest = digestOf(token);
    const mayName = token.length >= NAMED_TOKEN_CHARACTERS_MIN;
    let found: Bearer | null = null;
    for (const verifier of this.#verifiers) {
      const equal = timingSafeEqual(digest, verifier.digest);
      const counts = mayName || verifier.principal.authClass !== 'named_bearer';
      if (equal && counts && found === null) found = verifier.principal;
    }
    return found;
  }
}

function refuse(path: string, what: string): SvcError {
  return new SvcError('configuration', `the credential registry ${path} is not valid: ${what}`, {
    hint: 'named credentials stay inactive until it is mended and the server started again',
  });
}

/** The value of a key that must be a text of a form; the message names place and key, never the value. */
function textOf(entry: Readonly<Record<string, unknown>>, key: string, form: RegExp, path: string, at: number): string {
  const value = entry[key];
  if (typeof value === 'string' && form.test(value)) return value;
  throw refuse(path, `credentials[${at}].${key} is missing or not of its form`);
}

/** An absolute IRI without a comma, which stands between the principals of a chain. */
const PRINCIPAL_IRI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`,]+$/;

/** Reads a registry file: version 1, a list of credentials with unique ids, for the audience `svc`. */
export function readCredentialRegistry(path: string): readonly NamedCredential[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // The message of a JSON error quotes the text.
    throw refuse(path, code === undefined ? 'it is not JSON' : `it can't be read (${code})`);
  }
  if (!isObject(parsed)) throw refuse(path, 'it is not a JSON object');
  if (parsed.version !== REGISTRY_VERSION) throw refuse(path, `version is not ${REGISTRY_VERSION}`);
  if (!Array.isArray(parsed.credentials)) throw refuse(path, 'credentials is not an array');
  const ids = new Set<string>();
  return parsed.credentials.map((entry: unknown, at) => {
    if (!isObject(entry)) throw refuse(path, `credentials[${at}] is not an object`);
    const credentialId = textOf(entry, 'credential_id', /^.+$/, path, at);
    if (ids.has(credentialId)) throw refuse(path, `credentials[${at}].credential_id stands there twice`);
    ids.add(credentialId);
    const principal = textOf(entry, 'principal', PRINCIPAL_IRI, path, at);
    if (entry.audience !== AUDIENCE) throw refuse(path, `credentials[${at}].audience is not ${AUDIENCE}`);
    const tokenSha256 = textOf(entry, 'token_sha256', /^[0-9a-f]{64}$/, path, at);
    return { credentialId, principal, tokenSha256 };
  });
}
