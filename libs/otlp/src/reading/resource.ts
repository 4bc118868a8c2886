import type { OtelMap } from '@spandrel/plugin-api';
import { storableName } from './storable-text.js';
import { storedAttributes } from './stored-value.js';
import { fittingMembers } from './fitting-members.js';

/** `service.name`, or `null` where the resource has none. */
export function serviceOf(resource: OtelMap): string | null {
  const name = resource.get('service.name');
  return typeof name === 'string' && name !== '' ? storableName(name) : null;
}

/** Spans of one export share a resource, so what is stored of it is made once. */
const stored = new WeakMap<OtelMap, Readonly<Record<string, unknown>>>();

/** The attributes of a resource as they are stored; the same object for the same resource, which nobody may change. */
export function storedResource(resource: OtelMap): Readonly<Record<string, unknown>> {
  const known = stored.get(resource);
  if (known !== undefined) return known;
  const attributes = fittingMembers(storedAttributes(resource));
  stored.set(resource, attributes);
  return attributes;
}
