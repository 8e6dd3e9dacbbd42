/** Keys whose feature does not exist yet: they are told to whoever looks, and have no effect. */

type Path = readonly [table: string, key: string];

const WITHOUT_EFFECT: readonly Path[] = [['federation', 'remotes']];

type Given = Readonly<Record<string, unknown>>;

function at(given: Given, [table, key]: Path): unknown {
  return (given[table] as Given | undefined)?.[key];
}

/** Names of keys that were given and do nothing yet. */
export function keysWithoutEffect(given: Given): string[] {
  return WITHOUT_EFFECT.filter((path) => at(given, path) !== undefined).map((path) => path.join('.'));
}
