import type { KeyboardEvent, ReactNode } from 'react';
import styles from './tab-list.module.css';

interface TabItem<Id extends string> {
  id: Id;
  label: string;
  /** Key that leads here, shown beside the label. */
  shortcut?: string;
}

interface TabListProps<Id extends string> {
  label: string;
  items: readonly TabItem<Id>[];
  selected: Id;
  /** Id of the element that shows what is selected; it has the role `tabpanel`. */
  panelId: string;
  onSelect(id: Id): void;
}

/** Tabs after the ARIA pattern: one is in the tab order, arrows go to the others and select them. */
export function TabList<Id extends string>({ label, items, selected, panelId, onSelect }: TabListProps<Id>) {
  const press = (event: KeyboardEvent<HTMLDivElement>): void => {
    const at = items.findIndex(({ id }) => id === selected);
    const to = {
      ArrowRight: (at + 1) % items.length,
      ArrowLeft: (at + items.length - 1) % items.length,
      Home: 0,
      End: items.length - 1,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')[to]?.focus();
    onSelect(items[to]!.id);
  };
  return (
    // The tabs inside have the focus; this only hears the keys that reach it from them.
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
    <div role="tablist" aria-label={label} className={styles.list} onKeyDown={press}>
      {items.map(({ id, label: name, shortcut }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={tabId(panelId, id)}
          aria-selected={id === selected}
          aria-controls={panelId}
          tabIndex={id === selected ? 0 : -1}
          className={styles.tab}
          {...(shortcut !== undefined && { 'aria-keyshortcuts': shortcut })}
          onClick={() => onSelect(id)}
        >
          {name}
          {shortcut !== undefined && <kbd aria-hidden="true">{shortcut}</kbd>}
        </button>
      ))}
    </div>
  );
}

/** Id of a tab, by which its panel is named. */
export const tabId = (panelId: string, id: string): string => `${panelId}-tab-${id}`;

/** What the selected tab shows, as high as there is room. @param props.id the `panelId` of its tabs. */
export const TabPanel = ({ id, tab, children }: { id: string; tab: string; children: ReactNode }) => (
  <div id={id} role="tabpanel" aria-labelledby={tabId(id, tab)} className={styles.panel}>
    {children}
  </div>
);
