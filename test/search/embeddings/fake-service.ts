/** A service of embeddings whose vectors tell which text they are of, and which misbehaves as a test says. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { serve } from '../../plain-server.js';

export interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly [key: string]: unknown };
}

export interface FakeService {
  /** What `/embeddings` is put behind. */
  readonly url: string;
  readonly asked: readonly Asked[];
}

/** Answers a request in its own way and returns true, or leaves it to the service. */
export type Misbehaviour = (response: ServerResponse, asked: Asked, attempt: number) => boolean;

/** Words hashed into places: texts that share words are near to each other. */
export function vectorOfText(text: string, dimension: number): number[] {
  const vector = new Array<number>(dimension).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 2166136261;
    for (const character of word) hash = Math.imul(hash ^ (character.codePointAt(0) as number), 16777619) >>> 0;
    vector[hash % dimension] = (vector[hash % dimension] as number) + 1;
  }
  return vector;
}

export function answerOf(texts: readonly string[], dimension: number) {
  return { data: texts.map((text, index) => ({ index, embedding: vectorOfText(text, dimension) })) };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): true {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
  return true;
}

async function bodyOf(request: IncomingMessage): Promise<Asked['body']> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'];
}

export async function fakeService(
  t: TestContext,
  dimension: number,
  misbehave: Misbehaviour = () => false,
): Promise<FakeService> {
  const asked: Asked[] = [];
  const origin = await serve(t, async (request, response) => {
    const { url: path = '', headers } = request;
    const one = { path, authorization: headers.authorization, body: await bodyOf(request) };
    asked.push(one);
    if (!misbehave(response, one, asked.length)) sendJson(response, answerOf(one.body.input, dimension));
  });
  return { url: `${origin}/v1`, asked };
}
