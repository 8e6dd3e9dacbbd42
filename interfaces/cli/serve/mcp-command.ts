/** How the command line describes `svc mcp`, and what it does: tools of agents over standard input and output. */

import type { Readable } from 'node:stream';
import { SvcError } from '../../../engine/base/errors.js';
import type { Configuration, LoadedConfiguration } from '../../../engine/service/configuration/configuration.js';
import type { ToolHost } from '../../mcp/tool-host.js';
import type { CommandSpec } from '../line/commander.js';
import { principalChainOf } from '../line/principal-chain.js';
import { type CliOptions, type CliStreams, textOption } from '../line/streams.js';

export const MCP_COMMAND: CommandSpec = {
  name: 'mcp',
  aliases: [],
  summary: 'Serve tools to an agent over standard input and output (MCP)',
  notes: [
    'An agent starts it; the protocol is on standard output, everything else on standard error, and no port is opened.',
    'Where writes need a token, --token-file names the file that holds it: a regular file of mode 0600 or 0400.',
    'It ends with its input, once what came is answered; what is not, by the deadline of queries, is cut off (exit code 1).',
    'Where another process writes the store, tools that read go on, and the others say how to share it.',
    'A running `svc serve` offers the same tools at /mcp, to any number of agents.',
  ],
  examples: ['svc mcp --db graph.db', 'svc mcp --db graph.db --read-only', 'svc mcp --token-file ~/.svc/token'],
  arguments: [],
  options: [
    { flags: '--token-file <path>', summary: 'file with the bearer token that calls bear' },
    { flags: '--read-only', summary: 'refuse every write; the store may be open elsewhere' },
    { flags: '--quiet', summary: 'no log lines of each request; audits and failures stay' },
  ],
};

export interface ToolConnection {
  /** Whether all was answered. */
  readonly ended: Promise<boolean>;
  close(): Promise<void>;
}

/** What the token file says, before anything is opened. */
export async function readToken(path: string | undefined): Promise<string | null> {
  if (path === undefined) return null;
  const { readTokenFile } = await import('../../mcp/token-file.js');
  return readTokenFile(path);
}

interface ToolSetup {
  readonly configuration: Configuration;
  readonly streams: CliStreams;
  readonly token: string | null;
  readonly principalChain: readonly string[] | undefined;
}

export async function connectTools(
  tools: ToolHost,
  { configuration, streams, token, principalChain }: ToolSetup,
): Promise<ToolConnection> {
  const { serveStdio } = await import('../../mcp/stdio.js');
  return serveStdio(tools, {
    input: streams.stdin as Readable,
    output: streams.stdout,
    token,
    principalChain,
    lineBytesMax: configuration.server.max_body_bytes,
    queryTimeoutMs: configuration.search.query_timeout_ms,
    diagnose: (text) => streams.stderr.write(text),
  });
}

/** Settles when the signal fires. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** The error of a write by a second process on a store that a server has open. */
function sharingOf(path: string): { readonly error: string; readonly hint: string } {
  return {
    error: `another process has ${path} open for writing, so it can only be read here`,
    hint: 'to write from several agents, end the other one, run `svc serve --db <path>`, and give each of them its address with /mcp',
  };
}

/** Settles when the connection has ended and the store is closed. */
export async function runMcp(
  options: CliOptions,
  { configuration, placeOf }: LoadedConfiguration,
  streams: CliStreams,
  signal: AbortSignal,
): Promise<number> {
  if (options.url !== undefined || options.token !== undefined) {
    throw new SvcError('usage', 'svc mcp serves a store of this machine; a running server has its tools at <url>/mcp');
  }
  const principalChain = principalChainOf(options);
  const token = await readToken(textOption(options, 'tokenFile'));
  const { server } = configuration;
  const adjusted = {
    ...configuration,
    server: { ...server, read_only: server.read_only || options.readOnly === true },
  };
  const { startTools } = await import('../../http/serve.js');
  const path = textOption(options, 'db') ?? configuration.store_path;
  const start = {
    path,
    configuration: adjusted,
    placeOf,
    insecure: false,
    quiet: options.quiet === true,
    write: (line: string) => streams.stderr.write(line),
  };
  const running = await startTools(start).catch((error: unknown) => {
    if (!(error instanceof SvcError) || error.code !== 'store_locked') throw error;
    const toolsReadOnly = sharingOf(path);
    streams.stderr.write(`svc mcp: reads only: ${toolsReadOnly.error}; ${toolsReadOnly.hint}\n`);
    return startTools({
      ...start,
      configuration: { ...adjusted, server: { ...adjusted.server, read_only: true } },
      toolsReadOnly,
    });
  });
  try {
    streams.stderr.write(`svc mcp: ready (db: ${running.store.path})\n`);
    const connection = await connectTools(running.tools, { configuration: adjusted, streams, token, principalChain });
    const answered = await Promise.race([connection.ended, whenAborted(signal).then(() => true)]);
    await connection.close();
    return answered ? 0 : 1;
  } finally {
    await running.close();
  }
}
