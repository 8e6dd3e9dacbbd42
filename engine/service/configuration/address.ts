/** Where a server listens: `host:port`, and whether that is reached from elsewhere. */

import { isIPv6 } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const PORT_MAX = 65_535;

/** `127.0.0.1:3030`, `[::1]:3030`, `localhost:0`; null where the text is none. */
export function parseAddress(text: string): Address | null {
  const match = /^(?:\[([^\]]+)\]|([A-Za-z0-9._~%-]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined || port > PORT_MAX || (match?.[1] !== undefined && !isIPv6(host))) return null;
  return { host, port };
}

export function showAddress({ host, port }: Address): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host) || /^::ffff:127\./i.test(host);
}
