/** Members of the datapoints' metadata by which statistics are divided. */
export interface Division {
  group_by?: string;
  /** Each group is divided by it. */
  then_by?: string;
  cluster_by?: string;
}

/** Members of {@link Division}, as addresses have them. */
export const DIVISION = ['group_by', 'then_by', 'cluster_by'] as const satisfies (keyof Division)[];

/** The keys by which datapoints are grouped, each once. */
export const groupKeys = ({ group_by: first, then_by: second }: Division): string[] =>
  first === undefined ? [] : [...new Set([first, second ?? first])];
