/** Primaries that are none, lie, or send too much: a follower takes nothing of them, and says why. */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeFrame, encodeJsonFrame, FRAME, type Hello, LOG_TYPE, LOG_VERSION } from '../../engine/follow/frames.js';
import { receiveCopy } from '../../engine/follow/receive-copy.js';
import { TOKEN } from './following-support.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-follow-'));
const PIECE = Buffer.alloc(64 * 1024, 7);
let sent = 0;

const hello = (more: Partial<Hello>): Buffer =>
  encodeJsonFrame(FRAME.hello, {
    ...{
      version: LOG_VERSION,
      role: 'primary',
      primary: null,
      lineage: 'a',
      numbering: 'b',
      epoch: 0,
      fenced_by: null,
    },
    ...{ tx: 1, bytes: 8192, ...more },
  });
const end = encodeJsonFrame(FRAME.end, { code: null, message: 'whole' });

/** Sends without end, as fast as it is taken. */
async function pour(response: ServerResponse, piece: Buffer): Promise<void> {
  while (!response.destroyed) {
    sent += piece.length;
    if (!response.write(piece)) await Promise.race([new Promise((done) => response.once('drain', done)), pause(50)]);
    else await pause(0);
  }
}

/** What one answers, and what a follower says of it. */
const LIARS: Readonly<Record<string, readonly [(response: ServerResponse) => unknown, RegExp]>> = {
  version: [(one) => one.end(hello({ version: 99 })), /tells its log in version 99, and \d is read here/],
  'no hello': [(one) => one.end(encodeFrame(FRAME.bytes, PIECE)), /did not say which store it is/],
  nothing: [(one) => one.end(), /did not say which store it is/],
  'less than said': [(one) => one.end(Buffer.concat([hello({}), end])), /sent 0 of 8192 bytes/],
  'more than said': [
    (one) => {
      one.write(hello({}));
      return pour(one, encodeFrame(FRAME.bytes, PIECE));
    },
    /sends more than the 8192 bytes that it said/,
  ],
  'more than there is room': [(one) => one.end(hello({ bytes: Number.MAX_SAFE_INTEGER })), /the disk has \d+ left/],
  'no store': [
    (one) => one.end(Buffer.concat([hello({}), encodeFrame(FRAME.bytes, PIECE.subarray(0, 8192)), end])),
    /is no store|not a store|foreign/,
  ],
  'no end': [
    (one) => one.end(Buffer.concat([hello({}), encodeFrame(FRAME.bytes, PIECE.subarray(0, 8192))])),
    /sent 8192 of 8192 bytes, and no end/,
  ],
  'a frame of 4 GB': [(one) => one.end(Buffer.alloc(64, 0xff)), /a frame has not its checksum/],
  'a redirect': [(one) => one.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(), /answered 302/],
  'a page': [(one) => one.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>'), /answered with text\/html/],
  'an endless refusal': [(one) => pour(one.writeHead(500), PIECE), /answered 500: no reason was told/],
};

const server = createServer((request, response) => {
  const [answer] = LIARS[decodeURIComponent(request.url?.split('/')[1] ?? '')] ?? assert.fail(request.url);
  response.setHeader('Content-Type', LOG_TYPE);
  void answer(response);
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const [name, [, told]] of Object.entries(LIARS)) {
  test(`a primary that sends: ${name}`, async () => {
    sent = 0;
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/${encodeURIComponent(name)}`;
    const error = await receiveCopy({ url, token: TOKEN }, join(folder, 'copy.db'), {}).then(
      () => assert.fail('it took it'),
      (one: Error) => one,
    );
    assert.match(error.message, told);
    assert.doesNotMatch(JSON.stringify([error, error.message, error.stack]), new RegExp(TOKEN));
    assert.deepEqual(readdirSync(folder), []);
    // What is on its way when it ends is not counted to the byte.
    assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes were sent`);
  });
}
