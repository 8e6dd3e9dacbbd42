/** What tests of reading operations share: running one over a store, its JSON body held to its schema, its document. */
import assert from 'node:assert/strict';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import type { Answer, Body, Operation } from '../../engine/service/operations/definition/operation.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { findProblems } from '../../engine/service/requests/check-schema.js';
import { writeJson } from '../../engine/service/requests/json.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';

export const configuration = parseConfiguration('', 'none');

const folder = new StoreFolder();

/** A store with the threads of a server. */
export function openThreaded(): Promise<Store> {
  return openStore(folder.fresh(), { readers: 1, writerThread: true, configuration });
}

export function operationOf(name: string): Operation {
  const operation = OPERATIONS.find((one) => one.name === name);
  assert.ok(operation, name);
  return operation;
}

export function run(store: Store, name: string, request: unknown, representation = 'body'): Promise<Answer<Body>> {
  const context = { store, configuration, control: {}, documents: [], representation };
  return operationOf(name).run(context, request);
}

/** Tests look at what they expect to be there. */
export type Json = ReturnType<typeof JSON.parse>;

/** The JSON that a caller reads, whether it is made at once or as it is written; held to the schema. */
export async function body(store: Store, name: string, request: unknown): Promise<Json> {
  const answer = await run(store, name, request);
  const text = answer.kind === 'body' ? writeJson(answer.body) : await textOf(answer.chunks);
  const read = JSON.parse(text);
  assert.deepEqual([...findProblems(operationOf(name).response, read)], [], name);
  return read;
}

export async function textOf(chunks: AsyncIterable<Uint8Array | string>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const chunk of chunks) pieces.push(Buffer.from(chunk as string));
  return Buffer.concat(pieces).toString('utf8');
}

/** The document of a representation, its media type and what it notes. */
export async function document(store: Store, name: string, request: unknown, representation: string) {
  const answer = await run(store, name, request, representation);
  assert.ok(answer.kind === 'document', name);
  return { text: await textOf(answer.chunks), mediaType: answer.mediaType, notes: answer.notes ?? {} };
}
