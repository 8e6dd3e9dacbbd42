/**
 * Memento (RFC 7089) for entities and graphs: `Accept-Datetime` asks for the state that held at an instant, by valid
 * time. The resource is its own TimeGate and negotiates in time without a redirect (pattern 1.2 of the RFC).
 */

import type { IncomingHttpHeaders } from 'node:http';
import { SvcError } from '../../../engine/base/errors.js';
import type { Incoming } from './translator.js';

export interface MementoInstant {
  readonly iso: string;
  /** As HTTP writes dates. */
  readonly http: string;
}

export function mementoInstant(headers: IncomingHttpHeaders): MementoInstant | null {
  const text = headers['accept-datetime'];
  if (typeof text !== 'string') return null;
  const date = new Date(text);
  // Also refuses days that no month has, and weekdays that are not those of the day.
  if (Number.isNaN(date.getTime()) || date.toUTCString() !== text.trim()) {
    throw new SvcError(
      'invalid_request',
      `Accept-Datetime is ${JSON.stringify(text)}; expected a date as HTTP writes it`,
      {
        hint: 'for example: Thu, 01 Jan 2026 00:00:00 GMT',
      },
    );
  }
  return { iso: `${date.toISOString().slice(0, 19)}Z`, http: date.toUTCString() };
}

export function mementoHeaders(
  { baseUrl, message }: Incoming,
  instant: MementoInstant | null,
): Readonly<Record<string, string>> {
  const link = `<${baseUrl}${message.url}>; rel="original timegate"`;
  return instant === null ? { Link: link } : { Link: link, 'Memento-Datetime': instant.http };
}
