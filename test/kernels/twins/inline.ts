/**
 * Twin of `as/inline.ts` as far as it is about stored terms. What a literal's own id is, the storage
 * engine says in plain code already (`storage/ids/inline.ts`); it is handed in, since kernels stand
 * below storage.
 */

const KIND_TYPED = 6;

export interface Inliner {
  readonly codeOf: (datatype: string) => number;
  readonly idOf: (code: number, lexical: string) => bigint | null;
}

export interface InlinedTerms {
  /** 0 for terms that the dictionary keeps. */
  readonly ids: readonly bigint[];
  readonly codes: readonly number[];
  /** Numbers of the terms that the dictionary keeps. */
  readonly list: readonly number[];
}

export function inlineTerms(stored: readonly Uint8Array[], inliner: Inliner): InlinedTerms {
  const codes = stored.map((bytes) => (bytes[0] === KIND_TYPED ? inliner.codeOf(datatypeOf(bytes)) : 0));
  const ids = stored.map((bytes, i) => {
    const code = codes[i] as number;
    return code === 0 ? 0n : (inliner.idOf(code, lexicalOf(bytes)) ?? 0n);
  });
  return { ids, codes, list: [...ids.keys()].filter((i) => ids[i] === 0n) };
}

function datatypeOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(1, bytes.indexOf(0, 1))).toString();
}

/** Bytes as characters of their own, so that text which is not ASCII is never taken for digits. */
function lexicalOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(bytes.indexOf(0, 1) + 1)).toString('latin1');
}
