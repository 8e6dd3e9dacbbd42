/**
 * Under which address clients know the server: `server.public_url` where that is set, else what a trusted proxy says that
 * the client used, else `Host`. Links and the check of origins go by it. Below a path of `public_url` the paths of links
 * begin with it, and it is taken away from those of requests, where the proxy left it there.
 */

import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { Configuration } from '../../../engine/service/configuration/configuration.js';
import { type HostName, hostNameOf, networksOf } from '../../../engine/service/configuration/network.js';
import { pathPrefix } from '../../../engine/service/operations/definition/fields.js';
import { type Forwarded, forwardedOf } from './forwarded.js';

type ServerKeys = Configuration['server'];

/** A request with the address that it was sent to. */
export interface Reached extends Forwarded {
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

export class PublicName {
  readonly #trusted: BlockList | null;
  readonly #url: string | null;
  readonly #prefix: string;
  /** Names besides those of this machine. */
  readonly #names: readonly HostName[];
  /** Whether requests from elsewhere have to name one of them, too. */
  readonly restricts: boolean;

  constructor(server: ServerKeys) {
    const { public_url: url, allowed_hosts: hosts, trusted_proxies: proxies } = server;
    this.#trusted = proxies.length === 0 ? null : networksOf(proxies);
    this.#url = url === undefined ? null : new URL(url).href.replace(/\/+$/, '');
    this.#prefix = pathPrefix({ server });
    const own = this.#url === null ? [] : [new URL(this.#url).hostname];
    this.#names = [...hosts, ...own].map((text) => hostNameOf(text)).filter((name) => name !== null);
    this.restricts = hosts.length > 0;
  }

  /** What browsers call pages of this server; null where only the request says it. */
  get origin(): string | null {
    return this.#url === null ? null : new URL(this.#url).origin;
  }

  /** A path as routes know it. */
  pathOf(target: string): string {
    const prefix = this.#prefix;
    if (prefix === '' || !target.startsWith(prefix)) return target;
    const rest = target.slice(prefix.length);
    if (rest === '' || rest.startsWith('?')) return `/${rest}`;
    return rest.startsWith('/') ? rest : target;
  }

  /** Throws where a trusted proxy says what can't be. */
  reached(message: IncomingMessage): Reached {
    const forwarded = forwardedOf(message, this.#trusted);
    const host = forwarded.host ?? message.headers.host ?? 'localhost';
    return { ...forwarded, baseUrl: this.#url ?? `${forwarded.scheme ?? 'http'}://${host}` };
  }

  /** Whether a name is one of those that the configuration lists. */
  lists({ name, port }: HostName): boolean {
    return this.#names.some((one) => one.name === name && (one.port === null || one.port === port));
  }
}
