/**
 * Routes from operations: method, path and class of access stand in the operation; here they become patterns of the
 * router and the authoritative list of write routes. A path that is in neither list does not exist.
 */

import type { HttpRoute, Operation } from '../../engine/service/operations/definition/operation.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import type { Access } from './guard/access.js';

export interface OperationRoute {
  readonly operation: Operation;
  readonly route: HttpRoute;
  readonly access: 'read' | 'write';
}

export const OPERATION_ROUTES: readonly OperationRoute[] = OPERATIONS.flatMap((operation) =>
  (operation.projections.http ?? []).map((route) => ({
    operation,
    route,
    access: operation.access === 'read' ? ('read' as const) : ('write' as const),
  })),
);

/** `METHOD path` of every route that writes: it needs the bearer where there is one, and a server that may write. */
export const WRITE_ROUTES: ReadonlySet<string> = new Set(
  OPERATION_ROUTES.filter(({ access }) => access === 'write').map(({ route }) => `${route.method} ${route.path}`),
);

/** Where agents send their messages. */
export const MCP_PATH = '/mcp';

/** Files of the web UI, by names that change with what is in them. */
export const ASSETS_PATH = '/assets/{name}';

/** Scripts of the web UI by the names that other pages know them by. */
export const SCRIPT_PATHS: readonly string[] = [
  '/svc-components.js',
  '/datalinks.js',
  '/graph-canvas.js',
  '/vendor/three.module.min.js',
];

/** Paths that tell nothing of the data: whether the server lives, and the fixed files of its page. */
const OPEN_PATHS: ReadonlySet<string> = new Set([
  '/',
  '/ui',
  ASSETS_PATH,
  ...SCRIPT_PATHS,
  '/favicon.ico',
  '/health',
  '/ready',
]);

/** Routes of the server itself, which no operation answers. None of them writes: tools are judged one by one. */
export const SERVER_ROUTES: readonly string[] = [
  ...[...OPEN_PATHS].map((path) => `GET ${path}`),
  'GET /metrics',
  'GET /openapi.json',
  'GET /docs',
  `POST ${MCP_PATH}`,
];

/** Routes of the server itself that are refused to who may read some graphs only. */
export const TELLS_OF_EVERY_GRAPH: ReadonlySet<string> = new Set(['/metrics']);

/** What a route of the server itself tells. */
export function accessOf(path: string): Access {
  return OPEN_PATHS.has(path) ? 'open' : 'read';
}

/** What the router calls a path: a variable part takes the rest of it, since IRIs hold slashes. */
export function toPattern(path: string): string {
  return path.replace(/\{\w+\}.*$/, '*');
}
