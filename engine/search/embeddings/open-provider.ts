/** Opens the provider that is asked for. What runs models is loaded only where it is. */

import { SvcError } from '../../base/errors.js';
import { HttpProvider, type HttpProviderOptions } from './http-provider.js';
import type { OnnxProviderOptions } from './onnx-provider.js';
import type { EmbeddingProvider } from './provider.js';

/** A service that is asked over HTTP, whose key stands in a variable of the environment. */
export interface HttpProviderChoice extends Omit<HttpProviderOptions, 'apiKey'> {
  readonly kind: 'http';
  readonly apiKeyEnv?: string | undefined;
}

/** A model that runs here. */
export interface OnnxProviderChoice extends OnnxProviderOptions {
  readonly kind: 'onnx';
}

export type ProviderChoice = HttpProviderChoice | OnnxProviderChoice;

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws `configuration`, with the key, for what can't be used. */
export async function openProvider(
  choice: ProviderChoice,
  environment: Environment = process.env,
): Promise<EmbeddingProvider> {
  switch (choice.kind) {
    case 'http': {
      const { kind: _, apiKeyEnv, ...options } = choice;
      return new HttpProvider({ ...options, apiKey: keyIn(environment, apiKeyEnv) });
    }
    case 'onnx': {
      const { openOnnxProvider } = await import('./onnx-provider.js');
      return openOnnxProvider(choice);
    }
  }
}

/** A header takes no other characters. */
const KEY = /^[\x21-\x7e]+$/;

function keyIn(environment: Environment, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const key = environment[name]?.trim() ?? '';
  if (KEY.test(key)) return key;
  const what = key === '' ? 'is not set' : 'holds characters that no key has';
  throw new SvcError('configuration', `embedding.api_key_env: the variable ${name} of the environment ${what}`);
}
