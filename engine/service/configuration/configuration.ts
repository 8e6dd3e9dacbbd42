/**
 * Where the configuration comes from. The first file found wins and files are never merged: the
 * path given by the caller, the environment variable SVC_CONFIG, `./.svc/config.toml`,
 * `~/.config/svc/config.toml`, then defaults. Variables of the environment stand above the file, and
 * the flags of a command above both. A file that can't be read or parsed, an unknown key
 * or a bad value is an error that names file, line and key; nothing falls back silently.
 */

import { lstatSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { SvcError } from '../../base/errors.js';
import { type Configuration, withDefaults } from './keys.js';
import type { GivenKeys, KeyPlace } from './parse.js';

export type { Configuration } from './keys.js';
export type { KeyPlace } from './parse.js';

export interface ConfigurationPlaces {
  /** A path given by the caller (`--config`). */
  readonly path?: string | undefined;
  /** Names of features with commas between them, given by the caller (`--features`). */
  readonly features?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory?: string;
  readonly homeDirectory?: string;
}

export interface LoadedConfiguration {
  /** The file that was read; null when there is none and the defaults hold. */
  readonly file: string | null;
  readonly configuration: Configuration;
  /** Variables of the environment that stand above the file. */
  readonly variables: readonly string[];
  /** Where the value of a key comes from, for a message about it. */
  readonly placeOf: (path: readonly string[]) => KeyPlace;
}

/** Whether a variable of the environment may be a key; most processes have none. */
function mentionsKeys(environment: Readonly<Record<string, string | undefined>>): boolean {
  return Object.keys(environment).some((name) => name.startsWith('SVC_') && name !== 'SVC_CONFIG');
}

/** The file that counts. A path that was asked for counts even when nothing is there: reading it then fails. */
export function findConfigurationFile(places: ConfigurationPlaces): string | null {
  const environment = places.environment ?? process.env;
  if (places.path !== undefined) return places.path;
  if (environment.SVC_CONFIG) return environment.SVC_CONFIG;
  const candidates = [
    join(places.workingDirectory ?? process.cwd(), '.svc', 'config.toml'),
    join(places.homeDirectory ?? homedir(), '.config', 'svc', 'config.toml'),
  ];
  return candidates.find(isThere) ?? null;
}

/** A link counts even when it leads nowhere: whoever made it wants a configuration. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}

/** Finds, reads and checks the configuration. */
export async function loadConfiguration(places: ConfigurationPlaces = {}): Promise<LoadedConfiguration> {
  const file = findConfigurationFile(places);
  const environment = places.environment ?? process.env;
  // Readers and checks are loaded when there is something to read: most commands find nothing.
  if (file === null && places.features === undefined && !mentionsKeys(environment))
    return { file, configuration: withDefaults({}), variables: [], placeOf: () => ({ name: null }) };
  const [{ parseKeys, placeInFile, refuseKey }, { withEnvironment }, { brokenRules }] = await Promise.all([
    import('./parse.js'),
    import('./environment.js'),
    import('./rules.js'),
  ]);
  const text = file === null ? null : readConfiguration(file);
  const fromFile = file === null || text === null ? {} : parseKeys(text, file);
  const { given, names, placeOf: placeInEnvironment } = withEnvironment(fromFile, environment);
  const placeOf = (path: readonly string[]): KeyPlace =>
    placeInEnvironment(path) ??
    (file === null || text === null || !holds(fromFile, path) ? { name: null } : placeInFile(text, file, path));
  for (const { path, message } of brokenRules(given)) throw refuseKey(placeOf(path), message);
  const switched = await withFeatures(given, places.features);
  return { file, configuration: withDefaults(switched), variables: names, placeOf };
}

async function withFeatures(given: GivenKeys, names: string | undefined): Promise<GivenKeys> {
  if (names === undefined) return given;
  const { featureKeys } = await import('./features.js');
  return { ...given, features: { ...(given.features as object | undefined), ...featureKeys(names, '--features') } };
}

/** Whether a key was given, and is not one that has its default. */
function holds(given: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, key)) return false;
  return holds((given as Readonly<Record<string, unknown>>)[key], rest);
}

function readConfiguration(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message;
    throw new SvcError('configuration', `the configuration can't be read: ${reason}`, {
      position: { source: file },
      cause: error,
    });
  }
}
