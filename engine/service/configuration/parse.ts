/** The text of a configuration file to its keys, checked; what is wrong is named with its line. */

import { type InputPosition, SvcError, showValue } from '../../base/errors.js';
import { findProblems, formatPath, type SchemaProblem } from '../requests/check-schema.js';
import { type Configuration, configurationSchema, withDefaults } from './keys.js';
import { brokenRules } from './rules.js';
import { mayHoldSecret, quotableLine } from './secrets.js';
import { misfits } from './text-kinds.js';
import { lineOfKey, parseToml } from './toml.js';

/** An address with a name, and perhaps a password, in front of its host. */
const WITH_NAME = /\/\/[^/]*@/;

function describeProblem(problem: SchemaProblem): string {
  const key = formatPath(['svc', ...problem.path]);
  const { actual } = problem;
  switch (problem.kind) {
    case 'unknown':
      return `unknown key ${key}; known here: ${problem.expected}`;
    case 'missing':
      return `missing key ${key}; expected ${problem.expected}`;
    case 'invalid': {
      const hidden = mayHoldSecret(problem.path) || (typeof actual === 'string' && WITH_NAME.test(actual));
      const shown = hidden ? '' : `: ${showValue(actual)}`;
      return `bad value of ${key}${shown}; expected ${problem.expected}`;
    }
  }
}

/** What a configuration holds before the defaults are filled in. */
export type GivenKeys = Readonly<Record<string, unknown>>;

/** What is wrong with a key, in words. */
export interface KeyProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** The problems of given keys, each by itself. */
export function* describeProblems(given: GivenKeys): Generator<KeyProblem> {
  let hasTypes = true;
  for (const problem of findProblems(configurationSchema, given)) {
    // Absent keys have defaults; only what stands in a list must be complete.
    if (problem.kind === 'missing' && problem.path.every((part) => !/^\d+$/.test(part))) continue;
    hasTypes = false;
    yield { path: problem.path, message: describeProblem(problem) };
  }
  if (!hasTypes) return;
  for (const misfit of misfits(configurationSchema, given)) {
    yield { path: misfit.path, message: describeProblem({ ...misfit, kind: 'invalid' }) };
  }
}

/** Where the value of a key comes from. */
export interface KeyPlace {
  /** What it is called there: a variable of the environment, a flag; null: the key itself. */
  readonly name: string | null;
  readonly position?: InputPosition;
}

/** An error about a key that says where it stands. */
export function refuseKey({ name, position }: KeyPlace, message: string, hint?: string): SvcError {
  return new SvcError('configuration', name === null ? message : `${name}: ${message}`, {
    ...(position && { position }),
    ...(hint !== undefined && { hint }),
  });
}

export function placeInFile(text: string, file: string, path: readonly string[]): KeyPlace {
  return { name: null, position: { source: file, line: lineOfKey(text, ['svc', ...path]) } };
}

/** Checks the text of a configuration file. */
export function parseKeys(text: string, file: string): GivenKeys {
  const document = parseToml(text, file, quotableLine);
  const fail = (path: readonly string[], message: string): never => {
    throw new SvcError('configuration', message, { position: { source: file, line: lineOfKey(text, path) } });
  };
  for (const [key, value] of Object.entries(document)) {
    if (key !== 'svc') fail([key], `unknown key ${key}; every key stands under the table [svc]`);
    if (typeof value !== 'object' || Array.isArray(value)) fail([key], 'svc must be a table');
  }
  const given = (document.svc ?? {}) as Record<string, unknown>;
  for (const { path, message } of describeProblems(given)) throw refuseKey(placeInFile(text, file, path), message);
  return given;
}

/** Checks the text of a configuration file, where nothing else is given, and fills in the defaults. */
export function parseConfiguration(text: string, file: string): Configuration {
  const given = parseKeys(text, file);
  for (const { path, message } of brokenRules(given)) throw refuseKey(placeInFile(text, file, path), message);
  return withDefaults(given);
}
