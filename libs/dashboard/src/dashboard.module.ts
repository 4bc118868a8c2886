import { Module } from '@nestjs/common';
import { ServeDashboard } from './serve-dashboard.js';

/** The dashboard: files that the build made, served beside the API. */
@Module({ providers: [ServeDashboard] })
export class DashboardModule {}
