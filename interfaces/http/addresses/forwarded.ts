/**
 * What reverse proxies say of a request: the client's address, and the name and scheme that it used.
 *
 * 1. Only an address that `server.trusted_proxies` holds is believed; what anybody else sends is as if it were not there.
 * 2. Each proxy adds what it saw at the right, so the entries are read from there: the last is the word of the peer of the
 *    connection, the one before it the word of the proxy that it names, as long as that is trusted, too.
 * 3. `Forwarded` (RFC 7239) and `X-Forwarded-For`, `-Host`, `-Proto` say the same in two ways. A proxy sets one of them and
 *    passes on what a client put into the other, so that a request in which they differ is refused.
 */

import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import { hostNameOf } from '../../../engine/service/configuration/network.js';
import { Refusal } from '../answers/refusal.js';

/** As the outermost trusted proxy saw it; null = nobody said. */
export interface Forwarded {
  readonly client: string | null;
  readonly host: string | null;
  readonly scheme: 'http' | 'https' | null;
}

const NOTHING: Forwarded = { client: null, host: null, scheme: null };

interface Hop {
  readonly client: string | null;
  readonly host: string | null;
  readonly proto: string | null;
}

function refuse(header: string): Refusal {
  return new Refusal('invalid_request', `the header ${header} is not of its form`);
}

/** `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]:80`; null: no address, a name that hides one. */
function addressIn(text: string): string | null {
  const [, bracketed, plain] = /^(?:\[([0-9A-Fa-f:.]+)\]|(\d+(?:\.\d+){3}))(?::\w+)?$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  return isIP(address) === 0 ? null : address;
}

const PAIR = /\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)=(?:([A-Za-z0-9!#$%&'*+.^_`|~:[\]-]+)|"((?:[^"\\]|\\.)*)")\s*(;|,|$)/y;

/** The elements of `Forwarded`. */
function parseForwarded(header: string): readonly Hop[] {
  const hops: Hop[] = [];
  let pairs = new Map<string, string>();
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < header.length) {
    const [, name, token, quoted, end] = PAIR.exec(header) ?? [];
    if (name === undefined || pairs.has(name.toLowerCase())) throw refuse('Forwarded');
    pairs.set(name.toLowerCase(), token ?? (quoted as string).replace(/\\(.)/g, '$1'));
    if (end === ';' && PAIR.lastIndex < header.length) continue;
    const client = pairs.get('for');
    hops.push({
      client: client === undefined ? null : addressIn(client),
      host: pairs.get('host') ?? null,
      proto: pairs.get('proto') ?? null,
    });
    pairs = new Map();
  }
  return hops;
}

function entriesOf(header: string | readonly string[] | undefined): readonly string[] {
  const text = typeof header === 'string' ? header : (header ?? []).join(',');
  return text === '' ? [] : text.split(',').map((entry) => entry.trim());
}

/** The same of the three headers: an entry each a hop; of fewer entries than hops the first was handed on. */
function hopsOfThree({ headers }: IncomingMessage): readonly Hop[] {
  const [clients, hosts, protos] = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'].map((name) =>
    entriesOf(headers[name]),
  ) as [readonly string[], readonly string[], readonly string[]];
  const count = Math.max(clients.length, hosts.length, protos.length);
  const at = (entries: readonly string[], fromRight: number): string | null =>
    entries.length === 0 ? null : (entries[Math.max(entries.length - 1 - fromRight, 0)] as string);
  return Array.from({ length: count }, (_, index) => {
    const fromRight = count - 1 - index;
    const client = fromRight < clients.length ? at(clients, fromRight) : null;
    return {
      client: client === null ? null : addressIn(client),
      host: at(hosts, fromRight),
      proto: at(protos, fromRight),
    };
  });
}

function isTrusted(address: string | null, trusted: BlockList): boolean {
  if (address === null) return false;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  const family = isIP(plain);
  return family !== 0 && trusted.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/** Follows the hops from the right as far as they are trusted. */
function follow(hops: readonly Hop[], peer: string, trusted: BlockList): Hop {
  let [client, host, proto]: [string | null, string | null, string | null] = [peer, null, null];
  for (let at = hops.length - 1; at >= 0 && isTrusted(client, trusted); at--) {
    const hop = hops[at] as Hop;
    host = hop.host ?? host;
    proto = hop.proto ?? proto;
    client = hop.client;
  }
  return { client, host, proto };
}

function checked({ client, host, proto }: Hop, [ofHost, ofProto]: readonly [string, string]): Forwarded {
  if (host !== null && hostNameOf(host) === null) throw refuse(ofHost);
  const scheme = proto?.toLowerCase() ?? null;
  if (scheme !== null && scheme !== 'http' && scheme !== 'https') throw refuse(ofProto);
  return { client, host, scheme };
}

/** What is to be believed of a request. `trusted`: null = nobody is. */
export function forwardedOf(message: IncomingMessage, trusted: BlockList | null): Forwarded {
  const peer = message.socket.remoteAddress ?? null;
  if (peer === null || trusted === null || !isTrusted(peer, trusted)) return { ...NOTHING, client: peer };
  const standard = String(message.headers.forwarded ?? '');
  const three = hopsOfThree(message);
  const byThree = checked(follow(three, peer, trusted), ['X-Forwarded-Host', 'X-Forwarded-Proto']);
  if (standard === '') return byThree;
  const byStandard = checked(follow(parseForwarded(standard), peer, trusted), ['Forwarded', 'Forwarded']);
  if (three.length === 0) return byStandard;
  const agree = (['client', 'host', 'scheme'] as const).every((what) => {
    const [one, other] = [byStandard[what], byThree[what]];
    return one?.toLowerCase() === other?.toLowerCase();
  });
  if (agree) return byStandard;
  throw new Refusal('invalid_request', 'Forwarded and X-Forwarded-* disagree', {
    fields: { hint: 'let the proxy clear the one of them that it does not set' },
  });
}
