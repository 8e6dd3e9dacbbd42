/** The answer of an embeddings call, `{data: [{index, embedding: [...]}, ...]}`, checked and put in the sequence of the texts. */

/** What a service answered is not what it was asked for. */
export class MalformedEmbeddings extends Error {
  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * A vector of `dimension` numbers for each of `count` texts. Throws `MalformedEmbeddings` for fewer or more vectors, one of
 * another dimension, and numbers that are not finite as f32.
 */
export function readEmbeddings(text: string, count: number, dimension: number): readonly Float32Array[] {
  const data = dataOf(text);
  if (data.length !== count) throw new MalformedEmbeddings(`it gave ${data.length} vectors for ${count} texts`);
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [at, entry] of data.entries()) {
    const index = isObject(entry) ? (entry.index ?? at) : at;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) {
      throw new MalformedEmbeddings(`the vector ${at} has the index ${JSON.stringify(index)}, of ${count} texts`);
    }
    if (vectors[index] !== undefined) throw new MalformedEmbeddings(`two vectors have the index ${index}`);
    vectors[index] = vectorOf(isObject(entry) ? entry.embedding : undefined, index, dimension);
  }
  return vectors as Float32Array[];
}

function dataOf(text: string): readonly unknown[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new MalformedEmbeddings('its answer is no JSON', 'embedding.url must be what /embeddings is put behind');
  }
  const data = isObject(answer) ? answer.data : undefined;
  if (!Array.isArray(data)) throw new MalformedEmbeddings('its answer has no list "data"');
  return data;
}

/** @throws MalformedEmbeddings */
export function vectorOf(numbers: unknown, at: number, dimension: number): Float32Array {
  if (!Array.isArray(numbers)) throw new MalformedEmbeddings(`the vector of text ${at} is no list of numbers`);
  if (numbers.length !== dimension) {
    throw new MalformedEmbeddings(
      `its vectors have ${numbers.length} numbers, and embedding.dimension is ${dimension}`,
      `set embedding.dimension = ${numbers.length}, or another embedding.model`,
    );
  }
  const vector = new Float32Array(dimension);
  for (const [place, value] of numbers.entries()) {
    vector[place] = typeof value === 'number' ? value : Number.NaN;
    if (!Number.isFinite(vector[place])) {
      throw new MalformedEmbeddings(`number ${place} of the vector of text ${at} is not finite`);
    }
  }
  return vector;
}
