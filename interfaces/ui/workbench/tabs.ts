/**
 * The texts that are open, in the storage of this browser tab: another tab of the browser has its own, so that neither overwrites the
 * other. What does not fit into the storage stays in memory.
 */

export interface Tab {
  readonly id: string;
  readonly text: string;
}

export interface Tabs {
  readonly tabs: readonly Tab[];
  readonly activeId: string;
}

const KEY = 'svc-workbench-tabs';
const TABS_MAX = 30;

let last = 0;

export function newTab(text: string): Tab {
  last++;
  return { id: `${Date.now().toString(36)}-${last}`, text };
}

export function withTab({ tabs }: Tabs, tab: Tab): Tabs {
  return { tabs: [...tabs, tab].slice(-TABS_MAX), activeId: tab.id };
}

/** The neighbour of the tab that closes is the active one then; the last one leaves an empty one behind. */
export function withoutTab({ tabs, activeId }: Tabs, id: string): Tabs {
  const at = tabs.findIndex((tab) => tab.id === id);
  const rest = tabs.filter((tab) => tab.id !== id);
  const only = newTab('');
  if (rest.length === 0) return { tabs: [only], activeId: only.id };
  return { tabs: rest, activeId: id === activeId ? (rest[Math.min(at, rest.length - 1)] as Tab).id : activeId };
}

export function withText({ tabs, activeId }: Tabs, text: string): Tabs {
  return { tabs: tabs.map((tab) => (tab.id === activeId ? { ...tab, text } : tab)), activeId };
}

export function activeOf({ tabs, activeId }: Tabs): Tab {
  return tabs.find(({ id }) => id === activeId) ?? (tabs[0] as Tab);
}

/** `first`: what stands in the only tab where nothing was kept. */
export function keptTabs(first: string): Tabs {
  const only = newTab(first);
  const fresh = { tabs: [only], activeId: only.id };
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return isTabs(kept) && kept.tabs.length > 0 ? kept : fresh;
  } catch {
    // What stands there is not ours, or the page may keep nothing.
    return fresh;
  }
}

export function keepTabs(tabs: Tabs): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(tabs));
  } catch {
    // There is no room, or the page may keep nothing: the tabs live as long as the page.
  }
}

function isTabs(value: unknown): value is Tabs {
  if (typeof value !== 'object' || value === null || !('tabs' in value) || !Array.isArray(value.tabs)) return false;
  return value.tabs.every(({ id, text }: Partial<Tab>) => typeof id === 'string' && typeof text === 'string');
}
