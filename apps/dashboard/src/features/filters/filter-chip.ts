/** A filter that is on, with the name and value that its button says. */
export interface FilterChip<Search> {
  name: string;
  value: string;
  /** The search parameters without this filter. */
  without(search: Search): Search;
}
