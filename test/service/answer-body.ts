/** The JSON body of an answer, however it was made: as a value or as a document. */

import assert from 'node:assert/strict';
import type { Answer, Body } from '../../engine/service/operations/definition/operation.js';
import { writeJson } from '../../engine/service/requests/json.js';

export async function bodyText(answer: Answer<Body>): Promise<string> {
  if (answer.kind === 'body') return writeJson(answer.body);
  assert.equal(answer.mediaType, 'application/json');
  const pieces: Uint8Array[] = [];
  for await (const chunk of answer.chunks) pieces.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(pieces).toString();
}

export async function bodyOfAnswer(answer: Answer<Body>): Promise<Body> {
  return JSON.parse(await bodyText(answer)) as Body;
}
