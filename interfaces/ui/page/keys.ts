/** Keys that work anywhere on the page. Single letters are keys only outside of fields. */

export type PageAction =
  | { readonly kind: 'view'; readonly name: string }
  | { readonly kind: 'find' }
  | { readonly kind: 'help' }
  | { readonly kind: 'time' }
  | { readonly kind: 'now' }
  | { readonly kind: 'compare' }
  | { readonly kind: 'step'; readonly by: 1 | -1 };

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly defaultPrevented: boolean;
  composedPath(): EventTarget[];
}

const PLAIN: Readonly<Record<string, PageAction>> = {
  '/': { kind: 'find' },
  '?': { kind: 'help' },
  t: { kind: 'time' },
  n: { kind: 'now' },
  d: { kind: 'compare' },
  '[': { kind: 'step', by: -1 },
  ']': { kind: 'step', by: 1 },
};

/** Null where the key is none of the page. */
export function actionOf(
  event: Pressed,
  views: readonly { readonly name: string; readonly key: string }[],
): PageAction | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (event.composedPath().some(isField)) return null;
  const view = views.find(({ key }) => key === event.key);
  if (view !== undefined) return { kind: 'view', name: view.name };
  return PLAIN[event.key.toLowerCase()] ?? null;
}

function isField(target: EventTarget): boolean {
  return (
    target instanceof HTMLElement && (target.matches('input, textarea, select, dialog') || target.isContentEditable)
  );
}

/** For people. Views add theirs in their own words. */
export const PAGE_KEYS: readonly (readonly [string, string])[] = [
  ['/', 'find an entity'],
  ['1 – 5', 'the views'],
  ['T', 'time'],
  ['[ and ]', 'the transaction before, and after'],
  ['N', 'back to now'],
  ['D', 'compare: what changed between two moments'],
  ['Ctrl + Enter', 'run the query'],
  ['Esc', 'cancel the query, close a panel'],
  ['Ctrl + Space', 'complete'],
  ['F8', 'next error'],
  ['Ctrl + M', 'in the editor: Tab moves the focus instead of indenting'],
  ['?', 'this list'],
];
