import type { OtelMap } from '@spandrel/plugin-api';

/** @param field `event_name` of the record; older exporters leave it empty and send the attribute `event.name`. */
export function eventNameOf(field: string, attributes: OtelMap): string {
  if (field !== '') return field;
  const named = attributes.get('event.name');
  return typeof named === 'string' ? named : '';
}
