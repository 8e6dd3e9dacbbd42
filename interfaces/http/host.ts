/**
 * Names and addresses a server listens under. One that is bound to loopback answers only to loopback names: a page on
 * the web that rebinds its own name to 127.0.0.1 gets nothing (DNS rebinding).
 */

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

/** Throws when a server on loopback is asked under a name that is not its own. */
export function checkHost(header: string | undefined, bound: Address): void {
  if (!isLoopback(bound.host)) return;
  const name = nameOf(header ?? '');
  if (isLoopback(name) || name === bound.host.toLowerCase()) return;
  throw new Refusal('host_forbidden', 'this server answers only to localhost and loopback addresses', {
    fields: { host: header ?? null },
  });
}
