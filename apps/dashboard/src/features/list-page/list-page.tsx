import type { ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { PageHeading } from '../../components/page-heading.js';
import { FilterBar } from '../filters/filter-bar.js';
import { bareSearch, listChips, type ListParameters, type ListSearch } from '../filters/list-search.js';
import type { PagedList } from '../paged-list/use-paged-list.js';

export interface ListPageProps {
  /** `Spans` */
  title: string;
  list: Pick<PagedList<unknown>, 'isWaiting' | 'error' | 'length' | 'retry'>;
  search: ListSearch;
  parameters: ListParameters;
  /** @param isTyped replaces the entry of the history in place of adding one. */
  onChange(search: ListSearch, isTyped?: boolean): void;
  isLive: boolean;
  onLive(isLive: boolean): void;
  /** What is shown where nothing was recorded yet. */
  empty: ReactNode;
  /** What stands below the heading. @param isEmpty whether nothing was recorded yet. */
  intro?: (isEmpty: boolean) => ReactNode;
  children: ReactNode;
}

/** A page that is a list with filters: what it shows while there is nothing to list, or when it could not be read. */
export function ListPage(props: ListPageProps) {
  const { title, list, search, parameters, onChange, isLive, onLive, empty, intro, children } = props;
  const isEmpty = !list.isWaiting && list.error === null && list.length === 0;
  if (isEmpty && listChips(search, parameters, String).length === 0) {
    return (
      <>
        <PageHeading title={title} />
        {intro?.(true)}
        {empty}
      </>
    );
  }
  return (
    <>
      <PageHeading title={title}>
        <Button icon="live" aria-pressed={isLive} onClick={() => onLive(!isLive)}>
          Live
        </Button>
      </PageHeading>
      {intro?.(false)}
      <FilterBar search={search} parameters={parameters} onChange={onChange} />
      {list.error !== null && (
        <FaultNotice title={`${title} could not be loaded`} error={list.error} onRetry={list.retry} />
      )}
      {isEmpty ? (
        <EmptyState
          title={`No ${title.toLowerCase()} match these filters`}
          action={<Button onClick={() => onChange(bareSearch(search))}>Show all {title.toLowerCase()}</Button>}
        >
          <p>Take one of them away, or clear them all.</p>
        </EmptyState>
      ) : (
        children
      )}
    </>
  );
}
