/** Routes of the server itself: its front page, whether it lives, what it counts, and what it offers. */

import type { FollowerStatus } from '../../engine/follow/follower.js';
import type { ReadRules } from '../../engine/governance/read-rules.js';
import type { Configuration } from '../../engine/service/configuration/configuration.js';
import { stats } from '../../engine/service/operations/admin/stats.js';
import { answerOperation } from '../../engine/service/operations/definition/answer-operation.js';
import { pathPrefix } from '../../engine/service/operations/definition/fields.js';
import { readContext } from '../../engine/service/reads/read-context.js';
import type { Store } from '../../engine/service/store/store.js';
import { pathOf } from './addresses/known-paths.js';
import { ServerMetrics } from './figures/metrics.js';
import { describeService } from './openapi.js';
import { docsPage } from './pages/docs-page.js';
import { type Figures, landing } from './pages/landing.js';
import { ICON, pageHeaders } from './pages/markup.js';
import { assetAnswer, scriptAnswer, uiManifest } from './pages/ui-files.js';
import { uiPage, uiPageHeaders } from './pages/ui-page.js';
import { ASSETS_PATH, SCRIPT_PATHS } from './routes.js';
import type { Page } from './server.js';

export interface ServerState {
  /** False until the threads have answered once, and from the moment that the server is asked to stop. */
  ready: boolean;
}

/** A follower is ready once it has had all of its primary; then also while the primary is away, and says how far it is. */
function readiness({ ready }: ServerState, following: FollowerStatus | null): PageAnswer {
  if (!ready) return json(503, { status: 'starting or stopping', code: 'unavailable' });
  if (following === null) return json(200, { status: 'ready' });
  const { primary, connected, caughtUp, tx, primaryTx, lagSeconds, error } = following;
  const follows = { primary, connected, tx, primary_tx: primaryTx, lag_seconds: lagSeconds, error };
  if (caughtUp) return json(200, { status: 'ready', follows });
  return json(503, { status: 'has not caught up with its primary', code: 'unavailable', follows });
}

type PageAnswer = Awaited<ReturnType<Page>>;

function json(status: number, body: object): PageAnswer {
  return {
    status,
    mediaType: 'application/json',
    body: JSON.stringify(body),
    headers: { 'Cache-Control': 'no-store' },
  };
}

/** What everybody may read, who bears no token. */
async function readStats(store: Store, configuration: Configuration, readRules: ReadRules | null): Promise<Figures> {
  const read = readContext(configuration, readRules?.principal(null));
  const context = { store, configuration, read, control: {}, documents: [], representation: 'body' };
  const chunks: Uint8Array[] = [];
  for await (const chunk of await answerOperation(stats, {}, context)) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Figures;
}

function htmlPage(body: string): PageAnswer {
  return { mediaType: 'text/html; charset=utf-8', body, headers: pageHeaders() };
}

/** What pages tell of besides the store. */
export interface PageSources {
  readonly state: ServerState;
  readonly metrics: ServerMetrics;
  /** Of a server that follows another one. */
  readonly following?: (() => FollowerStatus | null) | undefined;
  readonly readRules: ReadRules | null;
  readonly version: string;
}

export function serverPages(
  store: Store,
  configuration: Configuration,
  { state, metrics, following, readRules, version }: PageSources,
): Readonly<Record<string, Page>> {
  const { server } = configuration;
  const prefix = pathPrefix(configuration);
  let description: ReturnType<typeof describeService> | null = null;
  const describe = () => {
    description ??= describeService({ version, protectsReads: server.require_token_for_reads, url: server.public_url });
    return description;
  };
  const front: Page = async (message) => {
    const stats = server.require_token_for_reads ? null : await readStats(store, configuration, readRules);
    const plain = landing(stats, version, prefix);
    const isHome = !pathOf({ raw: message }).startsWith('/entity/');
    const body = uiPage(uiManifest(), { title: 'svc', prefix, version, readOnly: server.read_only, isHome, plain });
    return { mediaType: 'text/html; charset=utf-8', body, headers: uiPageHeaders(uiManifest()) };
  };
  return {
    '/': front,
    '/ui': front,
    [ASSETS_PATH]: async (message) => assetAnswer(pathOf({ raw: message }), message),
    ...Object.fromEntries(
      SCRIPT_PATHS.map((path): [string, Page] => [path, async (message) => scriptAnswer(path.slice(1), message)]),
    ),
    '/favicon.ico': async () => ({
      mediaType: 'image/svg+xml',
      body: ICON,
      headers: { 'Cache-Control': 'public, max-age=86400', 'Content-Security-Policy': "default-src 'none'" },
    }),
    '/health': async () => json(200, { status: 'ok' }),
    '/ready': async () => readiness(state, following?.() ?? null),
    '/metrics': async () => ({ mediaType: ServerMetrics.contentType, body: await metrics.render() }),
    '/openapi.json': async () => ({ mediaType: 'application/json', body: JSON.stringify(describe()) }),
    '/docs': async () => htmlPage(docsPage(describe(), prefix)),
  };
}
