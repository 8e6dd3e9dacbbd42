/**
 * What goes wrong before a route is reached, in the words of the service: refusals of the framework, and bytes that are
 * no request or do not become one in time.
 */

import type { Socket } from 'node:net';
import { Refusal } from './refusal.js';

/** A target of 8 KiB, headers and room for a clear answer to what is longer. */
export const HEADER_BYTES_MAX = 64 * 1024;

/** Refusals of the framework in our words. */
export function fromFramework(error: unknown): unknown {
  const { code, statusCode, message } = (error ?? {}) as { code?: string; statusCode?: number; message?: string };
  if (typeof code !== 'string' || !code.startsWith('FST_')) return error;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Refusal('too_large', 'the body is larger than server.max_body_bytes');
  if (code === 'FST_ERR_BAD_URL') return new Refusal('invalid_request', 'the path is not percent-encoded rightly');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Refusal(
      'unsupported_media_type',
      'Content-Type is no media type; expected a type, a slash and a subtype',
    );
  if (statusCode !== undefined && statusCode < 500)
    return new Refusal('invalid_request', message ?? code, { status: statusCode });
  return error;
}

/** What is not even HTTP, or too slow to become it. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [status, text, code, account] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', 'too_large', `the headers are longer than ${HEADER_BYTES_MAX} bytes`]
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout', 'invalid_request', 'the request did not arrive in time']
        : [400, 'Bad Request', 'invalid_request', 'this is not HTTP'];
  const body = JSON.stringify({ error: account, code });
  socket.end(
    `HTTP/1.1 ${status} ${text}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
