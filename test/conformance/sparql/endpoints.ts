/**
 * The endpoints of a case: requests to them are answered in the process, from a store in memory that holds
 * the data of the endpoint. Nothing leaves for the network; what no endpoint answers to fails.
 */

import { executeQuery } from '../../../engine/query/query.js';
import { encodeResult } from '../../../engine/query/results/encode.js';
import { openMemoryEngine } from '../../../engine/storage/memory/engine.js';
import type { ServiceData } from './case.js';
import { quadsOf } from './subjects.js';

/** The endpoints that a text names are configured, whether they exist or not. */
export function endpointsIn(text: string): { url: string }[] {
  return [...text.matchAll(/SERVICE\s+(?:SILENT\s+)?<([^>]+)>/gi)].map(([, url]) => ({ url: url as string }));
}

export async function withEndpoints<Result>(
  services: readonly ServiceData[],
  run: () => Promise<Result>,
): Promise<Result> {
  const usual = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const { url } = new Request(input as string);
    const service = services.find(({ endpoint }) => new URL(endpoint).href === url);
    if (service === undefined) throw new TypeError(`no endpoint at ${url}`);
    return answer(service, new Request(input as string, init as RequestInit));
  };
  try {
    return await run();
  } finally {
    globalThis.fetch = usual;
  }
}

async function answer(service: ServiceData, request: Request): Promise<Response> {
  const body = await request.text();
  const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded');
  const text = isForm ? (new URLSearchParams(body).get('query') ?? '') : body;
  const engine = openMemoryEngine();
  const quads = await quadsOf(service.data);
  await (await engine.stageLoad([{ kind: 'quads', quads, name: service.endpoint }], {}, {})).commit().durable;
  const snapshot = engine.snapshot();
  let json = '';
  const result = await executeQuery(snapshot, text, { serviceEndpoints: endpointsIn(text) });
  for await (const chunk of encodeResult(result, 'json')) json += chunk;
  snapshot.close();
  return new Response(json, { headers: { 'content-type': 'application/sparql-results+json' } });
}
