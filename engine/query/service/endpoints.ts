/** The endpoints that SERVICE may ask. */

export interface ServiceEndpoint {
  /** What SERVICE names, letter by letter. */
  readonly url: string;
  /** For each request; default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Sent as a bearer token. */
  readonly authToken?: string | undefined;
  /** Why who asks may not ask it; absent = they may. */
  readonly refusal?: string | undefined;
}
