/** The configuration: where it comes from, whether it can be used, and whether a server would start with it. */

import { SvcError } from '../../../engine/base/errors.js';
import { type Configuration, loadConfiguration } from '../../../engine/service/configuration/configuration.js';
import { withDefaults } from '../../../engine/service/configuration/keys.js';
import { isLoopback, parseBind, showAddress } from '../../http/host.js';
import { loadCredentials } from '../../http/tokens.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warning, problem } = findingsOf('configuration');

/** Shorter ones can be guessed. */
const TOKEN_CHARACTERS_MIN = 16;

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

function judgeTokens(configuration: Configuration): Finding[] {
  const { auth_token: token, previous_auth_token: previous } = configuration.server;
  const { credentials, warning: inactive } = loadCredentials(configuration);
  const short = [token, previous].some((one) => one !== undefined && one.length < TOKEN_CHARACTERS_MIN);
  const findings: Finding[] = [];
  if (!credentials.required) findings.push(ok('token', 'none: whoever reaches a server may write'));
  else if (!credentials.any) {
    const message = 'none that is accepted: a server refuses every write';
    findings.push(warning('token', message, 'repair server.crew_credentials_file, or set server.auth_token'));
  } else if (!short) findings.push(ok('token', 'set: writes need it'));
  else {
    const message = `set, but of less than ${TOKEN_CHARACTERS_MIN} characters`;
    findings.push(warning('token', message, 'take a long random one: openssl rand -hex 32'));
  }
  if (inactive !== null) {
    findings.push(warning('named credentials', `inactive: ${inactive}`, 'repair server.crew_credentials_file'));
  }
  return findings;
}

/** By the rules of `svc serve`. */
function judgeBind(configuration: Configuration, isProtected: boolean): Finding {
  const address = parseBind(configuration.server.bind);
  const name = showAddress(address);
  if (isLoopback(address.host)) return ok('address', `${name}: this machine only`);
  if (isProtected) return ok('address', `${name}: reachable from elsewhere, writes need a token`);
  return problem(
    'address',
    `${name} is reachable from elsewhere, and nothing protects writes: svc serve refuses it`,
    'set server.auth_token (or SVC_AUTH_TOKEN), bind to 127.0.0.1, or say --insecure',
  );
}

function judge(configuration: Configuration): Finding[] {
  const findings: Finding[] = [];
  let isProtected = true;
  try {
    findings.push(...judgeTokens(configuration));
    isProtected = loadCredentials(configuration).credentials.required;
  } catch (error) {
    const { message, advice } = accountOf(error);
    findings.push(problem('token', message, advice ?? 'svc serve does not start like this'));
  }
  try {
    findings.push(judgeBind(configuration, isProtected));
  } catch (error) {
    const { message, advice } = accountOf(error);
    findings.push(problem('address', message, advice));
  }
  return findings;
}

export async function examineConfiguration(path: string | undefined): Promise<ExaminedConfiguration> {
  try {
    const { file, configuration, variables, withoutEffect } = await loadConfiguration({ path });
    const from = file ?? 'no file; defaults';
    const over = variables.length === 0 ? '' : `; from the environment: ${variables.join(', ')}`;
    const idle = withoutEffect.map((key) =>
      warning(key, 'has no effect: its feature does not exist yet', 'leave the key out until it does'),
    );
    return { configuration, findings: [ok('source', `${from}${over}`), ...idle, ...judge(configuration)] };
  } catch (error) {
    const { message, advice } = accountOf(error);
    const todo = advice ?? 'repair it: every other command stops here. What follows goes by the defaults.';
    return { configuration: withDefaults({}), findings: [problem('source', message, todo)] };
  }
}
