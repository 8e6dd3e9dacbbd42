/**
 * How much a word counts in a text, as a byte: whether it stands there as another word of its kind, such as another form of its
 * stem, which is worth less (1 bit); how often it stands there (2 bits); and how many words the text has (5 bits), both in classes that grow. What a byte is worth follows from the mean length of all texts when a
 * question is asked (`impactTable`), so that what is stored never depends on other texts. BM25 as in Robertson and Zaragoza,
 * "The Probabilistic Relevance Framework", 2009, with k1 = 1.2 and b = 0.75.
 */

const K1 = 1.2;
const B = 0.75;
const TIMES = [1, 2, 3, 5];
/** Of the worth of the word itself. */
const LESSER = 0.6;
const LESSER_BIT = 0x80;
const LENGTHS = [
  1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 34, 40, 48, 58, 70, 84, 100, 120, 150, 200, 280, 400, 600, 1000,
  2000, 5000, 20_000,
];
/** Classes of the mean length: so many for each doubling. */
const MEANS_A_DOUBLING = 4;

const CLASS_OF_LENGTH = new Uint8Array(1024);
for (let length = 0; length < CLASS_OF_LENGTH.length; length++) CLASS_OF_LENGTH[length] = classOf(LENGTHS, length);

/** The last class that begins at or before a value. */
function classOf(classes: readonly number[], value: number): number {
  let found = 0;
  while (found + 1 < classes.length && (classes[found + 1] as number) <= value) found++;
  return found;
}

/** The same of another word of its kind. */
export function lesserImpact(impact: number): number {
  return impact | LESSER_BIT;
}

/** `times`: of the word in the text; `length`: words of the text. */
export function impactByte(times: number, length: number): number {
  const lengthClass = length < CLASS_OF_LENGTH.length ? (CLASS_OF_LENGTH[length] as number) : classOf(LENGTHS, length);
  return (times === 1 ? 0 : classOf(TIMES, times) << 5) | lengthClass;
}

const tables = new Map<number, Float64Array>();

/** What each byte is worth where texts have so many words in the mean. */
export function impactTable(meanLength: number): Float64Array {
  const step = Math.round(MEANS_A_DOUBLING * Math.log2(Math.max(1, meanLength)));
  let table = tables.get(step);
  if (table === undefined) {
    const mean = 2 ** (step / MEANS_A_DOUBLING);
    table = Float64Array.from({ length: 256 }, (_, byte) => {
      const times = TIMES[(byte >> 5) & 3] as number;
      const part = (byte & LESSER_BIT) === 0 ? 1 : LESSER;
      return (part * times * (K1 + 1)) / (times + K1 * (1 - B + (B * (LENGTHS[byte & 31] as number)) / mean));
    });
    tables.set(step, table);
  }
  return table;
}

/** How much a word tells that so many of all texts have. */
export function inverseFrequency(texts: number, having: number): number {
  return Math.log(1 + (texts - having + 0.5) / (having + 0.5));
}
