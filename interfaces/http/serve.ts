/**
 * `svc serve`: opens the store, listens, and stops in order. From the signal on nothing new is taken, what runs has a
 * while to end, what does not is cancelled, and the store is closed last, so that no accepted write is lost.
 */

import { SvcError } from '../../engine/base/errors.js';
import { programVersion } from '../../engine/base/program.js';
import type { FollowerStatus } from '../../engine/follow/follower.js';
import type { ReceivedCopy } from '../../engine/follow/receive-copy.js';
import type { Credentials } from '../../engine/governance/credentials.js';
import { readRulesOf } from '../../engine/governance/read-rules.js';
import type { Configuration } from '../../engine/service/configuration/configuration.js';
import { type Address, showAddress } from '../../engine/service/configuration/network.js';
import { openStore } from '../../engine/service/host/open-store.js';
import { RunningRequests } from '../../engine/service/operations/definition/running-requests.js';
import { storeSettings } from '../../engine/service/options/settings-of.js';
import { MEMORY_PATH } from '../../engine/service/options/store-options.js';
import type { Store } from '../../engine/service/store/store.js';
import type { ToolHost, ToolHostOptions } from '../mcp/tool-host.js';
import { describeCause } from './answers/errors.js';
import { careForEmbeddings, checkBackfill } from './embedding-care.js';
import { careForEvents } from './event-care.js';
import { keepCounts } from './figures/graph-counts.js';
import { ServerLog, type WriteLine } from './figures/log-lines.js';
import { ServerMetrics } from './figures/metrics.js';
import { prepareFollower, primaryOf, startFollowing } from './following.js';
import { ClientLimits } from './guard/client-limits.js';
import { addressOf, checkProtection } from './guard/protection.js';
import { type LoadedCredentials, loadCredentials, type PlaceOf } from './guard/tokens.js';
import type { ConnectionLimits } from './request/connections.js';
import { HttpServer } from './server.js';
import { type ServerState, serverPages } from './server-routes.js';
import { warmUp } from './warm-up.js';

/** What runs when the server is asked to stop has this long to end by itself. */
const GRACE_MS = 10_000;

export interface ServeOptions {
  readonly path: string;
  readonly configuration: Configuration;
  /** Absent = the keys come from no file. */
  readonly placeOf?: PlaceOf | undefined;
  /** Allows a bind beyond loopback without credentials. */
  readonly insecure: boolean;
  readonly write: WriteLine;
  /** No lines that tell of each request; audits and failures are told all the same. */
  readonly quiet?: boolean;
  /** Embeds what has no vector, from the start on; refused where there is no provider. */
  readonly embedBackfill?: boolean | undefined;
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
  /** Of a follower: settles with a copy that is to take the place of its file, when nobody has that open any more. */
  readonly outdated: Promise<ReceivedCopy> | null;
}

async function open(path: string, configuration: Configuration): Promise<Store> {
  const { read_only: readOnly, read_pool_size: readers, reader_age_max_ms: readerAgeMaxMs } = configuration.server;
  const settings = storeSettings(configuration);
  if (configuration.follow.primary !== undefined) return openFollower(path, configuration);
  if (path === MEMORY_PATH) return openStore(path, settings);
  return openStore(path, {
    readOnly,
    create: !readOnly,
    readers,
    writerThread: true,
    readerAgeMaxMs,
    configuration,
    baseNamespace: configuration.base_ns,
    ...settings,
  });
}

/** It writes what its primary sends, whatever requests may. */
function openFollower(path: string, configuration: Configuration): Promise<Store> {
  const { read_pool_size: readers, reader_age_max_ms: readerAgeMaxMs } = configuration.server;
  const threads = { readers, readerAgeMaxMs, writerThread: true };
  return openStore(path, { create: false, ...threads, configuration, ...storeSettings(configuration) });
}

/** Opens the store; for reading only where the disk is full, so that reads are answered meanwhile. */
async function openOrRead({
  path,
  configuration,
  write,
}: ServeOptions): Promise<Pick<Prepared, 'store' | 'configuration'>> {
  try {
    return { store: await open(path, configuration), configuration };
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'disk_full') throw error;
    const reading = readOnly(configuration);
    const store = await open(path, reading).catch(() => {
      throw error;
    });
    write(`${error.message}; free some space and start the server again to write\n`);
    return { store, configuration: reading };
  }
}

function describePool(store: Store, configuration: Configuration): string {
  const { read_pool_size: size } = configuration.server;
  if (store.readers !== null) return `read pool: ${size} read-only connections`;
  const why = store.path === MEMORY_PATH ? 'the store is in memory' : 'server.read_pool_size is 0';
  return `read pool: DISABLED — ${why}`;
}

/** A server before it listens: all that answers requests, by whatever way they come. */
interface Prepared {
  /** That of the options, but for a server that can only read. */
  readonly configuration: Configuration;
  readonly server: HttpServer;
  readonly store: Store;
  readonly metrics: ServerMetrics;
  readonly log: ServerLog;
  readonly state: ServerState & { stopping: boolean; following?: () => FollowerStatus };
}

async function prepare(
  options: ServeOptions,
  { credentials, protectsReads }: { readonly credentials: Credentials; readonly protectsReads: boolean },
  bound: () => Address,
): Promise<Prepared> {
  const { quiet, write, limits } = options;
  const opened = await openOrRead(options);
  const { store } = opened;
  const { primary } = opened.configuration.follow;
  const configuration = primary === undefined ? opened.configuration : readOnly(opened.configuration);
  const toolsReadOnly = options.toolsReadOnly ?? (primary === undefined ? undefined : writesAt(primary));
  try {
    // A provider that can't be used stops the start.
    await store.embedder?.provider();
    const metrics = new ServerMetrics();
    const log = new ServerLog(write, { requests: quiet !== true });
    const state: Prepared['state'] = { ready: false, stopping: false };
    const readRules = readRulesOf(configuration.governance.read_rules);
    const following = () => state.following?.() ?? null;
    const sources = { state, metrics, following, readRules, version: programVersion() };
    const pages = serverPages(store, configuration, sources);
    const server = await HttpServer.create({
      ...{ store, configuration, credentials, protectsReads, bound, log, metrics, pages, limits, toolsReadOnly },
      readRules,
      running: new RunningRequests(),
      clients: new ClientLimits(configuration.server.client_requests_max),
    });
    write(`${describePool(store, configuration)}\n`);
    if (credentials.required) write('write endpoints require a bearer token\n');
    if (protectsReads) write('read endpoints require it, too\n');
    if (credentials.required && !credentials.any) write('there is NO token that is accepted: every write is refused\n');
    if (readRules !== null) {
      const anonymous = readRules.principal(null);
      const all = anonymous.readable === null ? 'every graph' : 'the graphs that the rules name';
      write(`governance.read_rules are on: who bears no token reads ${all}\n`);
    }
    if (primary !== undefined) {
      write(`server FOLLOWS ${primary} — writes go there\n`);
      if (configuration.embedding.auto_embed)
        write('embedding.auto_embed is left to the primary: its vectors come here\n');
    } else if (configuration.server.read_only) write('server is READ-ONLY — every write is refused\n');
    return { configuration, server, store, metrics, log, state };
  } catch (error) {
    await store.close();
    throw error;
  }
}

const readOnly = (configuration: Configuration): Configuration => ({
  ...configuration,
  server: { ...configuration.server, read_only: true },
});

function writesAt(primary: string): ToolHostOptions['readsOnly'] {
  return { error: `this server follows ${primary}`, hint: `call the tools of ${primary} to write` };
}

const NOWHERE: PlaceOf = () => ({ name: null });

function credentialsOf({ configuration, write, placeOf = NOWHERE }: ServeOptions): LoadedCredentials {
  const loaded = loadCredentials(configuration, placeOf);
  if (loaded.warning !== null) write(`named credentials are INACTIVE: ${loaded.warning}\n`);
  return loaded;
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
  const { insecure, write, placeOf = NOWHERE } = options;
  const address = addressOf(options.configuration);
  const loaded = credentialsOf(options);
  checkProtection(options.configuration, loaded, { insecure, placeOf });
  checkBackfill(options.configuration, options.embedBackfill === true);
  const primary = primaryOf(options.configuration, insecure);
  if (primary !== null) await prepareFollower(primary, options.path, write);
  const { credentials } = loaded;
  let bound = address;
  const protectsReads = options.configuration.server.require_token_for_reads;
  const prepared = await prepare(options, { credentials, protectsReads }, () => bound);
  bound = await listen(prepared, address);
  const { configuration, server, store, metrics } = prepared;
  write(`svc-server listening on ${showAddress(bound)} (db: ${store.path})\n`);
  const { log } = prepared;
  log.listening({
    address: showAddress(bound),
    public_url: configuration.server.public_url ?? null,
    db: store.path,
    read_pool: store.readers === null ? 0 : configuration.server.read_pool_size,
    writes_need_token: credentials.required,
    reads_need_token: protectsReads,
    read_only: configuration.server.read_only,
  });
  const failed = (what: string) => (error: unknown) => log.failedBeside(what, describeCause(error));
  const endCounts = keepCounts(store, configuration, metrics, failed('counts of graphs'));
  const endEvents = careForEvents(store, configuration, metrics, failed('events'));
  const withBackfill = options.embedBackfill === true;
  const endEmbeddings = careForEmbeddings(store, { metrics, write, withBackfill }, failed('embeddings'));
  const endProbes = probeRemotes(configuration, write);
  const onFailure = failed('following');
  const following = primary === null ? null : startFollowing(primary, store, { write, onFailure });
  if (following !== null) {
    prepared.state.following = following.status;
    metrics.showFollowing(following.status);
  }
  const close = closing(prepared, async () => {
    await following?.end();
    endProbes();
    endCounts();
    await endEmbeddings();
    await endEvents();
  });
  const ready = warmUp(store).then(() => {
    prepared.state.ready = !prepared.state.stopping;
  });
  const outdated = following?.outdated ?? null;
  return { address: bound, store, tools: server.tools, ready, outdated, close };
}

/** Never holds the start up, and what is found is only told; what it returns ends it. */
function probeRemotes(configuration: Configuration, write: WriteLine): () => void {
  const controller = new AbortController();
  const probe = async (): Promise<void> => {
    const [{ probeMembers }, { remoteMembers }] = await Promise.all([
      import('../../engine/service/federation/probe.js'),
      import('../../engine/service/federation/members.js'),
    ]);
    await probeMembers(remoteMembers(configuration), controller.signal, (line) => write(`${line}\n`));
  };
  if (configuration.federation.remotes.length > 0) void probe();
  return () => controller.abort();
}

/**
 * The same without an address: only what is handed to its tools is answered. Who starts it may read the file of the store,
 * so that reads need no token here.
 */
export async function startTools(options: ServeOptions): Promise<RunningTools> {
  const address = addressOf(options.configuration);
  const { credentials } = credentialsOf(options);
  const prepared = await prepare(options, { credentials, protectsReads: false }, () => address);
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
