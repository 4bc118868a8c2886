export { transferFeature } from './transfer.feature.js';
export { TransferSettings } from './transfer.settings.js';
