/**
 * Triples that look like those of a document and are not in it: subject and predicate of a line, the object of another
 * line with that predicate, some lines before. Values keep their distributions; a decoy that happens to be a real triple does no
 * harm where they are used.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Objects that are remembered of each predicate. */
const REMEMBERED = 64;

export interface Line {
  readonly number: number;
  /** The line as it stands, without its end. */
  readonly text: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** Another object; the same one only while the predicate has one alone. */
  readonly decoy: string;
}

/** Every line of a document of N-Triples, with the decoy of a round: each round gives others. */
export async function* readLines(path: string, round: number): AsyncGenerator<Line> {
  const seen = new Map<string, string[]>();
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(path, { highWaterMark: 1 << 20 }) })) {
    if (text === '') continue;
    const first = text.indexOf(' ');
    const second = text.indexOf(' ', first + 1);
    const predicate = text.slice(first + 1, second);
    const object = text.slice(second + 1, text.lastIndexOf(' '));
    let objects = seen.get(predicate);
    if (objects === undefined) {
      objects = [];
      seen.set(predicate, objects);
    }
    const decoy = objects[(number * 31 + round * 17) % Math.max(1, objects.length)] ?? object;
    if (objects.length < REMEMBERED) objects.push(object);
    else objects[number % REMEMBERED] = object;
    yield { number, text, subject: text.slice(0, first), predicate, object, decoy };
    number++;
  }
}

/** Spread evenly and the same every time: whether a line belongs to a share in a round. */
export function isChosen(number: number, round: number, share: number): boolean {
  const mixed = Math.imul((number + 1) ^ Math.imul(round + 1, 0x9e3779b1), 0x85ebca6b) >>> 0;
  return ((mixed ^ (mixed >>> 15)) >>> 0) % 100_000 < share * 100_000;
}
