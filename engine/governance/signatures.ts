/** Signatures by ed25519 (RFC 8032) over the bytes of texts; keys and signatures are hexadecimal digits. */

import { createPublicKey, verify } from 'node:crypto';

/** What stands before the 32 bytes of a public key in its SubjectPublicKeyInfo (RFC 8410). */
const SPKI_PREFIX = '302a300506032b6570032100';

/** Whether a text was signed with the private half of a key. What is no key, or no signature, is false. */
export function checkSignature(publicKey: string, message: string, signature: string): boolean {
  if (!/^[0-9a-fA-F]{64}$/.test(publicKey) || !/^[0-9a-fA-F]{128}$/.test(signature)) return false;
  try {
    const key = createPublicKey({ key: Buffer.from(SPKI_PREFIX + publicKey, 'hex'), format: 'der', type: 'spki' });
    return verify(null, Buffer.from(message, 'utf8'), key, Buffer.from(signature, 'hex'));
  } catch {
    return false;
  }
}
