import { Link } from '@tanstack/react-router';
import { formatId } from '../components/format.js';
import {
  datapointAddress,
  datasetAddress,
  nameOfDatapoint,
  nameOfSpan,
  reviewAddress,
  runAddress,
  sessionAddress,
  traceAddress,
} from './addresses.js';
import { NameLink } from './trace-link.js';

/** The name of a span as the link to it within its trace. */
export const SpanLink = ({ span }: { span: { id: string; trace_id: string; name: string } }) => (
  <NameLink to={traceAddress(span.trace_id)} search={{ span: span.id }}>
    {nameOfSpan(span)}
  </NameLink>
);

export const SessionLink = ({ id }: { id: string }) => <NameLink to={sessionAddress(id)}>{formatId(id)}</NameLink>;

export const DatasetLink = ({ dataset }: { dataset: { id: string; name: string } }) => (
  <NameLink to={datasetAddress(dataset.id)}>{dataset.name}</NameLink>
);

/** The beginning of a datapoint as the link to it. */
export const DatapointLink = (props: {
  datapoint: { id: string; dataset_id: string; input_preview: string | null };
}) => (
  <NameLink to={datapointAddress(props.datapoint.dataset_id, props.datapoint.id)}>
    {nameOfDatapoint(props.datapoint)}
  </NameLink>
);

/** @param item id of the datapoint whose result is opened. */
export const RunLink = ({ run, item }: { run: { id: string; name: string }; item?: string }) => (
  <NameLink to={runAddress(run.id)} {...(item !== undefined && { search: { item } })}>
    {run.name}
  </NameLink>
);

/** The way to an item of a review, to be read. */
export const ReviewItemLink = (props: { datasetId: string | null; itemId: string; text: string }) => (
  <Link to={reviewAddress(props.datasetId)} search={{ item: props.itemId } as never} dir="auto">
    {props.text}
  </Link>
);
