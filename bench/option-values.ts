/** Values of options: lists, names out of a few, whole numbers. What is wrong is told in the words of the benchmark. */
import { SvcError } from '../engine/base/errors.js';

export function list(value: string): string[] {
  return value.split(',').filter((part) => part !== '');
}

/** `benchmark`: the name whose `--help` the hint points to. */
export class OptionValues {
  constructor(private readonly benchmark: string) {}

  usage(message: string): SvcError {
    return new SvcError('usage', message, { hint: `npm run bench -- ${this.benchmark} --help` });
  }

  known<Name extends string>(what: string, name: string, names: readonly Name[]): Name {
    const found = names.find((one) => one === name);
    if (found === undefined) throw this.usage(`there is no ${what} "${name}"; there are ${names.join(', ')}`);
    return found;
  }

  whole(name: string, value: string, to: number): number {
    const number = Number(value);
    if (!Number.isInteger(number) || number < 1 || number > to) {
      throw this.usage(`--${name} is "${value}"; expected a whole number from 1 to ${to}`);
    }
    return number;
  }
}
