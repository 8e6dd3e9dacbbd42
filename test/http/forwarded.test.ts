/** What is believed of forwarded headers, hop by hop from the right. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { networksOf } from '../../engine/service/configuration/network.js';
import { forwardedOf } from '../../interfaces/http/addresses/forwarded.js';

const TRUSTED = networksOf(['10.0.0.0/8', '127.0.0.1', 'fd00::/8']);

function told(remoteAddress: string, headers: Readonly<Record<string, string>>): string {
  const message = { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
  const { client, scheme, host } = forwardedOf(message, TRUSTED);
  return `${client} ${scheme} ${host}`;
}

const three = (client: string, host: string, proto: string) => ({
  'x-forwarded-for': client,
  'x-forwarded-host': host,
  'x-forwarded-proto': proto,
});

test('who speaks, and for whom', () => {
  const cases: readonly [string, Readonly<Record<string, string>>, string][] = [
    ['10.0.0.1', {}, '10.0.0.1 null null'],
    ['192.0.2.1', three('203.0.113.1', 'evil', 'https'), '192.0.2.1 null null'],
    ['10.0.0.1', three('203.0.113.1', 'h', 'https'), '203.0.113.1 https h'],
    ['::ffff:10.0.0.1', three('203.0.113.1', 'h:8443', 'HTTPS'), '203.0.113.1 https h:8443'],
    ['fd00::1', { forwarded: 'for="[2001:db8::1]:4711";host=h;proto=https;by=x' }, '2001:db8::1 https h'],
    // What a client wrote stands at the left.
    ['10.0.0.1', three('127.0.0.1, 203.0.113.1', 'evil, h', 'http, https'), '203.0.113.1 https h'],
    ['10.0.0.1', { forwarded: 'for=127.0.0.1;host=evil, For=203.0.113.1;Host=h' }, '203.0.113.1 null h'],
    // Two proxies, which both are trusted; the inner one hands on what the outer one said, or adds to it.
    ['10.0.0.1', three('203.0.113.1, 10.0.0.2', 'h', 'https'), '203.0.113.1 https h'],
    ['10.0.0.1', three('203.0.113.1, 10.0.0.2', 'h, inner', 'https, http'), '203.0.113.1 https h'],
    ['10.0.0.1', { forwarded: 'for=203.0.113.1;host=h;proto=https, for=10.0.0.2' }, '203.0.113.1 https h'],
    // The one before it is not trusted: what stands left of it is anybody's.
    ['10.0.0.1', three('203.0.113.1, 192.0.2.7', 'evil, h', 'http'), '192.0.2.7 http h'],
    ['10.0.0.1', { forwarded: 'for=_hidden;host=h' }, 'null null h'],
    ['10.0.0.1', { forwarded: 'for=unknown, for="_a,b;c=\\"d"; proto=http' }, 'null http null'],
    ['10.0.0.1', { 'x-forwarded-proto': 'https' }, 'null https null'],
    ['10.0.0.1', { 'x-forwarded-for': 'nonsense' }, 'null null null'],
  ];
  for (const [peer, headers, expected] of cases) assert.equal(told(peer, headers), expected, JSON.stringify(headers));
});

test('what is not of its form is refused', () => {
  for (const headers of [
    { forwarded: 'for' },
    { forwarded: 'for=a;for=b' },
    { forwarded: 'for=a,,host=b' },
    { forwarded: 'host="open' },
    { forwarded: 'host="no host"' },
    { forwarded: 'proto=ftp' },
    { 'x-forwarded-host': 'a b' },
    { 'x-forwarded-host': 'a/b' },
    { 'x-forwarded-proto': 'https:' },
    { forwarded: 'host=a', 'x-forwarded-host': 'b' },
    { forwarded: 'proto=http', 'x-forwarded-proto': 'https' },
    { forwarded: 'for=203.0.113.1', 'x-forwarded-host': 'b' },
    { forwarded: 'host=a', ...three('203.0.113.1', 'a', 'https') },
  ] as Record<string, string>[]) {
    assert.throws(() => told('10.0.0.1', headers), { code: 'invalid_request' }, JSON.stringify(headers));
    assert.equal(told('192.0.2.1', headers), '192.0.2.1 null null');
  }
});
