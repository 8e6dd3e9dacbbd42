/** The configuration: where it comes from, whether it can be used, and whether a server would start with it. */

import { SvcError } from '../../../engine/base/errors.js';
import {
  type Configuration,
  type LoadedConfiguration,
  loadConfiguration,
} from '../../../engine/service/configuration/configuration.js';
import { withDefaults } from '../../../engine/service/configuration/keys.js';
import { isLoopback, showAddress } from '../../../engine/service/configuration/network.js';
import { addressOf, checkProtection } from '../../http/guard/protection.js';
import { type LoadedCredentials, loadCredentials, SHARED_TOKEN_CHARACTERS_MIN } from '../../http/guard/tokens.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warning, problem } = findingsOf('configuration');

export interface ExaminedConfiguration {
  /** The defaults where what was given can't be used. */
  readonly configuration: Configuration;
  readonly findings: readonly Finding[];
}

function accountOf(error: unknown): { readonly message: string; readonly advice: string | null } {
  if (!(error instanceof SvcError)) throw error;
  const place = [error.position?.source, error.position?.line].filter((part) => part !== undefined).join(':');
  return { message: place === '' ? error.message : `${place}: ${error.message}`, advice: error.hint ?? null };
}

function judgeTokens({ credentials, warning: inactive, guessable }: LoadedCredentials, readsToo: boolean): Finding[] {
  const findings: Finding[] = [];
  if (!credentials.required) findings.push(ok('token', 'none: whoever reaches a server may write'));
  else if (!credentials.any) {
    const message = 'none that is accepted: a server refuses every write';
    findings.push(warning('token', message, 'repair server.crew_credentials_file, or set server.auth_token'));
  } else if (guessable.length === 0)
    findings.push(ok('token', `set: ${readsToo ? 'reads and writes' : 'writes'} need it`));
  else {
    const message = `set, but of less than ${SHARED_TOKEN_CHARACTERS_MIN} characters`;
    findings.push(warning('token', message, 'take a long random one: openssl rand -hex 32'));
  }
  if (inactive !== null) {
    findings.push(warning('named credentials', `inactive: ${inactive}`, 'repair server.crew_credentials_file'));
  }
  return findings;
}

function judgeAddress(configuration: Configuration): Finding {
  const address = addressOf(configuration);
  const name = showAddress(address);
  if (isLoopback(address.host)) return ok('address', `${name}: this machine only`);
  return ok('address', `${name}: reachable from elsewhere, writes need a token`);
}

/** By the rules of `svc serve`. */
function judge({ configuration, placeOf }: LoadedConfiguration): Finding[] {
  const findings: Finding[] = [];
  let at = 'token';
  try {
    const loaded = loadCredentials(configuration, placeOf);
    findings.push(...judgeTokens(loaded, configuration.server.require_token_for_reads));
    at = 'address';
    checkProtection(configuration, loaded, { insecure: false, placeOf });
    findings.push(judgeAddress(configuration));
  } catch (error) {
    const { message, advice } = accountOf(error);
    findings.push(problem(at, `${message}: svc serve refuses it`, advice ?? 'repair it'));
  }
  return findings;
}

export async function examineConfiguration(path: string | undefined): Promise<ExaminedConfiguration> {
  try {
    const loaded = await loadConfiguration({ path });
    const { file, configuration, variables } = loaded;
    const from = file ?? 'no file; defaults';
    const over = variables.length === 0 ? '' : `; from the environment: ${variables.join(', ')}`;
    return { configuration, findings: [ok('source', `${from}${over}`), ...judge(loaded)] };
  } catch (error) {
    const { message, advice } = accountOf(error);
    const todo = advice ?? 'repair it: every other command stops here. What follows goes by the defaults.';
    return { configuration: withDefaults({}), findings: [problem('source', message, todo)] };
  }
}
