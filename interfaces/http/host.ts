/**
 * Names and addresses a server listens under. One that is bound to loopback answers only to loopback names: a page on
 * the web that rebinds its own name to 127.0.0.1 gets nothing (DNS rebinding).
 */

import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { SvcError } from '../../engine/base/errors.js';
import { Refusal } from './refusal.js';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:3030`, `[::1]:3030`, `localhost:0`. */
export function parseBind(bind: string): Address {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(bind);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined || port > 65_535 || (match?.[1] !== undefined && !isIPv6(host))) {
    throw new SvcError('configuration', `the address to bind is ${JSON.stringify(bind)}; expected host:port`, {
      hint: 'for example 127.0.0.1:3030 or [::1]:3030',
    });
  }
  return { host, port };
}

export function showAddress({ host, port }: Address): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host) || /^::ffff:127\./i.test(host);
}

/** The name of a `Host` header without its port, in lower case. */
function nameOf(header: string): string {
  const match = /^(?:\[([^\]]+)\]|([^:]*))(?::\d*)?$/.exec(header.trim());
  return (match?.[1] ?? match?.[2] ?? header).toLowerCase();
}

const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%-]+)(?::\d{0,5})?$/;

/** The one `Host` of a request; null where there is none, as HTTP/1.0 allows. */
export function hostOf({ rawHeaders }: IncomingMessage): string | null {
  let host: string | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'host') continue;
    const value = rawHeaders[at + 1] as string;
    if (host !== null || !HOST.test(value)) {
      throw new Refusal('invalid_request', host === null ? 'Host is no name or address' : 'Host is given twice');
    }
    host = value;
  }
  return host;
}

/** Throws when a request does not say clearly what it was sent to, or a server on loopback is asked under a foreign name. */
export function checkHost(message: IncomingMessage, bound: Address): void {
  const host = hostOf(message);
  if (!isLoopback(bound.host)) return;
  const name = nameOf(host ?? '');
  if (isLoopback(name) || name === bound.host.toLowerCase()) return;
  throw new Refusal('host_forbidden', 'this server answers only to localhost and loopback addresses', {
    fields: { host },
  });
}
