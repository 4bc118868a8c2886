import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { SelectField } from '../../components/field.js';

/** Members of the datapoints' metadata by which statistics are divided. */
export interface Division {
  group_by?: string;
  cluster_by?: string;
}

interface DivisionFieldsProps {
  runId: string;
  division: Division;
  className?: string | undefined;
  /** @param key `''` for none. */
  onChange(member: keyof Division, key: string): void;
}

/** What the statistics of a run can be divided by; nothing where its datapoints have no metadata. */
export function DivisionFields({ runId, division, className, onChange }: DivisionFieldsProps) {
  const { data } = useQuery({
    queryKey: keys.runMetadata(runId),
    queryFn: ({ signal }) => api.getEvalMetadata({ path: { id: runId }, signal }),
    // A run keeps to the datapoints that it began with.
    staleTime: Infinity,
  });
  const known = data?.keys ?? [];
  if (known.length === 0) return null;
  const field = (member: keyof Division, label: string, none: string, offered: readonly { key: string }[]) => (
    <SelectField
      {...{ className, label }}
      value={division[member] ?? ''}
      options={[{ value: '', label: none }, ...offered.map(({ key }) => ({ value: key, label: key }))]}
      onChange={({ currentTarget }) => onChange(member, currentTarget.value)}
    />
  );
  return (
    <>
      {field(
        'group_by',
        'Group by',
        'No groups',
        known.filter(({ has_more: hasMore }) => !hasMore),
      )}
      {field('cluster_by', 'Cluster by', 'No clusters', known)}
    </>
  );
}
