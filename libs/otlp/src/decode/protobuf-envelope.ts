import type { OtelMap, OtelScope, OtelValue } from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';
import { NameTable } from './name-table.js';
import { bytes, ProtobufFields } from './protobuf-fields.js';
import { readMap } from './protobuf-values.js';
import { RecentTexts } from './recent-texts.js';
import { EMPTY_MAP, NO_SCOPE } from './span-parts.js';

const names = new NameTable();
const texts = new RecentTexts();

/** Reads one span, log record or metric; the field that {@link ProtobufFields.next} came to is its message. */
export type ReadItem<Item> = (fields: ProtobufFields, items: ItemBudget, scope: OtelScope, resource: OtelMap) => Item;

/**
 * What an export request holds, one after the other as they are asked for, so that a long export holds up nobody. The
 * three signals of OTLP wrap their items in one way: a request of resources, which hold scopes, which hold items.
 * @throws ExportFault when the bytes are no such message, or hold more items than allowed.
 */
export function* itemsOfProtobuf<Item>(
  body: Buffer,
  items: ItemBudget,
  read: ReadItem<Item>,
): Generator<Item, void, undefined> {
  const fields = new ProtobufFields(body, names, texts);
  for (const { scope, resource } of scopesOf(fields, items)) {
    while (fields.next()) {
      if (fields.tag === bytes(2)) yield read(fields, items, scope, resource);
      else {
        items.takeOther();
        fields.skip();
      }
    }
  }
}

/** The scopes of a request, each with its message open: what it holds is read before the next one is asked for. */
function* scopesOf(
  fields: ProtobufFields,
  items: ItemBudget,
): Generator<{ scope: OtelScope; resource: OtelMap }, void, undefined> {
  while (fields.next()) {
    items.takeOther();
    if (fields.tag !== bytes(1)) fields.skip();
    else yield* scopesOfResource(fields, items);
  }
}

function* scopesOfResource(
  fields: ProtobufFields,
  items: ItemBudget,
): Generator<{ scope: OtelScope; resource: OtelMap }, void, undefined> {
  const outer = fields.enter();
  items.begin();
  const resource: OtelMap =
    ahead(fields, items, (before?: Map<string, OtelValue>) => readMap(fields, items, 0, before)) ?? EMPTY_MAP;
  while (fields.next()) {
    items.takeOther();
    if (fields.tag !== bytes(2)) fields.skip();
    else {
      const outerOfScope = fields.enter();
      const scope = ahead(fields, items, (before?: OtelScope) => readScope(fields, before)) ?? NO_SCOPE;
      yield { scope, resource };
      fields.leave(outerOfScope);
    }
  }
  fields.leave(outer);
}

/**
 * What field 1 of the open message holds, wherever it stands: what comes before it may depend on it. Protobuf merges a
 * message that comes more than once.
 */
function ahead<Part>(fields: ProtobufFields, items: ItemBudget, read: (before?: Part) => Part): Part | undefined {
  const start = fields.place;
  let part: Part | undefined;
  while (fields.next()) {
    if (fields.tag === bytes(1)) part = read(part);
    else {
      items.takeOther();
      fields.skip();
    }
  }
  fields.goTo(start);
  return part;
}

function readScope(fields: ProtobufFields, before: OtelScope = NO_SCOPE): OtelScope {
  const outer = fields.enter();
  let { name, version } = before;
  while (fields.next()) {
    if (fields.tag === bytes(1)) name = fields.name();
    else if (fields.tag === bytes(2)) version = fields.name();
    else fields.skip();
  }
  fields.leave(outer);
  return { name, version };
}
