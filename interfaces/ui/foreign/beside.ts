/**
 * Where a script of a server stands, on a page of anybody, and why it could not go on. All of it is to be called while the script
 * runs first: a plain script of another origin has no address of its own in `import`, and only then knows its tag.
 */

/** The address of another file of the same server; of a module, which knows its own, as it is. */
export function beside(path: string): string {
  const script = document.currentScript;
  return script instanceof HTMLScriptElement ? new URL(path, script.src).href : path;
}

/** A browser does not tell a script which of the reasons it is. */
export function whyNotLoaded(what: string): string {
  const script = document.currentScript;
  const server = script instanceof HTMLScriptElement ? new URL(script.src).origin : 'the server';
  if (server === location.origin) {
    return `${what} of ${server} could not be loaded: it is away, or another version runs now. Load the page again.`;
  }
  return `${what} of ${server} could not be loaded: it is away, or does not allow pages of ${location.origin}. Whoever runs it lists that origin in server.cors_allowed_origins.`;
}
