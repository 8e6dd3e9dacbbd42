/** Messages as they are, without a client's library. */
import type { TestServer } from '../http/support.js';

export type Message = Record<string, unknown>;

export interface Reply {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  readonly body: Message;
}

/** Posts a text to `/mcp`. */
export async function post(
  server: TestServer,
  text: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await server.send('POST', '/mcp', text, { 'Content-Type': 'application/json', ...headers });
  const answer = await response.text();
  const body = answer === '' ? {} : (JSON.parse(answer) as Message);
  return { status: response.status, type: response.headers.get('content-type'), text: answer, body };
}

export function call(id: unknown, name: string, given: Message = {}): Message {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } };
}

export function initialize(id: unknown, protocolVersion: string): Message {
  const clientInfo = { name: 'raw', version: '1' };
  return { jsonrpc: '2.0', id, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo } };
}

/** A request of the era without `initialize`: it says in every message what it speaks. */
export function modern(id: unknown, method: string, params: Message = {}, version = '2026-07-28'): Message {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } };
}

/** The headers that go with a message of that era. */
export function modernHeaders(method: string, name?: string, version = '2026-07-28'): Record<string, string> {
  return { 'MCP-Protocol-Version': version, 'Mcp-Method': method, ...(name === undefined ? {} : { 'Mcp-Name': name }) };
}

/** What a call of a tool gave. */
export function resultOf(body: Message): { isError: boolean; structuredContent: Message } {
  return body.result as { isError: boolean; structuredContent: Message };
}

export function errorOf(body: Message): { code: number; message: string } {
  return body.error as { code: number; message: string };
}
