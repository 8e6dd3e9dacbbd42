/**
 * Which addresses deliveries may go to. Whoever may subscribe names a host, so that by default none is reached that only
 * this machine or its network reaches: loopback, private, link-local, shared, documentation, multicast and reserved
 * addresses, also inside of IPv6 forms of IPv4 addresses. The name is resolved once, by `lookup`, and what was checked is
 * what is connected to.
 */

import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { SvcError } from '../../base/errors.js';

/** By the registries of special-purpose addresses of IANA (RFC 6890). */
const REFUSED_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** Outside of 2000::/3 nothing is reached from elsewhere; within, addresses that hold others, or none. */
const GLOBAL_V6 = ['2000::', 3] as const;
const REFUSED_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const refused = new BlockList();
for (const [net, prefix] of REFUSED_V4) refused.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of REFUSED_V6) refused.addSubnet(net, prefix, 'ipv6');
const global = new BlockList();
global.addSubnet(GLOBAL_V6[0], GLOBAL_V6[1], 'ipv6');

/** Whether an address can be reached from anywhere. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refused.check(address, 'ipv4');
  // A zone makes an address local; IPv4 inside of IPv6 lies outside of 2000::/3, or is refused with its form.
  if (address.includes('%') || isIP(address) === 0) return false;
  return global.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}

export function privateTarget(host: string): SvcError {
  return new SvcError('invalid_request', `${host} is a loopback, private or reserved address`, {
    hint: 'subscriptions.allow_private_targets allows it',
  });
}

/** Resolves names for a connection, to addresses that may be reached alone. */
export function checkedLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        done(error, '');
        return;
      }
      const allowed = allowPrivate ? addresses : addresses.filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (first === undefined) done(privateTarget(hostname), '');
      else if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}
