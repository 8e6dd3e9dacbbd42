/**
 * Where the configuration comes from. The first file found wins and files are never merged: the
 * path given by the caller, the environment variable SVC_CONFIG, `./.svc/config.toml`,
 * `~/.config/svc/config.toml`, then defaults. A file that can't be read or parsed, an unknown key
 * or a bad value is an error that names file, line and key; nothing falls back silently.
 */

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { SvcError } from '../../base/errors.js';
import { findProblems, type SchemaProblem, showValue } from '../check-schema.js';
import { type Configuration, configurationSchema, withDefaults } from './keys.js';
import { lineOfKey, parseToml } from './toml.js';

export type { Configuration } from './keys.js';

export interface ConfigurationPlaces {
  /** A path given by the caller (`--config`). */
  readonly path?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory?: string;
  readonly homeDirectory?: string;
}

export interface LoadedConfiguration {
  /** The file that was read; null when there is none and the defaults hold. */
  readonly file: string | null;
  readonly configuration: Configuration;
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
  return candidates.find((path) => existsSync(path)) ?? null;
}

function describeProblem(problem: SchemaProblem): string {
  const key = ['svc', ...problem.path].join('.');
  switch (problem.kind) {
    case 'unknown':
      return `unknown key ${key}; known here: ${problem.expected}`;
    case 'missing':
      return `missing key ${key}; expected ${problem.expected}`;
    case 'invalid':
      return `bad value of ${key}: ${showValue(problem.actual)}; expected ${problem.expected}`;
  }
}

/** Checks the text of a configuration file and fills in the defaults. */
export function parseConfiguration(text: string, file: string): Configuration {
  const document = parseToml(text, file);
  const fail = (path: readonly string[], message: string): never => {
    throw new SvcError('configuration', message, { position: { source: file, line: lineOfKey(text, path) } });
  };
  for (const [key, value] of Object.entries(document)) {
    if (key !== 'svc') fail([key], `unknown key ${key}; every key stands under the table [svc]`);
    if (typeof value !== 'object' || Array.isArray(value)) fail([key], 'svc must be a table');
  }
  const given = (document.svc ?? {}) as Record<string, unknown>;
  for (const problem of findProblems(configurationSchema, given)) {
    // Absent keys have defaults; only what stands in a list must be complete.
    if (problem.kind === 'missing' && problem.path.every((part) => !/^\d+$/.test(part))) continue;
    fail(['svc', ...problem.path], describeProblem(problem));
  }
  const { min_trust_rank: rank, min_trust_chain: chain } = (given.labels ?? {}) as Record<string, unknown>;
  if ((rank === undefined) !== (chain === undefined)) {
    fail(['svc', 'labels'], 'svc.labels.min_trust_rank and svc.labels.min_trust_chain: give both or none');
  }
  return withDefaults(given);
}

/** Finds, reads and checks the configuration. */
export function loadConfiguration(places: ConfigurationPlaces = {}): LoadedConfiguration {
  const file = findConfigurationFile(places);
  if (file === null) return { file, configuration: withDefaults({}) };
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message;
    throw new SvcError('configuration', `the configuration can't be read: ${reason}`, {
      position: { source: file },
      cause: error,
    });
  }
  return { file, configuration: parseConfiguration(text, file) };
}
