/**
 * `svc serve`: opens the store, listens, and stops in order. From the signal on nothing new is taken, what runs has a
 * while to end, what does not is cancelled, and the store is closed last, so that no accepted write is lost.
 */

import { SvcError } from '../../engine/base/errors.js';
import { programVersion } from '../../engine/base/program.js';
import type { Configuration } from '../../engine/service/configuration/configuration.js';
import { openStore, type Store } from '../../engine/service/store.js';
import { MEMORY_PATH } from '../../engine/service/store-options.js';
import { keepCounts } from './graph-counts.js';
import { type Address, isLoopback, parseBind, showAddress } from './host.js';
import { ServerLog, type WriteLine } from './log-lines.js';
import { ServerMetrics } from './metrics.js';
import { serverPages } from './pages.js';
import { HttpServer } from './server.js';
import { loadCredentials } from './tokens.js';
import { warmUp } from './warm-up.js';

/** What runs when the server is asked to stop has this long to end by itself. */
const GRACE_MS = 10_000;

export interface ServeOptions {
  readonly path: string;
  readonly configuration: Configuration;
  /** Allows a bind beyond loopback without credentials. */
  readonly insecure: boolean;
  readonly write: WriteLine;
  /** Whether requests are logged. */
  readonly quiet?: boolean;
}

export interface RunningServer {
  readonly address: Address;
  readonly store: Store;
  /** Settles when every thread has answered once. */
  readonly ready: Promise<void>;
  /** Closing twice is harmless. */
  close(): Promise<void>;
}

async function open(path: string, configuration: Configuration): Promise<Store> {
  const { read_only: readOnly, read_pool_size: readers, reader_age_max_ms: readerAgeMaxMs } = configuration.server;
  if (path === MEMORY_PATH) return openStore(path);
  return openStore(path, { readOnly, create: !readOnly, readers, writerThread: true, readerAgeMaxMs, configuration });
}

function describePool(store: Store, configuration: Configuration): string {
  const { read_pool_size: size } = configuration.server;
  if (store.readers !== null) return `read pool: ${size} read-only connections`;
  const why = store.path === MEMORY_PATH ? 'the store is in memory' : 'server.read_pool_size is 0';
  return `read pool: DISABLED — ${why}`;
}

export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { path, configuration, insecure, write } = options;
  const address = parseBind(configuration.server.bind);
  const { credentials, warning } = loadCredentials(configuration);
  if (warning !== null) write(`named credentials are INACTIVE: ${warning}\n`);
  if (!isLoopback(address.host) && !credentials.required && !insecure) {
    throw new SvcError(
      'configuration',
      `${showAddress(address)} is reachable from elsewhere, and nothing protects writes`,
      {
        hint: 'set server.auth_token (or SVC_AUTH_TOKEN), bind to 127.0.0.1, or say --insecure',
      },
    );
  }
  const store = await open(path, configuration);
  const state = { ready: false };
  const metrics = new ServerMetrics();
  const log = new ServerLog(options.quiet ? null : write);
  let bound = address;
  try {
    const server = await HttpServer.create({
      store,
      configuration,
      credentials,
      bound: () => bound,
      log,
      metrics,
      pages: serverPages(store, configuration, state, metrics, programVersion()),
    });
    write(`${describePool(store, configuration)}\n`);
    if (credentials.required) write('write endpoints require a bearer token\n');
    if (configuration.server.read_only) write('server is READ-ONLY — every write is refused\n');
    await server.app.listen({ host: address.host, port: address.port });
    const listening = server.app.server.address();
    if (listening !== null && typeof listening === 'object') bound = { host: address.host, port: listening.port };
    write(`svc-server listening on ${showAddress(bound)} (db: ${store.path})\n`);
    const endCounts = keepCounts(store, configuration, metrics, (error) =>
      write(`counts of graphs: ${String(error)}\n`),
    );
    let closing: Promise<void> | null = null;
    const ready = warmUp(store).then(() => {
      state.ready = closing === null;
    });
    const close = (): Promise<void> => {
      endCounts();
      closing ??= stop(server, store, state).finally(() => log.flush());
      return closing;
    };
    return { address: bound, store, ready, close };
  } catch (error) {
    await store.close();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      const account = {
        EADDRINUSE: 'is in use',
        EACCES: 'may not be used',
        EADDRNOTAVAIL: 'is not of this machine',
        ENOTFOUND: 'is not known',
      }[code];
      throw new SvcError('configuration', `the address ${showAddress(address)} ${account}`, { cause: error });
    }
    throw error;
  }
}

async function stop(server: HttpServer, store: Store, state: { ready: boolean }): Promise<void> {
  state.ready = false;
  // Those that are still there afterwards lose their connection, which cancels what runs for them.
  const cut = setTimeout(() => server.app.server.closeAllConnections(), GRACE_MS);
  try {
    await server.stop();
  } finally {
    clearTimeout(cut);
    await store.close();
  }
}
