/** Plain data with some of its parts replaced; what holds no such part is shared with the original. */

/** `change` is given ids and objects, and gives what stands for them; undefined = what is in an object is looked at. */
export function mapData<Data>(data: Data, change: (part: object | bigint) => unknown): Data {
  return mapAny(data, change) as Data;
}

function mapAny(data: unknown, change: (part: object | bigint) => unknown): unknown {
  if (typeof data === 'bigint') return change(data) ?? data;
  if (typeof data !== 'object' || data === null || ArrayBuffer.isView(data)) return data;
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
  const changed = change(data);
  if (changed !== undefined) return changed;
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
