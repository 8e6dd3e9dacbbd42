/** The text of a configuration file to its keys, checked; what is wrong is named with its line. */

import { SvcError, showValue } from '../../base/errors.js';
import { findProblems, formatPath, type SchemaProblem } from '../check-schema.js';
import { absentProtections } from './absent.js';
import { type Configuration, configurationSchema, withDefaults } from './keys.js';
import { mayHoldSecret, quotableLine } from './secrets.js';
import { lineOfKey, parseToml } from './toml.js';

function describeProblem(problem: SchemaProblem): string {
  const key = formatPath(['svc', ...problem.path]);
  switch (problem.kind) {
    case 'unknown':
      return `unknown key ${key}; known here: ${problem.expected}`;
    case 'missing':
      return `missing key ${key}; expected ${problem.expected}`;
    case 'invalid':
      return mayHoldSecret(problem.path)
        ? `bad value of ${key}; expected ${problem.expected}`
        : `bad value of ${key}: ${showValue(problem.actual)}; expected ${problem.expected}`;
  }
}

/** What a configuration holds before the defaults are filled in. */
export type GivenKeys = Readonly<Record<string, unknown>>;

/** The problems of given keys in words, with the keys that they are of. */
export function* describeProblems(
  given: GivenKeys,
): Generator<{ readonly path: readonly string[]; readonly message: string }> {
  for (const problem of findProblems(configurationSchema, given)) {
    // Absent keys have defaults; only what stands in a list must be complete.
    if (problem.kind === 'missing' && problem.path.every((part) => !/^\d+$/.test(part))) continue;
    yield { path: ['svc', ...problem.path], message: describeProblem(problem) };
  }
  const { min_trust_rank: rank, min_trust_chain: chain } = (given.labels ?? {}) as Record<string, unknown>;
  if ((rank === undefined) !== (chain === undefined)) {
    yield {
      path: ['svc', 'labels'],
      message: 'svc.labels.min_trust_rank and svc.labels.min_trust_chain: give both or none',
    };
  }
  for (const { path, message } of absentProtections(given)) yield { path: ['svc', ...path], message };
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
  for (const { path, message } of describeProblems(given)) fail(path, message);
  return given;
}

/** Checks the text of a configuration file and fills in the defaults. */
export function parseConfiguration(text: string, file: string): Configuration {
  return withDefaults(parseKeys(text, file));
}
