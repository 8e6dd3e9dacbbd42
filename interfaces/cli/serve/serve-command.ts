/** How the command line describes `svc serve` and `svc config`, and what they do. */

import { SvcError } from '../../../engine/base/errors.js';
import type { Configuration, LoadedConfiguration } from '../../../engine/service/configuration/configuration.js';
import type { ServeOptions } from '../../http/serve.js';
import type { CommandSpec } from '../line/commander.js';
import { principalChainOf, refusePrincipalChain } from '../line/principal-chain.js';
import { type CliOptions, type CliStreams, textOption } from '../line/streams.js';
import type { Output } from '../output/output.js';
import { connectTools, readToken, whenAborted } from './mcp-command.js';

export const SERVE_COMMAND: CommandSpec = {
  name: 'serve',
  aliases: [],
  summary: 'Serve a store over HTTP until it is told to stop',
  notes: [
    'SPARQL at /query and /update, the graph store at /rdf-graph-store, every operation as a route: /openapi.json.',
    'Without server.auth_token (or SVC_AUTH_TOKEN) whoever reaches the address may write. Log lines are JSON on',
    'standard error. Ctrl-C or SIGTERM stop it in order; a second one at once.',
    'With --follow the store is a copy of another one, kept in step; both servers have the same follow.auth_token.',
  ],
  examples: [
    'svc serve',
    'svc serve --db graph.db --bind 127.0.0.1:8080',
    'SVC_AUTH_TOKEN=... svc serve --bind 0.0.0.0:3030',
    'svc serve --follow https://primary.example --db copy.db --bind 127.0.0.1:3031',
  ],
  arguments: [],
  options: [
    { flags: '--bind <addr>', summary: 'host:port to listen on; default: server.bind, 127.0.0.1:3030' },
    { flags: '--insecure', summary: 'allow an address beyond loopback without a token' },
    { flags: '--read-only', summary: 'refuse every write' },
    { flags: '--follow <url>', summary: 'keep a read-only copy of the store that a server at this address writes' },
    { flags: '--quiet', summary: 'no log lines of each request; audits and failures stay' },
    { flags: '--embed-backfill', summary: 'embed what has no vector yet; needs an embedding provider' },
    { flags: '--mcp-stdio', summary: 'also serve tools of agents on standard input and output, as svc mcp does' },
    { flags: '--mcp-token-file <path>', summary: 'file with the bearer token that calls over --mcp-stdio bear' },
  ],
};

export const CONFIG_COMMAND: CommandSpec = {
  name: 'config',
  aliases: [],
  summary: 'Check the configuration and show what holds',
  notes: [
    'Flags stand above variables of the environment (SVC_SERVER_BIND for server.bind), those above the file, that above defaults.',
  ],
  examples: ['svc config check', 'svc config check --config /etc/svc.toml --json'],
  arguments: [{ syntax: '<action>', summary: 'check', values: ['check'] }],
  options: [{ flags: '--json', summary: 'the keys that hold, as JSON' }],
};

async function withFlags(configuration: Configuration, options: CliOptions): Promise<Configuration> {
  const { parseAddress } = await import('../../../engine/service/configuration/network.js');
  const { server } = configuration;
  const bind = typeof options.bind === 'string' ? options.bind : server.bind;
  if (parseAddress(bind) === null) {
    const message = `--bind is ${JSON.stringify(bind)}; expected host:port, for example 127.0.0.1:3030 or [::1]:3030`;
    throw new SvcError('configuration', message);
  }
  const primary = textOption(options, 'follow') ?? configuration.follow.primary;
  return {
    ...configuration,
    server: { ...server, bind, read_only: server.read_only || options.readOnly === true },
    follow: { ...configuration.follow, ...(primary === undefined ? {} : { primary: checkedAddress(primary) }) },
  };
}

function checkedAddress(url: string): string {
  if (URL.canParse(url) && /^https?:\/\//i.test(url)) return url.replace(/\/+$/, '');
  throw new SvcError('configuration', `--follow is ${JSON.stringify(url)}; expected the address of a server`, {
    hint: 'for example https://primary.example or http://127.0.0.1:3030',
  });
}

/** Settles when the server has stopped. */
export async function runServe(
  options: CliOptions,
  loaded: LoadedConfiguration,
  streams: CliStreams,
  signal: AbortSignal,
): Promise<number> {
  const { configuration } = loaded;
  if (options.mcpTokenFile !== undefined && options.mcpStdio !== true) {
    throw new SvcError('usage', '--mcp-token-file is for --mcp-stdio');
  }
  if (options.mcpStdio !== true) {
    refusePrincipalChain(options, 'serve', 'each request names its own by X-Svc-Principal-Chain');
  }
  const principalChain = principalChainOf(options);
  const token = await readToken(textOption(options, 'mcpTokenFile'));
  const adjusted = await withFlags(configuration, options);
  if (adjusted.follow.primary !== undefined && options.mcpStdio === true) {
    throw new SvcError('usage', '--mcp-stdio ends when a follower copies its store again', {
      hint: 'let the agent use the address of the follower, with /mcp',
    });
  }
  const start = {
    path: typeof options.db === 'string' ? options.db : configuration.store_path,
    configuration: adjusted,
    placeOf: (path) =>
      path.join('.') === 'server.bind' && options.bind !== undefined ? { name: '--bind' } : loaded.placeOf(path),
    insecure: options.insecure === true,
    quiet: options.quiet === true,
    embedBackfill: options.embedBackfill === true,
    write: (line: string) => streams.stderr.write(line),
  } satisfies ServeOptions;
  if (adjusted.follow.primary !== undefined) {
    const { runFollower } = await import('../../http/follower-server.js');
    await runFollower(start, signal);
    return 0;
  }
  const { startServer } = await import('../../http/serve.js');
  const server = await startServer(start);
  const tools = options.mcpStdio
    ? await connectTools(server.tools, { configuration: adjusted, streams, token, principalChain })
    : null;
  // The agent may leave: what listens goes on.
  void tools?.ended.then(() => streams.stderr.write('mcp: standard input ended\n'));
  await whenAborted(signal);
  streams.stderr.write('stopping\n');
  await tools?.close();
  await server.close();
  return 0;
}

/** Keys as a person or a program may see them: secrets are only said to be there. */
function shown(value: unknown, isSecret: (key: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((entry) => shown(entry, isSecret));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, isSecret(key) ? '(set)' : shown(inner, isSecret)]);
  return Object.fromEntries(entries);
}

function* lines(value: unknown, path: string): Generator<string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield `${path} = ${JSON.stringify(value)}\n`;
    return;
  }
  for (const [key, inner] of Object.entries(value)) yield* lines(inner, path === '' ? key : `${path}.${key}`);
}

/** A wrong configuration has failed before this: here it is only shown. */
export async function runConfig(
  action: string | undefined,
  options: CliOptions,
  loaded: LoadedConfiguration,
  output: Output,
): Promise<number> {
  if (action !== 'check')
    throw new SvcError('usage', `unknown config action ${JSON.stringify(action)}; there is: check`);
  const [{ isSecret }, { loadCredentials }, { checkProtection }] = await Promise.all([
    import('../../../engine/service/configuration/secrets.js'),
    import('../../http/guard/tokens.js'),
    import('../../http/guard/protection.js'),
  ]);
  const credentials = loadCredentials(loaded.configuration, loaded.placeOf);
  // Who starts a server without any token says so at its start.
  const insecure = !credentials.credentials.required;
  checkProtection(loaded.configuration, credentials, { insecure, placeOf: loaded.placeOf });
  const keys = shown(loaded.configuration, isSecret);
  const { file, variables } = loaded;
  if (options.json) {
    await output.write(`${JSON.stringify({ file, variables, configuration: keys })}\n`);
    return 0;
  }
  const from = file ?? 'no file; defaults';
  const over = variables.length === 0 ? '' : `environment: ${variables.join(', ')}\n`;
  await output.write(`configuration: ${from}\n${over}\n${[...lines(keys, '')].join('')}`);
  return 0;
}
