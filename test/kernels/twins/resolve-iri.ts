/** RFC 3986, section 5.2, on strings: the twin of `as/resolve-iri.ts`. */

/** Appendix B: scheme, authority, path, query, fragment. */
const PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/su;

function removeDotSegments(path: string): string {
  let input = path;
  let output = '';
  while (input !== '') {
    if (/^\.\.?\//.test(input)) input = input.replace(/^\.\.?\//, '');
    else if (/^\/\.(\/|$)/.test(input)) input = input.replace(/^\/\.(\/|$)/, '/');
    else if (/^\/\.\.(\/|$)/.test(input)) {
      input = input.replace(/^\/\.\.(\/|$)/, '/');
      output = output.replace(/\/?[^/]*$/, '');
    } else if (input === '.' || input === '..') input = '';
    else {
      const segment = /^\/?[^/]*/.exec(input)![0];
      output += segment;
      input = input.slice(segment.length);
    }
  }
  return output;
}

function join(scheme: string, authority: string | undefined, rest: string): string {
  return `${scheme}:${authority === undefined ? '' : `//${authority}`}${rest}`;
}

/** The IRI that `reference`, which has no scheme, means against the absolute IRI `base`. */
export function resolveIriTwin(base: string, reference: string): string {
  const [, scheme = '', authority, path = '', query] = PARTS.exec(base)!;
  const [, , refAuthority, refPath = '', refQuery, refFragment] = PARTS.exec(reference)!;
  const tail = (text: string | undefined, mark: string) => (text === undefined ? '' : mark + text);
  const end = tail(refQuery, '?') + tail(refFragment, '#');
  if (refAuthority !== undefined) return join(scheme, refAuthority, removeDotSegments(refPath) + end);
  if (refPath === '') {
    return join(scheme, authority, path + tail(refQuery ?? query, '?') + tail(refFragment, '#'));
  }
  if (refPath.startsWith('/')) return join(scheme, authority, removeDotSegments(refPath) + end);
  const merged = authority !== undefined && path === '' ? `/${refPath}` : path.replace(/[^/]*$/, '') + refPath;
  return join(scheme, authority, removeDotSegments(merged) + end);
}
