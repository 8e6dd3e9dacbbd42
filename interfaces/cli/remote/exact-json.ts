/** Reads JSON without losing digits: a number that a double would change stays the text that it is. */

import { RawNumber } from '../../../engine/service/requests/json.js';

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** No answer has a member of this name: keys of answers are snake_case or names of variables. */
const RAW = 'svc:raw number';

function guarded(token: string): string {
  return token.startsWith('"') || String(Number(token)) === token ? token : `{"${RAW}":"${token}"}`;
}

export function parseExactJson(text: string): unknown {
  return JSON.parse(text.replace(TOKEN, guarded), (_, value: unknown) => {
    const raw = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[RAW] : undefined;
    return typeof raw === 'string' ? new RawNumber(raw) : value;
  });
}
