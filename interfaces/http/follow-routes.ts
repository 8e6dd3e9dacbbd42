/**
 * What a server tells its followers: `GET /log`, `GET /log/bootstrap` and `GET /log/packs/<hash>`. There are these routes
 * where `follow.auth_token` is set, and only who bears that token reads them: they tell everything, the secret seed of hashes
 * included, so that no other token opens them, and no rule of reading narrows them.
 */

import { createReadStream, existsSync, statSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { SvcError } from '../../engine/base/errors.js';
import { JoinedSignal } from '../../engine/base/joined-signal.js';
import { encodeFrame, encodeJsonFrame, FRAME, LOG_TYPE } from '../../engine/follow/frames.js';
import { packByHash } from '../../engine/follow/receive-copy.js';
import { beginLog, checkVersion, helloOf, tellCopy, tellLog } from '../../engine/follow/tell-log.js';
import { Credentials } from '../../engine/governance/credentials.js';
import type { Store } from '../../engine/service/store/store.js';
import { StoreReplication } from '../../engine/service/store/store-replication.js';
import type { BesidePlace } from '../../engine/storage/seam/replication.js';
import { pathOf } from './addresses/known-paths.js';
import { Refusal } from './answers/refusal.js';
import { bearerOf } from './guard/access.js';
import { departureOf } from './request/connections.js';

const PACK_PIECE_BYTES = 1024 * 1024;

/** What the framework offers a route. */
interface FollowRequest {
  readonly raw: IncomingMessage;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

interface FollowReply {
  header(name: string, value: string): this;
  send(body?: Readable): unknown;
}

export interface FollowRoute {
  readonly path: string;
  answer(request: FollowRequest, reply: FollowReply): Promise<unknown>;
}

export interface FollowRoutesOptions {
  readonly store: Store;
  readonly token: string;
  /** Fires when the server stops. */
  readonly ending: AbortSignal;
  /** Told when a follower comes, and when it goes. */
  onFollower(change: 1 | -1): void;
}

export function followRoutes({ store, token, ending, onFollower }: FollowRoutesOptions): readonly FollowRoute[] {
  const credentials = new Credentials([token]);
  const guarded =
    (tell: (request: FollowRequest, signal: AbortSignal) => Promise<AsyncIterable<Buffer>>): FollowRoute['answer'] =>
    async (request, reply) => {
      const borne = bearerOf(request.headers);
      if (borne === null || credentials.authenticate(borne) === null) throw unauthorized(pathOf(request));
      reply.header('Content-Type', LOG_TYPE).header('Cache-Control', 'no-store');
      if (request.method === 'HEAD') return reply.send();
      const joined = new JoinedSignal([departureOf(request.raw.socket), ending]);
      const frames = await tell(request, joined.signal).catch((error: unknown) => {
        joined.end();
        throw error;
      });
      onFollower(1);
      const body = Readable.from(frames, { objectMode: false });
      body.once('close', () => {
        joined.end();
        onFollower(-1);
      });
      return reply.send(body);
    };
  const replication = new StoreReplication(store);
  return [
    {
      path: '/log',
      answer: guarded(async (request, signal) => {
        const asked = new Asked(request);
        // Another version asks in another way.
        checkVersion(asked.count('version'));
        const first = await beginLog(
          replication.log,
          {
            lineage: asked.text('lineage'),
            numbering: asked.text('numbering'),
            epoch: asked.count('epoch'),
            after: asked.count('after'),
            terms: asked.count('terms'),
            hash: asked.text('hash'),
            beside: asked.beside('beside'),
          },
          (epoch) => replication.learnEpoch(epoch),
        );
        return tellLog(replication.log, first, signal);
      }),
    },
    {
      path: '/log/bootstrap',
      answer: guarded(async (request, signal) => {
        checkVersion(new Asked(request).count('version'));
        return tellCopy(replication.log, signal);
      }),
    },
    {
      path: '/log/packs/{sha256}',
      answer: guarded(async (request) => {
        checkVersion(new Asked(request).count('version'));
        const hash = pathOf(request).split('/').at(-1) ?? '';
        const path = packByHash(replication.engine, hash);
        if (path === null) throw new SvcError('not_found', `no frozen graph of this store has the hash ${hash}`);
        if (!existsSync(path)) {
          throw new SvcError(
            'unavailable',
            `the pack of the frozen graph with the hash ${hash} is gone from this server`,
            {
              hint: 'put the file back from a copy',
            },
          );
        }
        return tellPack(path, replication);
      }),
    },
  ];
}

async function* tellPack(path: string, replication: StoreReplication): AsyncGenerator<Buffer, void, undefined> {
  const { size } = statSync(path);
  yield encodeJsonFrame(FRAME.hello, { ...helloOf(replication.state()), bytes: size });
  for await (const piece of createReadStream(path, { highWaterMark: PACK_PIECE_BYTES })) {
    yield encodeFrame(FRAME.bytes, piece as Buffer);
  }
  yield encodeJsonFrame(FRAME.end, { code: null, message: 'the pack is whole' });
}

/** What the address of a request says. */
class Asked {
  readonly #said: URLSearchParams;

  constructor({ raw: { url = '' } }: FollowRequest) {
    this.#said = new URL(url, 'http://follower').searchParams;
  }

  text(name: string): string {
    const said = this.#said.get(name);
    if (said !== null && said !== '') return said;
    throw new SvcError('invalid_request', `${name} is missing: followers say it of the copy that they have`);
  }

  beside(name: string): BesidePlace {
    const said = this.text(name);
    const wrong = () =>
      new SvcError('invalid_request', `${name} is ${JSON.stringify(said.slice(0, 200))}; expected a place`);
    let place: BesidePlace;
    try {
      place = JSON.parse(said) as BesidePlace;
    } catch {
      throw wrong();
    }
    const counts = [place?.epoch, place?.rows, place?.ends, place?.event];
    const isPlace =
      counts.every((count) => Number.isSafeInteger(count) && (count as number) >= 0) &&
      Number.isSafeInteger(place.generation) &&
      (place.digest === null || typeof place.digest === 'string');
    if (isPlace) return place;
    throw wrong();
  }

  count(name: string): number {
    const said = Number(this.text(name));
    if (Number.isSafeInteger(said) && said >= 0) return said;
    throw new SvcError(
      'invalid_request',
      `${name} is ${JSON.stringify(this.text(name))}; expected an integer of at least 0`,
    );
  }
}

function unauthorized(endpoint: string): Refusal {
  const message = `unauthorized: ${endpoint} tells the whole store, and needs the token of followers (follow.auth_token)`;
  return new Refusal('unauthorized', message, {
    headers: { 'WWW-Authenticate': 'Bearer' },
    fields: { endpoint, reason: 'missing_or_invalid_bearer_token' },
  });
}
