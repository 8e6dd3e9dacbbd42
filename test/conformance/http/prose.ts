/**
 * The older manifest of the graph store writes its requests and answers out in comments, as HTTP has them. Graphs that
 * it names by paths of the service are named by `?graph=`, with the IRIs of those paths.
 */

import type { Exchange } from './exchange.js';

const STATUSES: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 204: 'NoContent', 404: 'NotFound' };

export function readProse(comments: readonly string[]): Exchange {
  const comment = comments.find((one) => one.startsWith('#### Request')) ?? '';
  const [asked = '', answered = ''] = comment.replace('#### Request', '').split('#### Response');
  const request = readMessage(asked);
  const response = readMessage(answered);
  const [method = '', path = ''] = request.start.split(' ');
  return {
    method,
    target: targetOf(path),
    headers: request.headers,
    body: request.body === '' ? null : Buffer.from(request.body),
    expected: {
      statuses: [STATUSES[response.start.split(' ', 1)[0] as string] ?? response.start],
      boolean: null,
      format: null,
      headers: Object.fromEntries(Object.entries(response.headers).filter(([, value]) => value !== '...')),
      body: response.body === '' ? null : response.body,
    },
  };
}

interface Message {
  readonly start: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function readMessage(text: string): Message {
  const plain = text.replace(/^ {4}/gm, '').replaceAll('http://$HOST$/$GRAPHSTORE$', 'http://www.example/gsp').trim();
  const [head = '', ...rest] = plain.split('\n\n');
  const [start = '', ...lines] = head.split('\n');
  const headers = lines.map((line) => /^([^:]+): (.*)$/.exec(line)).filter((match) => match !== null);
  return {
    start,
    headers: Object.fromEntries(
      headers
        .map(([, name, value]) => [(name as string).toLowerCase(), value as string])
        .filter(([name]) => name !== 'host'),
    ),
    body: rest.join('\n\n'),
  };
}

function targetOf(path: string): string {
  const plain = path.replace('$GRAPHSTORE$', '/gsp');
  const named = /^\/gsp\/(.+)$/.exec(plain)?.[1];
  return named === undefined ? plain : `/gsp?graph=${encodeURIComponent(`http://www.example/gsp/${named}`)}`;
}
