/**
 * Bodies that come compressed (`Content-Encoding`): unpacked as they are read. What unfolds without end is refused by its
 * size where the body has a limit, and by its ratio where it is a document of any size.
 */

import type { IncomingMessage } from 'node:http';
import { createInflate } from 'node:zlib';
import { SvcError } from '../../../engine/base/errors.js';
import {
  COMPRESSION_RATIO_MAX_DEFAULT,
  decompress,
  RATIO_FREE_BYTES,
} from '../../../engine/rdf/formats/input/compression.js';
import { Refusal } from '../answers/refusal.js';

const NAME = 'the body';

type Unpack = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

const CODINGS: Readonly<Record<string, Unpack>> = {
  gzip: (bytes) => decompress(bytes, { compression: 'gzip', sourceName: NAME }),
  'x-gzip': (bytes) => decompress(bytes, { compression: 'gzip', sourceName: NAME }),
  zstd: (bytes) => decompress(bytes, { compression: 'zstd', sourceName: NAME }),
  deflate: inflated,
};

/** How the body of a request is to be unpacked; null = it comes as it is. Throws for what is not taken. */
export function unpackingOf({ headers }: IncomingMessage): Unpack | null {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return null;
  const unpack = Object.hasOwn(CODINGS, coding) ? CODINGS[coding] : undefined;
  if (unpack !== undefined) return unpack;
  throw new Refusal(
    'unsupported_media_type',
    `Content-Encoding ${coding} is not taken; expected gzip, deflate or zstd`,
    {
      headers: { 'Accept-Encoding': 'gzip, deflate, zstd' },
    },
  );
}

/** The zlib format, which is what HTTP calls deflate. */
async function* inflated(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflate = createInflate();
  let [came, unfolded] = [0, 0];
  const feeding = (async () => {
    try {
      for await (const chunk of bytes) {
        came += chunk.length;
        if (inflate.destroyed) return;
        if (!inflate.write(chunk)) await new Promise<void>((resolve) => settleWhen(inflate, resolve));
      }
      inflate.end();
    } catch (error) {
      inflate.destroy(error as Error);
    }
  })();
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      unfolded += piece.length;
      if (unfolded > RATIO_FREE_BYTES && unfolded > came * COMPRESSION_RATIO_MAX_DEFAULT) throw bomb(came, unfolded);
      yield piece;
    }
  } catch (error) {
    if (error instanceof SvcError || error instanceof Refusal) throw error;
    throw new SvcError('source_unreadable', `${NAME} is not sound deflate: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    inflate.destroy();
  }
  await feeding;
}

function bomb(came: number, unfolded: number): SvcError {
  return new SvcError(
    'limit_exceeded',
    `${NAME}: ${came} compressed bytes have unfolded into more than ${unfolded} bytes`,
  );
}

function settleWhen(stream: NodeJS.EventEmitter, resolve: () => void): void {
  const events = ['drain', 'close', 'error', 'end'];
  const settle = (): void => {
    for (const event of events) stream.off(event, settle);
    resolve();
  };
  for (const event of events) stream.once(event, settle);
}
