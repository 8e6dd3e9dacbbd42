/** The provider that a configuration names. What runs models is loaded only where it is asked for. */

import { SvcError } from '../../base/errors.js';
import { HttpProvider } from './http-provider.js';
import type { EmbeddingProvider } from './provider.js';

/** The table `embedding` of the configuration, its rules checked. */
export interface ProviderSettings {
  readonly provider: 'none' | 'http' | 'onnx';
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  readonly api_key_env?: string | undefined;
  readonly timeout_ms: number;
  readonly model_path?: string | undefined;
  readonly tokenizer_path?: string | undefined;
  readonly embed_batch_size: number;
  readonly dimension: number;
  readonly max_sequence_length: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Null where none is configured. Throws `configuration`, with the key, for what can't be used. */
export async function openProvider(
  settings: ProviderSettings,
  environment: Environment = process.env,
): Promise<EmbeddingProvider | null> {
  const { dimension, max_sequence_length: maxSequenceLength } = settings;
  switch (settings.provider) {
    case 'none':
      return null;
    case 'http':
      return new HttpProvider({
        url: needed(settings, 'url'),
        model: needed(settings, 'model'),
        apiKey: keyOf(settings, environment),
        timeoutMs: settings.timeout_ms,
        batchSize: settings.embed_batch_size,
        dimension,
      });
    case 'onnx': {
      const { openOnnxProvider } = await import('./onnx-provider.js');
      const [modelPath, tokenizerPath] = [needed(settings, 'model_path'), needed(settings, 'tokenizer_path')];
      return openOnnxProvider({ modelPath, tokenizerPath, model: settings.model, dimension, maxSequenceLength });
    }
  }
}

function needed(settings: ProviderSettings, key: 'url' | 'model' | 'model_path' | 'tokenizer_path'): string {
  const value = settings[key];
  if (value !== undefined) return value;
  throw new SvcError('configuration', `embedding.provider = "${settings.provider}" needs embedding.${key}`);
}

/** A header takes no other characters. */
const KEY = /^[\x21-\x7e]+$/;

function keyOf({ api_key_env: name }: ProviderSettings, environment: Environment): string | undefined {
  if (name === undefined) return undefined;
  const key = environment[name]?.trim() ?? '';
  if (KEY.test(key)) return key;
  const what = key === '' ? 'is not set' : 'holds characters that no key has';
  throw new SvcError('configuration', `embedding.api_key_env: the variable ${name} of the environment ${what}`);
}
