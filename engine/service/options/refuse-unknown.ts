/** Keys of objects that a caller gives, held against those that are known. */

import { SvcError } from '../../base/errors.js';
import { nearestNames } from '../../base/nearest.js';

/** A key that is internal is taken, and not told of. */
export type KnownOptions = Readonly<Record<string, 'told' | 'internal'>>;
/** The same for a type, whose keys it has to have, all of them. */
export type Options<Of> = Readonly<Record<KeysOfEach<Of>, 'told' | 'internal'>>;
type KeysOfEach<Of> = Of extends unknown ? keyof Of & string : never;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
/** What a list of names lacks of a type, or has too many; nothing where it is right. */
type Amiss<Of, Names extends string> = Exclude<KeysOfEach<Of>, Names> | Exclude<Names, KeysOfEach<Of>>;

/**
 * The options of a type by their names, with a space between, after those that it shares with other types. The compiler
 * holds the list complete.
 */
export function optionsOf<Of>() {
  return <const Names extends string, Shared extends KnownOptions = Record<never, 'told'>>(
    names: Names & ([Amiss<Of, Words<Names> | (keyof Shared & string)>] extends [never] ? unknown : never),
    shared?: Shared,
  ): Options<Of> => {
    const told = names.split(' ').map((name) => [name, 'told'] as const);
    return { ...shared, ...Object.fromEntries(told) } as Options<Of>;
  };
}

const SHOWN_MAX = 100;

/** Refuses a key that is not known. What is undefined counts as absent; a function or a text is judged by the method. */
export function refuseUnknown(given: unknown, known: KnownOptions, what: string): void {
  if (given === undefined || typeof given === 'string' || typeof given === 'function') return;
  if (typeof given !== 'object' || given === null) {
    const wanted = what.startsWith('option of')
      ? `the options${what.slice('option'.length)}`
      : what.replace(/^key of /, '');
    throw new SvcError('invalid_request', `${wanted}: an object is expected, not ${String(given)}`);
  }
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(known, key) || (given as Record<string, unknown>)[key] === undefined) continue;
    const told = Object.keys(known).filter((name) => known[name] === 'told');
    const near = nearest(key.slice(0, SHOWN_MAX), told);
    throw new SvcError('invalid_request', `'${key.slice(0, SHOWN_MAX)}' is no ${what}; known: ${told.join(', ')}`, {
      ...(near === undefined ? {} : { hint: `did you mean '${near}'?` }),
    });
  }
}

/** A name in another spelling (`valid_from`), else the nearest one. */
function nearest(key: string, names: readonly string[]): string | undefined {
  const plain = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();
  return names.find((name) => plain(name) === plain(key)) ?? nearestNames(key, names)[0];
}
