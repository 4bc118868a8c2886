import { defineFeature } from '@spandrel/kernel';
import { DashboardModule } from './dashboard.module.js';

export const dashboardFeature = defineFeature({
  name: 'dashboard',
  module: DashboardModule,
  entities: [],
  requires: [],
});
