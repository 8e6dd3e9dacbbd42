/** Maps whose entries are made when they are first wanted. */

interface Filled<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The value of a key; where there is none yet, `make` gives it. */
export function getOrInsert<Key, Value>(map: Filled<Key, Value>, key: Key, make: () => NoInfer<Value>): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Adds a value to the list of a key. */
export function addTo<Key, Value>(map: Filled<Key, Value[]>, key: Key, value: NoInfer<Value>): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** Adds to the count of a key. */
export function addCount<Key>(map: Filled<Key, number>, key: Key, more: number): void {
  map.set(key, (map.get(key) ?? 0) + more);
}
