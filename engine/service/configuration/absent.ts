/**
 * Keys whose feature does not exist yet. One that asks for a protection is refused, since nobody should believe himself
 * protected; any other is told to whoever looks, and has no effect.
 */

type Path = readonly [table: string, key: string];

/** What each would guard, refused when it is other than the value that leaves it off. */
const PROTECTIONS: readonly { readonly path: Path; readonly off: unknown; readonly what: string }[] = [
  { path: ['governance', 'enforce_on_write'], off: false, what: 'the policy gate' },
  { path: ['governance', 'validate_placement'], off: false, what: 'the placement gate' },
  { path: ['governance', 'enforce_authority'], off: false, what: 'the authority gate' },
];

const WITHOUT_EFFECT: readonly Path[] = [['federation', 'remotes']];

type Given = Readonly<Record<string, unknown>>;

function at(given: Given, [table, key]: Path): unknown {
  return (given[table] as Given | undefined)?.[key];
}

/** Protections that are asked for and not there. */
export function* absentProtections(given: Given): Generator<{ readonly path: Path; readonly message: string }> {
  for (const { path, off, what } of PROTECTIONS) {
    const value = at(given, path);
    if (value === undefined || JSON.stringify(value) === JSON.stringify(off)) continue;
    const message = `svc.${path.join('.')}: ${what} does not exist yet, so this can't be asked for; leave the key out`;
    yield { path, message };
  }
}

/** Names of keys that were given and do nothing yet. */
export function keysWithoutEffect(given: Given): string[] {
  return WITHOUT_EFFECT.filter((path) => at(given, path) !== undefined).map((path) => path.join('.'));
}
