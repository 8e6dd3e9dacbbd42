/**
 * `svc serve`: opens the store, listens, and stops in order. From the signal on nothing new is taken, what runs has a
 * while to end, what does not is cancelled, and the store is closed last, so that no accepted write is lost.
 */

import { SvcError } from '../../engine/base/errors.js';
import { programVersion } from '../../engine/base/program.js';
import type { Credentials } from '../../engine/governance/credentials.js';
import type { Configuration } from '../../engine/service/configuration/configuration.js';
import { openStore } from '../../engine/service/open-store.js';
import type { Store } from '../../engine/service/store.js';
import { MEMORY_PATH } from '../../engine/service/store-options.js';
import type { ToolHost, ToolHostOptions } from '../mcp/tool-host.js';
import type { ConnectionLimits } from './connections.js';
import { careForEvents } from './event-care.js';
import { keepCounts } from './graph-counts.js';
import { type Address, isLoopback, parseBind, showAddress } from './host.js';
import { ServerLog, type WriteLine } from './log-lines.js';
import { ServerMetrics } from './metrics.js';
import { type ServerState, serverPages } from './pages.js';
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
  /** No lines that tell of each request; audits and failures are told all the same. */
  readonly quiet?: boolean;
  /** Why tools can not write; the store is open for reading then. */
  readonly toolsReadOnly?: ToolHostOptions['readsOnly'];
  /** Absent = those of a server for everybody. */
  readonly limits?: ConnectionLimits | undefined;
}

export interface RunningTools {
  readonly store: Store;
  readonly tools: ToolHost;
  /** Closing twice is harmless. */
  close(): Promise<void>;
}

export interface RunningServer extends RunningTools {
  readonly address: Address;
  /** Settles when every thread has answered once. */
  readonly ready: Promise<void>;
}

async function open(path: string, configuration: Configuration): Promise<Store> {
  const { read_only: readOnly, read_pool_size: readers, reader_age_max_ms: readerAgeMaxMs } = configuration.server;
  const validateOnWrite = configuration.shacl.validate_on_write;
  if (path === MEMORY_PATH) return openStore(path, { validateOnWrite });
  return openStore(path, {
    readOnly,
    create: !readOnly,
    readers,
    writerThread: true,
    readerAgeMaxMs,
    configuration,
    baseNamespace: configuration.base_ns,
    validateOnWrite,
  });
}

function describePool(store: Store, configuration: Configuration): string {
  const { read_pool_size: size } = configuration.server;
  if (store.readers !== null) return `read pool: ${size} read-only connections`;
  const why = store.path === MEMORY_PATH ? 'the store is in memory' : 'server.read_pool_size is 0';
  return `read pool: DISABLED — ${why}`;
}

/** A server before it listens: all that answers requests, by whatever way they come. */
interface Prepared {
  readonly server: HttpServer;
  readonly store: Store;
  readonly metrics: ServerMetrics;
  readonly log: ServerLog;
  readonly state: ServerState & { stopping: boolean };
}

async function prepare(
  { path, configuration, quiet, write, limits, toolsReadOnly }: ServeOptions,
  credentials: Credentials,
  bound: () => Address,
): Promise<Prepared> {
  const store = await open(path, configuration);
  try {
    const [metrics, log, state] = [
      new ServerMetrics(),
      new ServerLog(write, { requests: quiet !== true }),
      { ready: false, stopping: false },
    ];
    const pages = serverPages(store, configuration, state, metrics, programVersion());
    const server = await HttpServer.create({
      store,
      configuration,
      credentials,
      bound,
      log,
      metrics,
      pages,
      limits,
      toolsReadOnly,
    });
    write(`${describePool(store, configuration)}\n`);
    if (credentials.required) write('write endpoints require a bearer token\n');
    if (credentials.required && !credentials.any) write('there is NO token that is accepted: every write is refused\n');
    if (configuration.server.read_only) write('server is READ-ONLY — every write is refused\n');
    return { server, store, metrics, log, state };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function credentialsOf({ configuration, write }: ServeOptions): Credentials {
  const { credentials, warning } = loadCredentials(configuration);
  if (warning !== null) write(`named credentials are INACTIVE: ${warning}\n`);
  return credentials;
}

function describeListenFailure(error: unknown, address: Address): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const account = new Map([
    ['EADDRINUSE', 'is in use'],
    ['EACCES', 'may not be used'],
    ['EADDRNOTAVAIL', 'is not of this machine'],
    ['ENOTFOUND', 'is not known'],
  ]).get(code ?? '');
  if (account === undefined) return error;
  return new SvcError('configuration', `the address ${showAddress(address)} ${account}`, { cause: error });
}

async function listen({ server, store }: Prepared, address: Address): Promise<Address> {
  try {
    await server.app.listen({ host: address.host, port: address.port });
  } catch (error) {
    await store.close();
    throw describeListenFailure(error, address);
  }
  const listening = server.app.server.address();
  const isAddress = listening !== null && typeof listening === 'object';
  return isAddress ? { host: address.host, port: listening.port } : address;
}

export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { configuration, insecure, write } = options;
  const address = parseBind(configuration.server.bind);
  const credentials = credentialsOf(options);
  if (!isLoopback(address.host) && !credentials.required && !insecure) {
    throw new SvcError(
      'configuration',
      `${showAddress(address)} is reachable from elsewhere, and nothing protects writes`,
      { hint: 'set server.auth_token (or SVC_AUTH_TOKEN), bind to 127.0.0.1, or say --insecure' },
    );
  }
  let bound = address;
  const prepared = await prepare(options, credentials, () => bound);
  bound = await listen(prepared, address);
  const { server, store, metrics } = prepared;
  write(`svc-server listening on ${showAddress(bound)} (db: ${store.path})\n`);
  const endCounts = keepCounts(store, configuration, metrics, (error) => write(`counts of graphs: ${String(error)}\n`));
  const endEvents = careForEvents(store, configuration, metrics, (error) => write(`events: ${String(error)}\n`));
  const close = closing(prepared, async () => {
    endCounts();
    await endEvents();
  });
  const ready = warmUp(store).then(() => {
    prepared.state.ready = !prepared.state.stopping;
  });
  return { address: bound, store, tools: server.tools, ready, close };
}

/** The same without an address: only what is handed to its tools is answered. */
export async function startTools(options: ServeOptions): Promise<RunningTools> {
  const address = parseBind(options.configuration.server.bind);
  const prepared = await prepare(options, credentialsOf(options), () => address);
  return { store: prepared.store, tools: prepared.server.tools, close: closing(prepared, async () => undefined) };
}

function closing(prepared: Prepared, onClose: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | null = null;
  return () => {
    closed ??= stop(prepared, onClose()).finally(() => prepared.log.flush());
    return closed;
  };
}

/** `ended`: what runs beside the requests uses the store until then. */
async function stop({ server, store, state }: Prepared, ended: Promise<void>): Promise<void> {
  state.ready = false;
  state.stopping = true;
  // Those that are still there afterwards lose their connection, which cancels what runs for them.
  const cut = setTimeout(() => server.app.server.closeAllConnections(), GRACE_MS);
  try {
    await server.stop();
  } finally {
    clearTimeout(cut);
    await ended;
    await store.close();
  }
}
