/**
 * Child process: makes a copy the primary.
 *   node follow-promote.js <store> <token>
 * Says `begins`, and `promoted` or `failed <why>`.
 */

import { promoteFollower } from '../../engine/follow/promote.js';

const [path = '', token = ''] = process.argv.slice(2);
console.log('begins');
await promoteFollower(path, { token, force: false }, {}).then(
  () => console.log('promoted'),
  (error: unknown) => console.log(`failed ${(error as Error).message}`),
);
