/** Why a script of a server could not go on. A browser does not tell a script which reason it is. To be called while it runs. */
export function whyNotLoaded(what: string): string {
  const script = document.currentScript;
  const server = script instanceof HTMLScriptElement ? new URL(script.src).origin : 'the server';
  if (server === location.origin)
    return `${what} of ${server} could not be loaded: it is away, or another version runs now. Load the page again.`;
  return `${what} of ${server} could not be loaded: it is away, or does not allow pages of ${location.origin}. Whoever runs it lists that origin in server.cors_allowed_origins.`;
}
