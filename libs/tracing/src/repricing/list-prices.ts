import { Injectable } from '@nestjs/common';
import type { ListedPrice, ListPrices as ListPricesQuery, PriceList } from '@spandrel/contract';
import { nearestName } from '@spandrel/kernel';
import type { ModelPrice } from '@spandrel/plugin-api';
import { decodeCursor, encodeCursor } from '@spandrel/storage';
import { CurrentPrices } from '../pricing/current-prices.js';
import { pricedName } from '../pricing/pricing.js';

const LIST = 'prices';

/** `GET /api/prices`: the prices in force, by the names of models (docs/spec/prices.md#the-prices-in-force). */
@Injectable()
export class ListPrices {
  constructor(private readonly current: CurrentPrices) {}

  /** @throws Invalid `invalid_cursor` */
  execute({ model, limit, cursor }: ListPricesQuery): PriceList {
    const after = cursor === undefined ? undefined : String(decodeCursor(LIST, cursor, 'text').value);
    const inForce = this.current.entries();
    const wanted = namesNear(model, inForce).filter((name) => after === undefined || name > after);
    const prices = wanted.slice(0, limit).map((name) => listed(name, inForce.get(name)!));
    const last = prices.at(-1);
    const isMore = last !== undefined && wanted.length > prices.length;
    return {
      prices,
      count: prices.length,
      next_cursor: isMore ? encodeCursor(LIST, { value: last.model, id: '' }) : null,
    };
  }
}

const listed = (model: string, { source = '', ...price }: ModelPrice): ListedPrice => ({
  model,
  source,
  price: { ...price },
});

/**
 * The names with a price, in order: all of them without a wanted one, that alone where it is one, else those which have it in
 * them whatever its case, else the one that is spelled most like it.
 */
export function namesNear(wanted: string | undefined, prices: ReadonlyMap<string, unknown>): string[] {
  const exact = wanted === undefined ? undefined : pricedName(prices, wanted);
  if (exact !== undefined) return [exact];
  const names = [...prices.keys()].toSorted();
  if (wanted === undefined) return names;
  const holding = names.filter((name) => name.toLowerCase().includes(wanted.toLowerCase()));
  if (holding.length > 0) return holding;
  const nearest = nearestName(wanted, names);
  return nearest === undefined ? [] : [nearest];
}
