/** Plain data with its terms replaced; what holds no such term is shared with the original. */

import type { Term } from '../../rdf/terms.js';

export function mapTerms<Data>(data: Data, change: (term: Term) => Term): Data {
  return mapAny(data, change) as Data;
}

function mapAny(data: unknown, change: (term: Term) => Term): unknown {
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) {
    let copy: unknown[] | null = null;
    for (let at = 0; at < data.length; at++) {
      const mapped = mapAny(data[at], change);
      if (mapped === data[at]) continue;
      copy ??= [...data];
      copy[at] = mapped;
    }
    return copy ?? data;
  }
  if ('termType' in data) return change(data as Term);
  let copy: Record<string, unknown> | null = null;
  for (const name of Object.keys(data)) {
    const own = (data as Record<string, unknown>)[name];
    const mapped = mapAny(own, change);
    if (mapped === own) continue;
    copy ??= { ...data };
    copy[name] = mapped;
  }
  return copy ?? data;
}
