/**
 * The packages that run models here. None of them comes with this one: whoever wants the provider `onnx` installs them
 * beside it, a runtime (`onnxruntime-node`, whose install script downloads a native library, or `onnxruntime-web`, which
 * is WASM) and the tokenizer.
 */

import { SvcError } from '../../base/errors.js';

const RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'] as const;
const TOKENIZER = '@huggingface/tokenizers';

export const ONNX_INSTALL = `npm install onnxruntime-web ${TOKENIZER} beside svc (or onnxruntime-node, which is faster)`;

/** What is used of a runtime. */
export interface OnnxRuntime {
  readonly env: { readonly wasm: { numThreads?: number } };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dimensions: readonly number[]) => OnnxTensor;
  readonly InferenceSession: { create(path: string, options: object): Promise<OnnxSession> };
}

export interface OnnxTensor {
  readonly data: unknown;
  readonly dims: readonly number[];
  dispose?(): void;
}

export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(inputs: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>>;
  release(): Promise<void>;
}

/** What is used of the tokenizer. */
export interface TextTokenizer {
  encode(text: string, options?: { readonly add_special_tokens?: boolean }): { readonly ids: readonly number[] };
}

export interface OnnxLibrary {
  readonly runtime: OnnxRuntime;
  readonly Tokenizer: new (tokenizer: object, config: object) => TextTokenizer;
}

function isInstalled(name: string): boolean {
  try {
    return import.meta.resolve(name) !== '';
  } catch {
    return false;
  }
}

let loads: boolean | null = null;

/** Whether the packages are there; asked of the disk once. */
export function onnxLoads(): boolean {
  loads ??= isInstalled(TOKENIZER) && RUNTIMES.some(isInstalled);
  return loads;
}

/** Throws `configuration` where a package is missing or does not load. */
export async function loadOnnx(): Promise<OnnxLibrary> {
  const name = RUNTIMES.find(isInstalled);
  const missing = name === undefined ? RUNTIMES.join(' or ') : isInstalled(TOKENIZER) ? null : TOKENIZER;
  if (name === undefined || missing !== null) {
    const message = `embedding.provider = "onnx" needs the package ${missing}, which is not installed`;
    throw new SvcError('configuration', message, { hint: ONNX_INSTALL });
  }
  const [runtime, tokenizers] = await Promise.all([load(name), load(TOKENIZER)]);
  return { runtime: runtime as OnnxRuntime, Tokenizer: (tokenizers as Pick<OnnxLibrary, 'Tokenizer'>).Tokenizer };
}

/** Packages of CommonJS have what they export under `default`. */
async function load(name: string): Promise<object> {
  try {
    const module = (await import(name)) as Readonly<Record<string, unknown>>;
    return { ...(module.default as object | undefined), ...module };
  } catch (error) {
    const message = `embedding.provider = "onnx": the package ${name} does not load: ${(error as Error).message}`;
    throw new SvcError('configuration', message, { cause: error });
  }
}
