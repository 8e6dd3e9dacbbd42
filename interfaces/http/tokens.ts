/**
 * The credentials of a server from its configuration: the shared token, as a value or in a file, the previous one
 * during a rotation, and the registry of named credentials. A registry that is not valid is reported and stays inactive;
 * writes are protected all the same, since whoever names a registry wants them to be.
 */

import { readFileSync } from 'node:fs';
import { SvcError } from '../../engine/base/errors.js';
import { Credentials, type NamedCredential, readCredentialRegistry } from '../../engine/governance/credentials.js';
import type { Configuration } from '../../engine/service/configuration/configuration.js';

function readTokenFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new SvcError('configuration', `server.auth_token_file: ${path} can't be read (${code})`, { cause });
  }
  const token = text.trim();
  if (token === '' || /\s/.test(token)) {
    throw new SvcError('configuration', `server.auth_token_file: ${path} holds no token; expected one line`);
  }
  return token;
}

export interface LoadedCredentials {
  readonly credentials: Credentials;
  /** Why named credentials are inactive; null when they are not. */
  readonly warning: string | null;
}

export function loadCredentials({ server }: Configuration): LoadedCredentials {
  const {
    auth_token: token,
    auth_token_file: file,
    previous_auth_token: previous,
    crew_credentials_file: registry,
  } = server;
  if (token !== undefined && file !== undefined) {
    throw new SvcError('configuration', 'server.auth_token and server.auth_token_file: give one of them');
  }
  for (const [key, value] of Object.entries({ auth_token: token, previous_auth_token: previous })) {
    if (value !== undefined && (value === '' || /\s/.test(value))) {
      throw new SvcError('configuration', `server.${key} is empty or holds white space`);
    }
  }
  const current = file === undefined ? token : readTokenFile(file);
  if (current === undefined && previous !== undefined) {
    throw new SvcError('configuration', 'server.previous_auth_token needs a current one beside it');
  }
  const shared = [current, previous].filter((one) => one !== undefined);
  if (registry === undefined) return { credentials: new Credentials(shared), warning: null };
  const { named, warning } = readNamed(registry);
  return { credentials: new Credentials(shared, named), warning };
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
