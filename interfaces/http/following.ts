/**
 * A server that follows: its file is a copy of the primary's, made before it opens where there is none, and kept in step
 * while it serves. When the primary can't tell what comes next, a new copy is made beside the file, under the eyes of
 * readers, and the server opens again with it.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { SvcError } from '../../engine/base/errors.js';
import type { Primary } from '../../engine/follow/ask-primary.js';
import { Follower, type FollowerStatus } from '../../engine/follow/follower.js';
import { placeCopy, type ReceivedCopy, receiveCopy } from '../../engine/follow/receive-copy.js';
import type { Configuration } from '../../engine/service/configuration/configuration.js';
import { isLoopback } from '../../engine/service/configuration/network.js';
import type { Store } from '../../engine/service/store/store.js';
import { StoreReplication } from '../../engine/service/store/store-replication.js';
import { changeRole, roleOfFile } from '../../engine/storage/admin/role-of-file.js';
import { storePath } from '../../engine/storage/lmdb/store-path.js';
import type { WriteLine } from './figures/log-lines.js';
import { SHARED_TOKEN_CHARACTERS_MIN } from './guard/tokens.js';

const RETRY_MS = 5000;

/** Null for a server that follows nobody. */
export function primaryOf({ follow }: Configuration, insecure: boolean): Primary | null {
  const { primary: url, auth_token: token } = follow;
  if (token !== undefined && token.length < SHARED_TOKEN_CHARACTERS_MIN) {
    throw new SvcError(
      'configuration',
      `svc.follow.auth_token has less than ${SHARED_TOKEN_CHARACTERS_MIN} characters: who guesses it reads the whole store`,
      { hint: 'take a long random one: openssl rand -hex 32' },
    );
  }
  if (url === undefined) return null;
  if (token === undefined) {
    throw new SvcError('configuration', `following ${url} needs the token that it accepts from followers`, {
      hint: 'set follow.auth_token (or SVC_FOLLOW_AUTH_TOKEN) to the same secret here and there',
    });
  }
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !isLoopback(hostname) && !insecure) {
    throw new SvcError('configuration', `${url} is not encrypted: the token, and all of the store, would cross open`, {
      hint: 'follow over https, or say --insecure where the network is protected otherwise',
    });
  }
  return { url, token };
}

/** Makes the copy where there is none; refuses a file that is no follower. */
export async function prepareFollower(primary: Primary, given: string, write: WriteLine): Promise<void> {
  const path = storePath(given);
  const role = await roleOfFile(path);
  if (role === null) {
    write(`copying the store of ${primary.url} to ${path}\n`);
    const copy = await receiveCopy(primary, path, {});
    await placeCopy(copy, path);
    write(`copied: ${copy.bytes} bytes, up to transaction ${copy.tx}\n`);
    return;
  }
  if (role.role === 'primary') {
    throw new SvcError('invalid_request', `${path} is a store of its own, and following would replace what it holds`, {
      hint: 'name a file that is not there yet with --db',
    });
  }
  if (role.primary !== primary.url) await changeRole(path, { ...role, primary: primary.url });
}

export interface Following {
  status(): FollowerStatus;
  /** Settles with a new copy that is to take the place of the file; never, where none is needed. */
  readonly outdated: Promise<ReceivedCopy>;
  end(): Promise<void>;
}

export interface FollowingMeans {
  readonly write: WriteLine;
  onFailure(error: unknown): void;
}

export function startFollowing(primary: Primary, store: Store, { write, onFailure }: FollowingMeans): Following {
  const stop = new AbortController();
  const { signal } = stop;
  const follower = new Follower(primary, new StoreReplication(store), (error) => {
    write(`following ${primary.url}: ${error instanceof Error ? error.message : String(error)}\n`);
    if (!(error instanceof SvcError)) onFailure(error);
  });
  let settle: (copy: ReceivedCopy) => void;
  const outdated = new Promise<ReceivedCopy>((resolve) => {
    settle = resolve;
  });
  const done = follower.run().then(async (reason) => {
    if (reason === null) return;
    write(`following ${primary.url}: ${reason.message}; copying its store again\n`);
    while (!signal.aborted) {
      const copy = await receiveCopy(primary, storePath(store.path), { signal }).catch((error: unknown) => {
        if (!signal.aborted) write(`copying from ${primary.url}: ${(error as Error).message}\n`);
        return null;
      });
      if (copy !== null) {
        settle(copy);
        return;
      }
      await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  });
  done.catch(onFailure);
  return {
    status: () => follower.status,
    outdated,
    async end() {
      stop.abort(new SvcError('aborted', 'the server is stopping'));
      await follower.stop();
      await done.catch(() => undefined);
    },
  };
}
