/** Refusals of the framework, in the words of the service. */

import { Refusal } from './refusal.js';

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
