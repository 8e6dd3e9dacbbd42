/** One delivery: a POST of events to an endpoint. Settles when it has taken them, rejects for anything else. */

import { createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { SvcError } from '../../base/errors.js';
import { JoinedSignal } from '../../base/joined-signal.js';
import type { EventItem } from './event-item.js';
import { checkedLookup, isPublicAddress, privateTarget } from './push-address.js';
import type { StoredSubscription } from './subscriptions.js';

const TIMEOUT_MS = 10_000;
/** Of the body of an answer, which nobody reads, so much is passed over; then the connection is cut. */
const ANSWER_BYTES_MAX = 64 * 1024;

export interface PushOptions {
  readonly allowPrivate: boolean;
  /** Ends the delivery when the server stops. */
  readonly signal: AbortSignal;
  /** Absent = 10 s. */
  readonly timeoutMs?: number | undefined;
}

/** What is sent, and its headers. */
export function deliveryOf(
  { consumerId, secret }: Pick<StoredSubscription, 'consumerId' | 'secret'>,
  events: readonly EventItem[],
): { readonly body: Buffer; readonly headers: Record<string, string> } {
  const body = Buffer.from(JSON.stringify({ subscription: consumerId, events }));
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    'User-Agent': 'svc',
    'X-Svc-Delivery': `${events[0]?.offset}-${events.at(-1)?.offset}`,
  };
  if (secret !== null) {
    headers['X-Svc-Signature'] = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  }
  return { body, headers };
}

export function push(
  subscription: Pick<StoredSubscription, 'consumerId' | 'secret' | 'webhookUrl'>,
  events: readonly EventItem[],
  { allowPrivate, signal, timeoutMs = TIMEOUT_MS }: PushOptions,
): Promise<void> {
  const url = new URL(subscription.webhookUrl);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // An address that stands in the URL itself is never looked up.
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) return Promise.reject(privateTarget(host));
  const { body, headers } = deliveryOf(subscription, events);
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const stop = new JoinedSignal([signal], timeoutMs);
  const answered = new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => {
      const timedOut = error.name === 'AbortError' && !signal.aborted;
      reject(timedOut ? new SvcError('unavailable', `no answer within ${timeoutMs / 1000} s`) : error);
    };
    // A connection of its own: none is used again for a name that may mean another address by then.
    const sent = request(
      url,
      { method: 'POST', agent: false, headers, lookup: checkedLookup(allowPrivate), signal: stop.signal },
      (answer) => {
        const { statusCode = 0 } = answer;
        let passed = 0;
        answer.on('data', (bytes: Buffer) => {
          passed += bytes.length;
          if (passed > ANSWER_BYTES_MAX) answer.destroy();
        });
        answer.on('error', () => undefined);
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new SvcError('unavailable', `it answered with status ${statusCode}`));
      },
    );
    sent.on('error', fail);
    sent.on('close', () => stop.end());
    sent.end(body);
  });
  return answered;
}
