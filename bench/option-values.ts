/** Options of a benchmark's command line: lists, names out of a few, whole numbers. Errors point to the help of the benchmark. */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { SvcError } from '../engine/base/errors.js';

export function list(value: string): string[] {
  return value.split(',').filter((part) => part !== '');
}

export class OptionValues {
  /** `benchmark`: the name whose `--help` the hint points to; null = that of all. */
  constructor(private readonly benchmark: string | null) {}

  usage(message: string): SvcError {
    const words = this.benchmark === null ? '' : `${this.benchmark} `;
    return new SvcError('usage', message, { hint: `npm run bench -- ${words}--help` });
  }

  /** Options with a text, absent unless they are given, and flags. */
  parse<Text extends string, Flag extends string>(
    args: readonly string[],
    texts: readonly Text[],
    flags: readonly Flag[],
  ): Partial<Record<Text, string>> & Record<Flag, boolean> {
    const options = Object.fromEntries([
      ...texts.map((name) => [name, { type: 'string' }] as const),
      ...flags.map((name) => [name, { type: 'boolean', default: false }] as const),
    ]);
    try {
      return parseArgs({ args: [...args], options }).values as Partial<Record<Text, string>> & Record<Flag, boolean>;
    } catch (error) {
      throw this.usage((error as Error).message);
    }
  }

  known<Name extends string>(what: string, name: string, names: readonly Name[]): Name {
    const found = names.find((one) => one === name);
    if (found === undefined) throw this.usage(`there is no ${what} "${name}"; there are ${names.join(', ')}`);
    return found;
  }

  whole(name: string, value: string, to: number, from = 1): number {
    const number = Number(value);
    if (Number.isInteger(number) && number >= from && number <= to) return number;
    throw this.usage(`--${name} is "${value}"; expected a whole number from ${from} to ${to}`);
  }

  /** A core of this machine. */
  core(name: string, value: string): number {
    return this.whole(name, value, cpus().length - 1, 0);
  }
}
