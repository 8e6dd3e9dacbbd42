/**
 * The credentials of a server from its configuration: the shared token, as a value or in a file, the previous one
 * during a rotation, and the registry of named credentials. A registry that is not valid is reported and stays inactive;
 * writes are protected all the same, since a configured registry means that writes are to be protected.
 */

import { readFileSync } from 'node:fs';
import { SvcError } from '../../../engine/base/errors.js';
import { Credentials, type NamedCredential, readCredentialRegistry } from '../../../engine/governance/credentials.js';
import type { Configuration, KeyPlace } from '../../../engine/service/configuration/configuration.js';
import { refuseKey } from '../../../engine/service/configuration/parse.js';

/** Where the value of a key comes from. */
export type PlaceOf = (path: readonly string[]) => KeyPlace;

/** Shorter ones can be guessed. */
export const SHARED_TOKEN_CHARACTERS_MIN = 16;

function readTokenFile(path: string, place: KeyPlace): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw refuseKey(place, `svc.server.auth_token_file: ${path} can't be read (${code})`);
  }
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const expected = 'expected one line of visible ASCII characters without white space';
    throw refuseKey(place, `svc.server.auth_token_file: ${path} holds no token; ${expected}`);
  }
  return token;
}

export interface LoadedCredentials {
  readonly credentials: Credentials;
  /** Why named credentials are inactive; null when they are not. */
  readonly warning: string | null;
  /** Keys of shared tokens that can be guessed. */
  readonly guessable: readonly string[];
}

export function loadCredentials({ server }: Configuration, placeOf: PlaceOf): LoadedCredentials {
  const { auth_token_file: file, previous_auth_token: previous, crew_credentials_file: registry } = server;
  const fromFile = file === undefined ? undefined : readTokenFile(file, placeOf(['server', 'auth_token_file']));
  const shared = Object.entries({
    auth_token: server.auth_token,
    auth_token_file: fromFile,
    previous_auth_token: previous,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const tokens = shared.map(([, token]) => token);
  const guessable = shared.filter(([, token]) => token.length < SHARED_TOKEN_CHARACTERS_MIN).map(([key]) => key);
  if (registry === undefined) return { credentials: new Credentials(tokens), warning: null, guessable };
  const { named, warning } = readNamed(registry);
  return { credentials: new Credentials(tokens, named), warning, guessable };
}

function readNamed(path: string): { readonly named: readonly NamedCredential[]; readonly warning: string | null } {
  try {
    const named = readCredentialRegistry(path);
    return { named, warning: named.length === 0 ? `the credential registry ${path} holds none` : null };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { named: [], warning: error.describe() };
  }
}
