/** This store, behind the line protocol that any harness can drive. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, describeMachine } from '../harness/machine.js';
import type { Peer } from './peer.js';

export const svc: Peer = {
  name: 'svc',
  about: 'this store, on disk',
  transport: 'lines',
  inMemory: false,
  version: () => {
    const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { version: string };
    return `${version} (${describeMachine().commit})`;
  },
  serve: ({ folder }) => ({
    argv: [process.execPath, join(import.meta.dirname, '..', 'svc-lines.js'), '--db', folder],
  }),
};
