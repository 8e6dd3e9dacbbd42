/** Clients of both lines of the protocol's library, over both transports, as one interface. */
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SVC } from '../cli/svc.js';
import { FEW_READERS } from './lines.js';

export interface ToolAnswer {
  readonly isError?: boolean | undefined;
  readonly content: readonly { readonly type: string; readonly text?: string | undefined }[];
  readonly structuredContent?: Record<string, unknown> | undefined;
}

export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

export interface Conversation {
  /** Of the protocol, as it was agreed. */
  readonly version: string | undefined;
  /** Of the server, as it introduced itself. */
  readonly server: { readonly name: string; readonly version: string } | undefined;
  tools(): Promise<readonly ListedTool[]>;
  call(name: string, given?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolAnswer>;
  close(): Promise<void>;
}

export interface HttpPlace {
  readonly url: string;
  readonly headers?: Record<string, string>;
}

export interface StdioPlace {
  readonly arguments: readonly string[];
  readonly environment?: Record<string, string>;
}

const INFO = { name: 'conversation', version: '1.0.0' };

function stdioParameters({ arguments: words, environment = {} }: StdioPlace) {
  const env = { ...(process.env as Record<string, string>), ...FEW_READERS, ...environment };
  return { command: process.execPath, args: [SVC, ...words], env, stderr: 'ignore' as const };
}

/** The line that installed agents speak: `initialize`, up to 2025-11-25. */
export async function oldClient(place: HttpPlace | StdioPlace): Promise<Conversation> {
  const client = new OldClient(INFO);
  const transport =
    'url' in place
      ? new OldHttp(new URL(place.url), { requestInit: { headers: place.headers ?? {} } })
      : new OldStdio(stdioParameters(place));
  let agreed: string | undefined;
  // The client tells its transport, over lines as well if it has such a method.
  if (transport instanceof OldStdio) {
    Object.assign(transport, {
      setProtocolVersion: (version: string) => {
        agreed = version;
      },
    });
  }
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    version: transport instanceof OldHttp ? transport.protocolVersion : agreed,
    server: client.getServerVersion(),
    tools: async () => (await client.listTools()).tools as ListedTool[],
    call: (name, given = {}, signal) =>
      client.callTool({ name, arguments: given }, undefined, signal && { signal }) as Promise<ToolAnswer>,
    close: () => client.close(),
  };
}

/** The line without `initialize`. */
export async function newClient(place: HttpPlace | StdioPlace): Promise<Conversation> {
  const client = new NewClient(INFO, { versionNegotiation: { mode: 'auto' } });
  const transport =
    'url' in place
      ? new NewHttp(new URL(place.url), { requestInit: { headers: place.headers ?? {} } })
      : new NewStdio(stdioParameters(place));
  await client.connect(transport);
  return {
    version: client.getNegotiatedProtocolVersion(),
    server: client.getServerVersion(),
    tools: async () => (await client.listTools()).tools as ListedTool[],
    call: (name, given = {}, signal) =>
      client.callTool({ name, arguments: given }, signal && { signal }) as Promise<ToolAnswer>,
    close: () => client.close(),
  };
}

export const LINES = {
  'client until 2025-11-25': { connect: oldClient, version: '2025-11-25' },
  'client of 2026-07-28': { connect: newClient, version: '2026-07-28' },
} as const;

export function textOf(answer: ToolAnswer): string {
  const [first] = answer.content;
  return first?.text ?? '';
}
