import { Link } from '@tanstack/react-router';
import styles from './trace-link.module.css';

/** The address of a dataset. */
export const datasetAddress = (id: string): string => `/datasets/${encodeURIComponent(id)}`;

/** The address of a datapoint. */
export const datapointAddress = (datasetId: string, id: string): string =>
  `${datasetAddress(datasetId)}/datapoints/${encodeURIComponent(id)}`;

/** The name of a dataset as the link to it. */
export function DatasetLink({ dataset }: { dataset: { id: string; name: string } }) {
  return (
    <Link to={datasetAddress(dataset.id)} className={styles.link} dir="auto">
      {dataset.name}
    </Link>
  );
}

/** The beginning of a datapoint as the link to it. */
export function DatapointLink({ datapoint }: { datapoint: DatapointName }) {
  return (
    <Link to={datapointAddress(datapoint.dataset_id, datapoint.id)} className={styles.link} dir="auto">
      {nameOfDatapoint(datapoint)}
    </Link>
  );
}

interface DatapointName {
  id: string;
  dataset_id: string;
  input_preview: string | null;
}

/** What a datapoint is called: the beginning of its input, or its id. */
export const nameOfDatapoint = ({ id, input_preview: input }: Pick<DatapointName, 'id' | 'input_preview'>): string =>
  input === null || input.trim() === '' ? `Datapoint ${id}` : input;
