/** The transport by itself: lines in pieces, a reader that does not read, how many requests are open, its end. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { JsonLineTransport } from '../../interfaces/mcp/line-transport.js';
import { RawTexts } from '../../interfaces/mcp/raw-json.js';
import type { LineMessage } from '../../interfaces/mcp/sdk.js';

function parse(value: unknown): LineMessage {
  if (typeof value !== 'object' || value === null) throw new Error('no message');
  return value as LineMessage;
}

async function open({ lineBytesMax = 1000, graceMs = 60_000 } = {}) {
  const [input, output, texts] = [new PassThrough(), new PassThrough(), new RawTexts()];
  const [come, closed] = [[] as LineMessage[], { times: 0, cutOff: -1 }];
  const onClosed = (cutOff: number) => {
    closed.times++;
    closed.cutOff = cutOff;
  };
  const transport = new JsonLineTransport({ input, output, texts, parse, lineBytesMax, graceMs, onClosed });
  transport.onmessage = (message) => {
    come.push(message);
  };
  await transport.start();
  return { input, output, texts, come, closed, transport };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const ping = (id: number): LineMessage => ({ jsonrpc: '2.0', id, method: 'ping' });
const done = (id: number): LineMessage => ({ jsonrpc: '2.0', id, result: {} });

test('a line may come in any pieces, and several in one', async () => {
  const { input, come } = await open();
  const text = `${JSON.stringify({ ...ping(1), params: { text: 'é€😀' } })}\r\n\n  \n${JSON.stringify(ping(2))}\n`;
  for (const byte of Buffer.from(text)) {
    input.write(Buffer.from([byte]));
    await turn();
  }
  input.write(`${JSON.stringify(ping(3))}\n${JSON.stringify(ping(4))}\n${JSON.stringify(ping(5)).slice(0, 9)}`);
  await turn();
  assert.deepEqual(
    come.map((message) => (message as { id: number }).id),
    [1, 2, 3, 4],
  );
  assert.equal((come[0] as unknown as { params: { text: string } }).params.text, 'é€😀');
});

test('nobody reads the output: the input waits, and goes on where it stood', async () => {
  const { input, output, come } = await open();
  const garbage = Buffer.from('{\n'.repeat(500));
  for (let round = 0; round < 200; round++) {
    input.write(garbage);
    await turn();
  }
  assert.ok(input.isPaused());
  assert.ok(output.writableLength + output.readableLength < 200_000, `${output.writableLength}`);
  input.end(`${JSON.stringify(ping(1))}\n`);
  let refused = 0;
  output.on('data', (chunk: Buffer) => {
    refused += chunk.toString().split('\n').length - 1;
  });
  while (come.length === 0) await turn();
  while (refused < 100_000) await turn();
  assert.equal(refused, 100_000);
});

test('beyond 256 open requests the input waits until one is answered', async () => {
  const { input, output, come, transport } = await open();
  output.resume();
  for (let id = 0; id < 300; id++) {
    input.write(`${JSON.stringify(ping(id))}\n`);
    await turn();
  }
  assert.equal(come.length, 256);
  await transport.send(done(0));
  await transport.send(done(1));
  while (come.length < 258) await turn();
  await turn();
  assert.equal(come.length, 258);
});

test('beyond that number the rest of a chunk waits as well, and the end behind it', async () => {
  const { input, output, come, transport, closed } = await open();
  output.resume();
  const lines = Array.from({ length: 600 }, (_, id) => JSON.stringify(ping(id)));
  input.end(lines.join('\n'));
  while (come.length < 256) await turn();
  await turn();
  assert.equal(come.length, 256);
  for (let id = 0; id < 600; id++) {
    while (come.length <= id) await turn();
    assert.ok(come.length <= id + 256);
    await transport.send(done(id));
  }
  assert.deepEqual(
    come.map((message) => (message as { id: number }).id),
    lines.map((_, id) => id),
  );
  assert.deepEqual(closed, { times: 1, cutOff: 0 });
});

test('what is not answered in time after the end of the input is cut off, and counted', async () => {
  const { input, output, come, transport, closed } = await open({ graceMs: 20 });
  output.resume();
  input.write([1, 2, 3].map((id) => `${JSON.stringify(ping(id))}\n`).join(''));
  while (come.length < 3) await turn();
  await transport.send(done(2));
  input.end();
  while (closed.times === 0) await turn();
  assert.deepEqual(closed, { times: 1, cutOff: 2 });
});

test('it closes once: when what is under way at the end of the input is answered, or nobody can read', async () => {
  const first = await open();
  first.output.resume();
  first.input.end(JSON.stringify(ping(1)));
  while (first.come.length === 0) await turn();
  await turn();
  assert.equal(first.closed.times, 0);
  await first.transport.send(done(1));
  assert.equal(first.closed.times, 1);
  await first.transport.close();
  await first.transport.send(done(1));
  assert.equal(first.closed.times, 1);

  const second = await open();
  second.input.write(`${JSON.stringify(ping(1))}\n`);
  await turn();
  second.output.destroy(new Error('EPIPE'));
  await turn();
  assert.equal(second.closed.times, 1);
  await second.transport.send(done(1));
});

test('texts stand in the place of their marks, once, whatever they hold', () => {
  const texts = new RawTexts();
  const [one, two] = [texts.mark('{"n":1e400,"d":"$& $1"}'), texts.mark('[12345678901234567890]')];
  const message = JSON.stringify({ a: two, b: one, text: JSON.stringify(one).slice(0, 9) });
  const filled = texts.fill(message);
  assert.equal(filled, '{"a":[12345678901234567890],"b":{"n":1e400,"d":"$& $1"},"text":"{\\"svc:raw"}');
  assert.equal(texts.fill('{"svc:raw":"guess:1"}'), '{"svc:raw":"guess:1"}');
});
