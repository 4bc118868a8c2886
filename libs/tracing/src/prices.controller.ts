import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import {
  appliedPricesSchema,
  applyPricesSchema,
  listPricesSchema,
  priceListSchema,
  type ApplyPrices as ApplyPricesRequest,
  type ListPrices as ListPricesQuery,
} from '@spandrel/contract';
import { CurrentScope, Operation } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { ApplyPrices } from './repricing/apply-prices.js';
import { ListPrices } from './repricing/list-prices.js';

/** `/api/prices` (docs/spec/prices.md). */
@Controller('api/prices')
export class PricesController {
  constructor(
    private readonly prices: ListPrices,
    private readonly application: ApplyPrices,
  ) {}

  @Get()
  @Operation({ access: 'read', summary: 'The prices by which costs are computed, by model', answer: priceListSchema })
  listPrices(@Query({ schema: listPricesSchema }) query: ListPricesQuery) {
    return this.prices.execute(query);
  }

  @Post('apply')
  @HttpCode(200)
  @Operation({
    access: 'admin',
    summary: 'Price recorded spans again, some at a time',
    description:
      'Looks at some finished spans, and gives those whose cost the price table computed, or could not compute, the cost by the prices of today. Call it with `next_cursor` until that is `null`.',
    audited: ['prices.apply_begun', 'prices.applied'],
    answer: appliedPricesSchema,
    problems: ['invalid_cursor'],
  })
  applyPrices(@CurrentScope() scope: Scope, @Body({ schema: applyPricesSchema }) body: ApplyPricesRequest) {
    return this.application.execute(scope, body);
  }
}
