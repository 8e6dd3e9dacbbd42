/**
 * Vectors from a model that runs in this process: its tokens' states, averaged.
 *
 * 1. A text becomes at most `maxSequenceLength` tokens.
 * 2. The model runs for one text at a time, so nothing is padded and the attention mask is all ones; between two texts the
 *    event loop has its turn.
 * 3. Of an output of one vector for each token the mean is taken; an output of one vector for the text is the vector.
 *
 * The model's name is that of the configuration, or else the SHA-256 of its file, so that vectors of two files are told apart.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { loadOnnx, type OnnxRuntime, type OnnxSession, type OnnxTensor } from './onnx-library.js';
import { EmbeddingFailure, type EmbeddingProvider } from './provider.js';
import { TextTokens } from './text-tokens.js';

export interface OnnxProviderOptions {
  readonly modelPath: string;
  /** A `tokenizer.json` of Hugging Face. */
  readonly tokenizerPath: string;
  readonly model?: string | undefined;
  readonly dimension: number;
  /** Tokens of a text that count, the special ones among them; absent = 256. */
  readonly maxSequenceLength?: number | undefined;
}

const SEQUENCE_LENGTH = 256;
/** Characters of the hash of a model in its name. */
const HASH_SHOWN = 16;

/** Throws `configuration` where a package or a file is missing, or the model is none of texts or of another dimension. */
export async function openOnnxProvider(options: OnnxProviderOptions): Promise<EmbeddingProvider> {
  const { runtime, Tokenizer } = await loadOnnx();
  const { tokenizerPath, modelPath, maxSequenceLength = SEQUENCE_LENGTH, dimension } = options;
  const tokenizer = await reading('tokenizer_path', tokenizerPath, async () => {
    const json = JSON.parse(await readFile(tokenizerPath, 'utf8')) as object;
    return new TextTokens(new Tokenizer(json, {}), maxSequenceLength);
  });
  const model = options.model ?? (await reading('model_path', modelPath, () => nameOfFile(modelPath)));
  // More threads of WASM would keep the process from ending.
  runtime.env.wasm.numThreads = 1;
  const session = await reading('model_path', modelPath, () => runtime.InferenceSession.create(modelPath, {}));
  const provider = new OnnxProvider(runtime, session, tokenizer, model, dimension);
  try {
    await provider.embed(['a'], {});
  } catch (error) {
    await provider.close();
    throw new SvcError('configuration', (error as Error).message, { cause: error });
  }
  return provider;
}

async function reading<Result>(key: string, path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message;
    throw new SvcError('configuration', `embedding.${key}: ${path} can't be used: ${why}`, { cause: error });
  }
}

async function nameOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return `onnx:${hash.digest('hex').slice(0, HASH_SHOWN)}`;
}

class OnnxProvider implements EmbeddingProvider {
  readonly kind = 'onnx';
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly runtime: OnnxRuntime,
    private readonly session: OnnxSession,
    private readonly tokens: TextTokens,
    readonly model: string,
    readonly dimension: number,
  ) {}

  async embed(texts: readonly string[], control: Control): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      throwIfStopped(control, 'the embedding of texts');
      // A session runs one text at a time, whoever asks.
      const vector = this.#running.then(() => this.#vectorOf(text));
      // Whoever comes next waits for it alone; that it fails is told to whoever asked, by the line below.
      this.#running = vector.catch(() => undefined);
      vectors.push(await vector);
      await breathe();
    }
    return vectors;
  }

  async close(): Promise<void> {
    await this.#running;
    await this.session.release();
  }

  async #vectorOf(text: string): Promise<Float32Array> {
    const ids = this.tokens.idsOf(text);
    let outputs: Readonly<Record<string, OnnxTensor>>;
    try {
      outputs = await this.session.run(this.#inputs(ids));
    } catch (error) {
      if (error instanceof SvcError) throw error;
      const message = `the embedding model ${JSON.stringify(this.model)} failed: ${(error as Error).message}`;
      throw new EmbeddingFailure(message, true, { cause: error });
    }
    const name = ['sentence_embedding', 'last_hidden_state'].find((one) => outputs[one] !== undefined);
    return this.#pooled(outputs[name ?? (this.session.outputNames[0] as string)]);
  }

  #inputs(ids: readonly number[]): Record<string, OnnxTensor> {
    const inputs: Record<string, OnnxTensor> = {};
    for (const name of this.session.inputNames) {
      const values = INPUTS[name]?.(ids);
      if (values === undefined) {
        throw this.#unfit(`it wants the input ${JSON.stringify(name)}; known are ${Object.keys(INPUTS).join(', ')}`);
      }
      inputs[name] = new this.runtime.Tensor('int64', values, [1, ids.length]);
    }
    return inputs;
  }

  /** Of shape [1, dimension], or [1, tokens, dimension] and averaged over the tokens in f64. */
  #pooled(output: OnnxTensor | undefined): Float32Array {
    const { dims = [], data } = output ?? {};
    const dimension = dims.at(-1);
    if (!(data instanceof Float32Array) || dims.length < 2 || dims.length > 3 || dims[0] !== 1) {
      throw this.#unfit(`its output has the shape [${dims.join(', ')}]; expected f32 of [1, tokens, dimension]`);
    }
    if (dimension !== this.dimension) {
      throw this.#unfit(`its vectors have ${dimension} numbers, and embedding.dimension is ${this.dimension}`);
    }
    const tokens = data.length / dimension;
    const vector = new Float32Array(dimension);
    for (let place = 0; place < dimension; place++) {
      let sum = 0;
      for (let token = 0; token < tokens; token++) sum += data[token * dimension + place] as number;
      vector[place] = sum / tokens;
      if (!Number.isFinite(vector[place])) throw this.#unfit(`number ${place} of a vector is not finite`);
    }
    return vector;
  }

  #unfit(what: string): EmbeddingFailure {
    return new EmbeddingFailure(`the embedding model ${JSON.stringify(this.model)}: ${what}`, false);
  }
}

/** By name, what a model of the family of BERT takes for one text. */
const INPUTS: Readonly<Record<string, (ids: readonly number[]) => BigInt64Array>> = {
  input_ids: (ids) => BigInt64Array.from(ids, BigInt),
  attention_mask: (ids) => new BigInt64Array(ids.length).fill(1n),
  token_type_ids: (ids) => new BigInt64Array(ids.length),
};
