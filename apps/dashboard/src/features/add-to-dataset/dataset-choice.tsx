import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { SelectField, TextField } from '../../components/field.js';
import { QueryFault } from '../../components/page-parts.js';

const NEW = 'new';

/** Into which dataset something goes: one that is there, or a new one. */
export function useDatasetChoice() {
  const queryClient = useQueryClient();
  const datasets = useQuery({ queryKey: keys.datasets(), queryFn: ({ signal }) => api.listDatasets({ signal }) });
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState('');
  const dataset = chosen ?? datasets.data?.datasets[0]?.id ?? NEW;
  const options = [
    ...(datasets.data?.datasets ?? []).map((one) => ({ value: one.id, label: one.name })),
    { value: NEW, label: 'New dataset' },
  ];
  return {
    /** Whether a dataset is chosen, or a new one has a name. */
    isReady: dataset !== NEW || name.trim() !== '',
    /** The id of the chosen dataset; a new one is made. A second try goes into the dataset that the first one made. */
    take: async (): Promise<string> => {
      if (dataset !== NEW) return dataset;
      const { id } = await api
        .createDataset({ body: { name: name.trim() } })
        .finally(() => queryClient.invalidateQueries({ queryKey: keys.datasets() }));
      setChosen(id);
      return id;
    },
    /** The combobox `Dataset`, and the name of a new one. */
    fields: (
      <>
        <SelectField
          label="Dataset"
          options={options}
          value={dataset}
          aria-busy={datasets.isPending}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        {dataset === NEW && datasets.data !== undefined && (
          <TextField label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} />
        )}
        <QueryFault title="The datasets could not be loaded" query={datasets} />
      </>
    ),
  };
}
