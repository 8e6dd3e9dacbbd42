/** Twin of `as/code-planes.ts`: what the upper four bits of codes say. */
import { type Code, type CodedQuery, lengthOf } from './vector-codes.js';

const upperOf = (number: number): number => 16 * Math.floor(number / 16) + 7.5;

export function estimateOfUpper({ numbers, scale }: Code, query: CodedQuery): number {
  return numbers.reduce(
    (sum, number, at) => sum + upperOf(number) * scale * (query.numbers[at] as number) * query.scale,
    0,
  );
}

export function slackOf({ numbers, scale, residual }: Code): number {
  return scale === 0 ? 0 : scale * lengthOf(numbers.map((number) => number - upperOf(number))) + residual;
}

/** A query as words of planes are multiplied with it: less 16 times the number whose bits stand below. */
export function planeQuery(numbers: readonly number[], room: number): number[] {
  const numberAt = (at: number): number => numbers[at] ?? 0;
  return Array.from({ length: room }, (_, at) => numberAt(at) - (at % 32 < 8 ? 0 : 16 * numberAt(at - 8)));
}

export function sumsOf(numbers: readonly number[]): { readonly sum: number; readonly turned: number } {
  const sum = (some: readonly number[]): number => some.reduce((all, number) => all + number, 0);
  return { sum: sum(numbers), turned: 8 * sum(numbers.filter((_, at) => at % 32 >= 24)) };
}
