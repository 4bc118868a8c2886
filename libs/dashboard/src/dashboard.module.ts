import { Module } from '@nestjs/common';
import { ServeDashboard } from './serve-dashboard.js';
import { defineFeature } from '@spandrel/kernel';

/** The dashboard: files that the build made, served beside the API. */
@Module({ providers: [ServeDashboard] })
class DashboardModule {}

export const dashboardFeature = defineFeature({
  name: 'dashboard',
  module: DashboardModule,
  entities: [],
  requires: [],
});
