import type { OtelMap, OtelScope } from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';
import { JsonPieces } from './json-pieces.js';
import { isObject, malformed, textOf, type JsonObject } from './json-shapes.js';
import { attributesOf } from './json-values.js';
import { EMPTY_MAP, NO_SCOPE } from './span-parts.js';

/** What the members of one signal are called: `resourceSpans`, `scopeSpans`, `spans`. */
export interface EnvelopeNames {
  readonly resources: string;
  readonly scopes: string;
  readonly items: string;
}

/** Makes one item of its JSON object. `place` names it in the message of a fault. */
export type MakeItem<Item> = (
  object: JsonObject,
  items: ItemBudget,
  scope: OtelScope,
  resource: OtelMap,
  place: string,
) => Item;

/** The members at the top of the other signals' requests. */
const TOP_MEMBERS = ['resourceSpans', 'resourceLogs', 'resourceMetrics'];

/**
 * What an export request in OTLP's JSON holds, one after the other as they are asked for, as `itemsOfProtobuf` does.
 * Members that nobody knows are passed over.
 * @throws ExportFault when the text is no such JSON, naming the place, or holds more items than allowed.
 */
export function* itemsOfJson<Item>(
  text: string,
  items: ItemBudget,
  names: EnvelopeNames,
  make: MakeItem<Item>,
): Generator<Item, void, undefined> {
  const json = new JsonPieces(text, items);
  for (const member of json.members('the body')) {
    if (member === names.resources) {
      for (const r of json.elements(member)) yield* itemsOfResource(json, items, names, make, `${member}[${r}]`);
    } else if (TOP_MEMBERS.includes(member)) {
      throw malformed(`it holds ${member}, which belong to another path; here it must hold ${names.resources}`);
    } else json.ignore(member);
  }
  json.end();
}

function* itemsOfResource<Item>(
  json: JsonPieces,
  items: ItemBudget,
  names: EnvelopeNames,
  make: MakeItem<Item>,
  place: string,
): Generator<Item, void, undefined> {
  items.takeOther();
  let resource: OtelMap | undefined;
  for (const member of json.members(place)) {
    if (member === 'resource') resource = resourceOf(json.value(`${place}.resource`), items, place);
    else if (member === names.scopes) {
      resource ??= ahead(json, member, place, 'resource', (value) => resourceOf(value, items, place)) ?? EMPTY_MAP;
      const list = `${place}.${member}`;
      for (const s of json.elements(list)) yield* itemsOfScope(json, items, names, make, resource, `${list}[${s}]`);
    } else json.ignore(`${place}.${member}`);
  }
}

function* itemsOfScope<Item>(
  json: JsonPieces,
  items: ItemBudget,
  names: EnvelopeNames,
  make: MakeItem<Item>,
  resource: OtelMap,
  place: string,
): Generator<Item, void, undefined> {
  items.takeOther();
  let scope: OtelScope | undefined;
  for (const member of json.members(place)) {
    if (member === 'scope') scope = scopeOf(json.value(`${place}.scope`), place);
    else if (member === names.items) {
      scope ??= ahead(json, member, place, 'scope', (value) => scopeOf(value, place)) ?? NO_SCOPE;
      const list = `${place}.${member}`;
      for (const n of json.elements(list)) {
        const name = `${list}[${n}]`;
        yield make(objectOr(json.value(name), name), items, scope, resource, name);
      }
    } else json.ignore(`${place}.${member}`);
  }
}

/**
 * A member that stands behind the one whose value comes next, in the same object, although it is needed before: exporters
 * write it first, JSON knows no order.
 */
function ahead<Part>(
  json: JsonPieces,
  current: string,
  place: string,
  wanted: string,
  read: (value: unknown) => Part,
): Part | undefined {
  const start = json.place;
  let part: Part | undefined;
  for (const member of json.membersAfter(current, place)) {
    if (member === wanted) part = read(json.value(`${place}.${wanted}`));
    else json.skip(`${place}.${member}`);
  }
  json.goTo(start);
  return part;
}

function resourceOf(value: unknown, items: ItemBudget, place: string): OtelMap {
  items.begin();
  return attributesOf(objectOr(value, `${place}.resource`), items, `${place}.resource`);
}

function scopeOf(value: unknown, place: string): OtelScope {
  const scope = objectOr(value, `${place}.scope`);
  const name = textOf(scope, 'name');
  const version = textOf(scope, 'version');
  return name === '' && version === '' ? NO_SCOPE : { name, version };
}

/** `null` stands for an object without members. */
function objectOr(value: unknown, name: string): JsonObject {
  if (value === null) return {};
  if (!isObject(value)) throw malformed(`${name} must be an object`);
  return value;
}
