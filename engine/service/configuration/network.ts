/** Names, addresses and origins of the web as keys of the configuration hold them, and where a server listens. */

import { BlockList, isIP, isIPv6 } from 'node:net';

/** Where a server listens: `host:port`. */
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

/** Whether it is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host) || /^::ffff:127\./i.test(host);
}

/** The URL of a text that is one of http or https, without a password; null where it is none. */
export function httpUrlOf(text: string): URL | null {
  if (/\s/.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
  return isHttp && url.username === '' && url.password === '' && url.hash === '' ? url : null;
}

/** An address that a path is put behind. */
export function isBaseUrl(text: string): boolean {
  const url = httpUrlOf(text);
  return url !== null && url.search === '' && !text.endsWith('?');
}

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(?::\d{1,5})?$/;

/** As browsers send it: in lower case, without the port that the scheme implies, and without a path. */
export function isOrigin(text: string): boolean {
  if (!ORIGIN.test(text) || !URL.canParse(text)) return false;
  // Schemes of programs (chrome-extension:, tauri:) have no origin by the rules of URLs.
  const { origin } = new URL(text);
  return origin === 'null' || origin === text;
}

/** The name in a `Host` header or a key, and its port where there is one. */
export interface HostName {
  /** In lower case; of an IPv6 address without its brackets. */
  readonly name: string;
  readonly port: string | null;
}

const HOST = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._~%-]+))(?::(\d{0,5}))?$/;

/** `graph.example.org`, `graph.example.org:8443`, `[::1]:80`; null where the text is none. */
export function hostNameOf(text: string): HostName | null {
  const [, address, name = address, port] = HOST.exec(text.trim()) ?? [];
  if (name === undefined || (address !== undefined && isIP(address) !== 6)) return null;
  return { name: name.toLowerCase(), port: port || null };
}

/** An address, or all that begin alike: `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([0-9A-Fa-f:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0) return false;
  return prefix === undefined || Number(prefix) <= (family === 4 ? 32 : 128);
}

/** All of the networks as one list to look addresses up in. */
export function networksOf(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', prefix] = text.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
