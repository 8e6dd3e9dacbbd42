/**
 * The head of a request: its target and its headers have a limit each. The parser takes the sum of both, so that what is
 * too long is told apart in a request that is read (RFC 9110, 15.5.15; RFC 6585, 5). Only beyond the sum nothing is read,
 * and the bytes at which the parser stopped have to tell.
 */

import type { IncomingMessage } from 'node:http';
import { Refusal } from '../answers/refusal.js';

/** Of any target; a query by GET has a limit of its own, far below. */
export const TARGET_BYTES_MAX = 64 * 1024;
/** Of names and values of headers together. */
export const HEADER_BYTES_MAX = 64 * 1024;
/** What the parser takes: it counts target, names and values, not what stands between them. */
export const HEAD_BYTES_MAX = TARGET_BYTES_MAX + HEADER_BYTES_MAX;

const TARGET_TOO_LONG = `the target is longer than ${TARGET_BYTES_MAX} bytes`;
const HEADERS_TOO_LONG = `the headers are longer than ${HEADER_BYTES_MAX} bytes`;

function targetTooLong(): Refusal {
  return new Refusal('too_large', TARGET_TOO_LONG, { status: 414 });
}

function headersTooLong(): Refusal {
  return new Refusal('too_large', HEADERS_TOO_LONG, { status: 431 });
}

/** Throws when a head that was read is too long in one of its parts, or expects what nobody does. Each character is a byte. */
export function checkHead({ url = '', rawHeaders, headers: { expect } }: IncomingMessage): void {
  if (url.length > TARGET_BYTES_MAX) throw targetTooLong();
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length;
  if (bytes > HEADER_BYTES_MAX) throw headersTooLong();
  if (expect === undefined || expect.toLowerCase() === '100-continue') return;
  throw new Refusal('invalid_request', 'the only expectation that is met is 100-continue', { status: 417 });
}

const LINE_FEED = 0x0a;
const REQUEST_LINE_BEGIN = /^[A-Z]{3,20} \S*$/;
const REQUEST_LINE_END = /^\S* HTTP\/\d\.\d\r?$/;
/** Unbroken text with percent-encoded bytes in it: values of headers of that length have spaces. */
const MIDDLE_OF_TARGET = /^[^\s"<>]*%[0-9A-Fa-f]{2}[^\s"<>]*$/;

/**
 * The refusal of a head at which the parser stopped: of its target where `packet`, the last bytes that it was given, shows
 * that the line of the request had not ended at `at`.
 */
export function headOverflow(packet: Buffer | null, at: number): Refusal {
  if (packet === null) return headersTooLong();
  const begin = at === 0 ? 0 : packet.lastIndexOf(LINE_FEED, at - 1) + 1;
  const end = packet.indexOf(LINE_FEED, at);
  const line = packet.toString('latin1', begin, end < 0 ? packet.length : end);
  const isWhole = end >= 0;
  const [before = ''] = line.split(' HTTP/', 1);
  if (REQUEST_LINE_BEGIN.test(before)) return targetTooLong();
  // The line of a header that began in these bytes has its name in front.
  if (begin > 0) return headersTooLong();
  return (isWhole ? REQUEST_LINE_END : MIDDLE_OF_TARGET).test(line) ? targetTooLong() : headersTooLong();
}
