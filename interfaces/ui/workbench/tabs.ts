/** The texts that are open, and which of them is seen. */

export interface Tab {
  readonly id: string;
  readonly text: string;
}

export interface Tabs {
  readonly tabs: readonly Tab[];
  readonly activeId: string;
}

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
