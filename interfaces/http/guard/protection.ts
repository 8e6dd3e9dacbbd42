/**
 * Whether a server may start as it is configured: what is reachable from elsewhere is protected, by tokens that nobody
 * guesses, and what is to be protected has a token that opens it.
 */

import { invariant } from '../../../engine/base/errors.js';
import type { Configuration } from '../../../engine/service/configuration/configuration.js';
import { type Address, isLoopback, parseAddress, showAddress } from '../../../engine/service/configuration/network.js';
import { refuseKey } from '../../../engine/service/configuration/parse.js';
import { type LoadedCredentials, type PlaceOf, SHARED_TOKEN_CHARACTERS_MIN } from './tokens.js';

/** Where a server listens. */
export function addressOf({ server }: Configuration): Address {
  const address = parseAddress(server.bind);
  invariant(address !== null, 'an address was checked with the configuration');
  return address;
}

export interface ProtectionOptions {
  /** Whoever starts it says that it may stand open. */
  readonly insecure: boolean;
  readonly placeOf: PlaceOf;
}

export function checkProtection(
  configuration: Configuration,
  { credentials, guessable }: Pick<LoadedCredentials, 'credentials' | 'guessable'>,
  { insecure, placeOf }: ProtectionOptions,
): void {
  const { server } = configuration;
  if (server.require_token_for_reads && !credentials.required) {
    const message = 'svc.server.require_token_for_reads: there is no token that reads could need';
    const hint = 'set server.auth_token (or SVC_AUTH_TOKEN), server.auth_token_file or server.crew_credentials_file';
    throw refuseKey(placeOf(['server', 'require_token_for_reads']), message, hint);
  }
  const address = addressOf(configuration);
  if (isLoopback(address.host) || insecure) return;
  const shown = showAddress(address);
  if (!credentials.required) {
    const message = `${shown} is reachable from elsewhere, and nothing protects writes`;
    const hint = 'set server.auth_token (or SVC_AUTH_TOKEN), bind to 127.0.0.1, or say --insecure';
    throw refuseKey(placeOf(['server', 'bind']), message, hint);
  }
  const [key] = guessable;
  if (key === undefined) return;
  const message = `svc.server.${key}: the token has less than ${SHARED_TOKEN_CHARACTERS_MIN} characters, and ${shown} is reachable from elsewhere`;
  throw refuseKey(placeOf(['server', key]), message, 'take a long random one: openssl rand -hex 32');
}
